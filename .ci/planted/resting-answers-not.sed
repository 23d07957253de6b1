# A resting worker forgets which calls it has answered
# file nic-pipeline/src/main/java/dev/skerry/nic/engine/WorkerCrew.java
# stress RestingWorkersStress.GoAndCome
/answered\[worker\]++;/d
