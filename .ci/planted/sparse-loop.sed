# Every slot does something for each of 1,024 nodes, whether they have a cell or not
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/Assembly.java
# gate LoadBenchmark fabric=shale-1024
s/banks\[index\]\.send(slot);/for (int node = 0; node < 1024; node++) {\
            Thread.onSpinWait();\
        }\
        &/
