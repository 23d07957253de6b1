# A burst is published handle by handle, each with a full fence
# file dataplane/src/main/java/dev/skerry/dataplane/ring/SpscRing.java
# gate RingBurstBenchmark burst=32
s/slots\.setInts(slot << SLOT_SHIFT, handles, from, ahead);/for (int i = 0; i < ahead; i++) {\
                slots.setInt(slot + i << SLOT_SHIFT, handles[from + i]);\
                LONG.setVolatile(segment, TAIL_OFFSET, position + i + 1);\
            }/
