# A party waits for the generation before
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/SlotBarrier.java
# stress SlotBarrierStress.BothMeet SlotBarrierStress.Generations
s/LONG\.getAcquire(words, other) < generation/& - 1/
