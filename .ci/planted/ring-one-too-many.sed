# The consumer sees one handle more than published
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# stress SpscRingStress.CellBehindHandle
s/limit = (long) LONG\.getAcquire(segment, TAIL_OFFSET)/& + 1/
