package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Random operations on {@link Pieo} and on {@link PieoList} side by side. The test is also the hardware's caller: it
 * keeps the sublist of every id from the ports alone, and the model must agree.
 */
final class PieoSideBySide {
    private final SplittableRandom random;
    final String name;
    private final PieoLayout layout;
    private final Pieo pieo;
    private final PieoList list = new PieoList();
    private final int[] sublistOf;
    int fullSeen;
    int emptySeen;

    PieoSideBySide(final int size, final long seed) {
        random = new SplittableRandom(seed);
        name = "size=" + size + " seed=" + seed;
        layout = new PieoLayout(size);
        pieo = new Pieo(layout, Arena.ofAuto().allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
        sublistOf = new int[1 << layout.idBits()];
        Arrays.fill(sublistOf, layout.noSublist());
    }

    void run(final int operations, final int least, final int most, final boolean invariants) {
        boolean growing = true;
        for (int i = 0; i < operations; i++) {
            final String where = name + " operation=" + i;
            final int kind = random.nextInt(10);
            if (kind < (growing ? 6 : 3)) {
                enqueue(least + random.nextInt(most - least + 1), least + random.nextInt(most - least + 1), where);
            } else if (kind < 9) {
                final int earliest = Math.max(0, least - 1);
                dequeue(earliest + random.nextInt(most - earliest + 1), where);
            } else {
                dequeueF(where);
            }
            assertEquals(list.size(), pieo.size(), where);
            if (invariants) {
                PieoInvariants.check(pieo, where);
            }
            growing = growing ? list.size() < layout.capacity() : list.size() == 0;
            emptySeen += list.size() == 0 ? 1 : 0;
        }
        while (list.size() > 0) {
            dequeue(layout.noTime() - 1, name + " draining");
        }
        assertEquals(0, pieo.memory().used(), name);
    }

    private void enqueue(final long rank, final long sendTime, final String where) {
        int id = random.nextInt(sublistOf.length);
        if (list.size() >= layout.capacity()) {
            fullSeen++;
            assertEquals(Pieo.FULL, pieo.enqueue(id, rank, sendTime), where);
            return;
        }
        while (sublistOf[id] != layout.noSublist()) {
            id = (id + 1) % sublistOf.length;
        }
        list.enqueue(new PieoList.Element(id, rank, sendTime));
        assertEquals(Pieo.DONE, pieo.enqueue(id, rank, sendTime), where);
        sublistOf[id] = pieo.enqueuedInSublist();
        followMove(where);
        assertEquals(pieo.sublistOf(id), sublistOf[id], where);
    }

    private void dequeue(final long now, final String where) {
        final PieoList.Element expected = list.dequeue(now);
        final int code = pieo.dequeue(now);
        assertEquals(expected == null ? Pieo.NOTHING : Pieo.DONE, code, where);
        assertExtracted(expected, where);
    }

    private void dequeueF(final String where) {
        final int id = random.nextBoolean() && list.size() > 0
            ? list.get(random.nextInt(list.size())).id() : random.nextInt(sublistOf.length);
        assertEquals(sublistOf[id], pieo.sublistOf(id), where);
        final PieoList.Element expected = list.dequeueF(id);
        final int code = random.nextBoolean() ? pieo.dequeueF(id) : pieo.dequeueF(id, sublistOf[id]);
        assertEquals(expected == null ? Pieo.ABSENT : Pieo.DONE, code, where);
        assertExtracted(expected, where);
    }

    private void assertExtracted(final PieoList.Element expected, final String where) {
        if (expected == null) {
            assertEquals(layout.noRank(), pieo.rank(), where);
            return;
        }
        assertEquals(expected, new PieoList.Element(pieo.id(), pieo.rank(), pieo.sendTime()), where);
        sublistOf[expected.id()] = layout.noSublist();
        followMove(where);
    }

    private void followMove(final String where) {
        if (pieo.movedId() != layout.noId()) {
            sublistOf[pieo.movedId()] = pieo.movedToSublist();
            assertEquals(pieo.movedToSublist(), pieo.sublistOf(pieo.movedId()), where);
        } else {
            assertEquals(layout.noSublist(), pieo.movedToSublist(), where);
        }
    }
}
