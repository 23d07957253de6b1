# The producer sees one slot more than free
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# stress SpscRingStress.CellOfFreedSlot SpscRingStress.Bursts
s/LONG\.getAcquire(segment, HEAD_OFFSET) + capacity/& + 1/
