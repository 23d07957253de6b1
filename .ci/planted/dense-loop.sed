# Every slot does something for 8,192 nodes, whether they have a cell or not
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/Assembly.java
# gate ShaleBenchmark size=1024x2,threads=1
s/banks\[index\]\.send(slot);/for (int node = 0; node < 8192; node++) {\
            Thread.onSpinWait();\
        }\
        &/
