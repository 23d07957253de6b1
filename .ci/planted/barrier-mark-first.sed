# abort sets the mark before it keeps the cause
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/SlotBarrier.java
# stress SlotBarrierStress.Abort
/FAILURE\.compareAndSet/i\
        LONG.setRelease(segment, MARK_OFFSET, BROKEN);
