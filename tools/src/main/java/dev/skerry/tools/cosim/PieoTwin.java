package dev.skerry.tools.cosim;

import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.dataplane.pieo.PieoMemory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

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
    private static final int REQUESTS = 0;
    private static final int ID = 1;
    private static final int RANK = 2;
    private static final int TIME = 3;
    private static final int SUBLIST = 4;
    static final int ENQUEUE = 1;
    static final int DEQUEUE = 2;
    private static final int DEQUEUE_F = 4;
    static final long ANYWHERE = -1;

    private static final Names NAMES = new Names(List.of("requests", "id", "rank", "time", "sublist"),
        List.of("code", "id", "rank", "time", "enqueuedIn", "movedId", "movedTo", "clocks"));

    private final Pieo pieo;
    private final StateImage image;

    PieoTwin(final PieoLayout layout, final boolean newestFirst, final Arena arena) {
        pieo = new Pieo(layout, arena.allocate(layout.byteSize(), PieoLayout.ALIGNMENT), newestFirst);
        image = new StateImage(pieo, arena, value -> false);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        return new PieoStimulus(pieo.layout(), weights);
    }

    @Override
    public byte[] save() {
        return image.save();
    }

    @Override
    public void restore(final byte[] state) {
        image.restore(state);
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
        Words.set(out, outAt, 0, code, pieo.id(), pieo.rank(), pieo.sendTime(), pieo.enqueuedInSublist(),
            pieo.movedId(), pieo.movedToSublist(), pieo.clocks());
    }

    /** Narrows a word to an int. A word that does not fit becomes -1, which every operation refuses. */
    private static int narrow(final long word) {
        return word == (int) word ? (int) word : -1;
    }

    /**
     * Draws operations of a PIEO. Its size oscillates, so that full and empty are both frequent. Half of the ranks and
     * times come from a small range, so that ties are frequent. An enqueue gets an unused id, as hardware requires.
     */
    private static final class PieoStimulus extends Stimulus {
        private static final int SMALL = 4;
        private static final int CHANGE_OF_TIDE = 8;

        private final PieoLayout layout;
        private Pieo pieo;
        private boolean growing;
        private boolean tie;
        private int usedBefore;

        PieoStimulus(final PieoLayout layout, final Map<String, Integer> weights) {
            super(new Weights("enqueue=6", "dequeue=5", "dequeue-f=2", "together=2", "absent=1").with(weights),
                "ties", "full", "empty", "nothing eligible", "moved", "wrap", "absent", "same cycle");
            this.layout = layout;
        }

        @Override
        void begin(final Twin twin) {
            pieo = ((PieoTwin) twin).pieo;
            growing = true;
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            final int size = pieo.size();
            if (size == layout.capacity() && random.nextInt(CHANGE_OF_TIDE) == 0) {
                growing = false;
            } else if (size == 0) {
                growing = true;
            }
            final String choice = weights.draw(random);
            final int free = freeId(random);
            row[RANK] = number(random, layout.noRank());
            row[TIME] = number(random, layout.noTime());
            row[SUBLIST] = ANYWHERE;
            row[ID] = free;
            final boolean canEnqueue = pieo.sublistOf(free) == layout.noSublist();
            if (choice.equals("together") && canEnqueue) {
                row[REQUESTS] = ENQUEUE | random.nextInt(DEQUEUE_F) * DEQUEUE;
            } else if (choice.equals("enqueue") && canEnqueue && (growing || random.nextInt(3) == 0)) {
                row[REQUESTS] = ENQUEUE;
            } else if (choice.equals("dequeue-f") && size > 0) {
                row[REQUESTS] = DEQUEUE_F;
                row[ID] = heldId(random);
            } else if (choice.equals("absent")) {
                row[REQUESTS] = DEQUEUE_F;
                row[SUBLIST] = random.nextInt(layout.sublists());
            } else if (choice.equals("enqueue") && canEnqueue && growing) {
                row[REQUESTS] = ENQUEUE;
            } else {
                row[REQUESTS] = DEQUEUE;
            }
            tie = (row[REQUESTS] & ENQUEUE) != 0 && holdsRank(row[RANK]);
            usedBefore = pieo.memory().used();
        }

        private static long number(final SplittableRandom random, final long none) {
            return random.nextBoolean() ? random.nextInt((int) Math.min(SMALL, none)) : random.nextLong(none);
        }

        private int freeId(final SplittableRandom random) {
            int id = random.nextInt(layout.nullId() + 1);
            for (int i = 0; i <= layout.nullId() && pieo.sublistOf(id) != layout.noSublist(); i++) {
                id = id == layout.nullId() ? 0 : id + 1;
            }
            return id;
        }

        private int heldId(final SplittableRandom random) {
            final PieoMemory memory = pieo.memory();
            final int position = random.nextInt(memory.used());
            return memory.id(memory.sublist(position), random.nextInt(memory.count(position)));
        }

        private boolean holdsRank(final long rank) {
            final PieoMemory memory = pieo.memory();
            for (int position = 0; position < memory.used(); position++) {
                for (int slot = 0; slot < memory.count(position); slot++) {
                    if (memory.rank(memory.sublist(position), slot) == rank) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final long requests = row[REQUESTS];
            final long code = answer[0];
            coverage.count("ties", tie && code == Pieo.DONE);
            coverage.count("full", code == Pieo.FULL);
            coverage.count("empty", code == Pieo.NOTHING && pieo.size() == 0);
            coverage.count("nothing eligible", code == Pieo.NOTHING && pieo.size() > 0);
            coverage.count("moved", answer[5] != layout.noId());
            coverage.count("wrap", pieo.memory().used() < usedBefore);
            coverage.count("absent", code == Pieo.ABSENT);
            coverage.count("same cycle", Long.bitCount(requests) > 1);
        }
    }
}
