# The mark is not read after the words
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/SlotBarrier.java
# stress SlotBarrierStress.AbortAfterMeeting
s/return (long) LONG\.getAcquire(words, MARK_OFFSET) == WHOLE;/return true;/
