package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.PieoTwin.ANYWHERE;
import static dev.skerry.tools.cosim.PieoTwin.DEQUEUE;
import static dev.skerry.tools.cosim.PieoTwin.DEQUEUE_F;
import static dev.skerry.tools.cosim.PieoTwin.ENQUEUE;

import dev.skerry.dataplane.queue.Pieo;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.dataplane.queue.PieoMemory;

import java.util.Map;
import java.util.SplittableRandom;

/**
 * Operations of a PIEO. It fills up and drains again and again, so that full and empty both come often; ranks and times
 * are a few small ones half of the time, so that ties do. Ids are free ones, as hardware expects.
 */
final class PieoStimulus implements Stimulus {
    private static final int SMALL = 4;
    private static final int CHANGE_OF_TIDE = 8;

    private final Weights weights;
    private final Coverage coverage = new Coverage("ties", "full", "empty", "nothing eligible", "moved", "wrap",
        "absent", "same cycle");
    private final PieoLayout layout;
    private Pieo pieo;
    private boolean growing;
    private boolean tie;
    private int usedBefore;

    PieoStimulus(final PieoLayout layout, final Map<String, Integer> weights) {
        this.layout = layout;
        this.weights = new Weights("enqueue=6", "dequeue=5", "dequeue-f=2", "together=2", "absent=1").with(weights);
    }

    @Override
    public void begin(final Twin twin) {
        pieo = ((PieoTwin) twin).pieo();
        growing = true;
    }

    @Override
    public void draw(final SplittableRandom random, final long[] row) {
        final int size = pieo.size();
        if (size == layout.capacity() && random.nextInt(CHANGE_OF_TIDE) == 0) {
            growing = false;
        } else if (size == 0) {
            growing = true;
        }
        final String choice = weights.draw(random);
        final int free = freeId(random);
        row[PieoTwin.RANK] = number(random, layout.noRank());
        row[PieoTwin.TIME] = number(random, layout.noTime());
        row[PieoTwin.SUBLIST] = ANYWHERE;
        row[PieoTwin.ID] = free;
        final boolean canEnqueue = pieo.sublistOf(free) == layout.noSublist();
        if (choice.equals("together") && canEnqueue) {
            row[PieoTwin.REQUESTS] = ENQUEUE | random.nextInt(DEQUEUE_F) * DEQUEUE;
        } else if (choice.equals("enqueue") && canEnqueue && (growing || random.nextInt(3) == 0)) {
            row[PieoTwin.REQUESTS] = ENQUEUE;
        } else if (choice.equals("dequeue-f") && size > 0) {
            row[PieoTwin.REQUESTS] = DEQUEUE_F;
            row[PieoTwin.ID] = heldId(random);
        } else if (choice.equals("absent")) {
            row[PieoTwin.REQUESTS] = DEQUEUE_F;
            row[PieoTwin.SUBLIST] = random.nextInt(layout.sublists());
        } else if (choice.equals("enqueue") && canEnqueue && growing) {
            row[PieoTwin.REQUESTS] = ENQUEUE;
        } else {
            row[PieoTwin.REQUESTS] = DEQUEUE;
        }
        tie = (row[PieoTwin.REQUESTS] & ENQUEUE) != 0 && holdsRank(row[PieoTwin.RANK]);
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
    public void covered(final long[] row, final long[] answer) {
        final long requests = row[PieoTwin.REQUESTS];
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

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
