package dev.skerry.tools.cosim;

import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A PIEO, one operation per step. Of simultaneous requests the hardware accepts the enqueue, else the dequeue, else the
 * dequeue by id (docs/spec/shale.md §6).
 *
 * <pre>
 *   in    requests | id | rank | time | sublist     requests: 1 enqueue, 2 dequeue, 4 dequeue of an id
 *   out   code | id | rank | time | enqueued in | moved id | moved to | clocks      code and ports as in Pieo
 * </pre>
 *
 * The sublist is the one that holds the id; with {@link #ANYWHERE} the model searches.
 */
final class PieoTwin implements Twin {
    static final int REQUESTS = 0;
    static final int ID = 1;
    static final int RANK = 2;
    static final int TIME = 3;
    static final int SUBLIST = 4;
    static final int ENQUEUE = 1;
    static final int DEQUEUE = 2;
    static final int DEQUEUE_F = 4;
    static final long ANYWHERE = -1;

    private static final Names NAMES = new Names(List.of("requests", "id", "rank", "time", "sublist"),
        List.of("code", "id", "rank", "time", "enqueuedIn", "movedId", "movedTo", "clocks"));

    private final Pieo pieo;

    PieoTwin(final PieoLayout layout, final Arena arena) {
        pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT));
    }

    Pieo pieo() {
        return pieo;
    }

    @Override
    public Names names() {
        return NAMES;
    }

    @Override
    public void resolve(final MemorySegment in, final long inAt) {
        if (Words.get(in, inAt, REQUESTS) >= DEQUEUE_F && Words.get(in, inAt, SUBLIST) == ANYWHERE) {
            Words.set(in, inAt, SUBLIST, pieo.sublistOf(narrow(Words.get(in, inAt, ID))));
        }
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int requests = Words.intOf(in, inAt, REQUESTS, "requests", ENQUEUE, ENQUEUE | DEQUEUE | DEQUEUE_F);
        final int id = narrow(Words.get(in, inAt, ID));
        final long time = Words.get(in, inAt, TIME);
        final int code;
        if ((requests & ENQUEUE) != 0) {
            code = pieo.enqueue(id, Words.get(in, inAt, RANK), time);
        } else if ((requests & DEQUEUE) != 0) {
            code = pieo.dequeue(time);
        } else {
            final long sublist = Words.get(in, inAt, SUBLIST);
            code = sublist == ANYWHERE ? pieo.dequeueF(id) : pieo.dequeueF(id, narrow(sublist));
        }
        Words.set(out, outAt, 0, code);
        Words.set(out, outAt, 1, pieo.id());
        Words.set(out, outAt, 2, pieo.rank());
        Words.set(out, outAt, 3, pieo.sendTime());
        Words.set(out, outAt, 4, pieo.enqueuedInSublist());
        Words.set(out, outAt, 5, pieo.movedId());
        Words.set(out, outAt, 6, pieo.movedToSublist());
        Words.set(out, outAt, 7, pieo.clocks());
    }

    /** Narrows a word to an int. A word that does not fit becomes -1, which every operation refuses. */
    private static int narrow(final long word) {
        return word == (int) word ? (int) word : -1;
    }
}
