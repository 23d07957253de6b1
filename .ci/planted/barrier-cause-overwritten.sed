# A later abort overwrites the cause
# file dataplane/src/main/java/dev/skerry/dataplane/circuit/SlotBarrier.java
# stress SlotBarrierStress.TwoAborts
s/FAILURE\.compareAndSet(this, null, known)/FAILURE.setVolatile(this, known)/
