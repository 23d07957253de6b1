# A resting worker forgets which calls it has answered
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/LockStepWorkers.java
# stress ParkedWorkersStress.GoAndCome
/answered\[worker\]++;/d
