# offer publishes the tail before it writes the slot
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# stress SpscRingStress.Order
/slots\.setInt((position/{h;d}
/TAIL_OFFSET, position + 1)/G
