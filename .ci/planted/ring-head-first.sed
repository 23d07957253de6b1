# poll publishes the head before it reads the slot
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# stress SpscRingStress.FullRing
/final int handle = slots\.getInt/{h;d}
/HEAD_OFFSET, position + 1)/G
