# A bulk is published before it is written
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# stress SpscRingStress.WholeBulk
/slots\.setInts(slot << SLOT_SHIFT/i\
            LONG.setRelease(segment, TAIL_OFFSET, position + count);
