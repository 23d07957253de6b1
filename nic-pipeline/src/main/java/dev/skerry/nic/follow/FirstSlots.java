package dev.skerry.nic.follow;

import dev.skerry.nic.model.NodeCells;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Stores what devices sent and received in the first slots. If a different value of one setting removes all findings in
 * these slots, the description of the devices is probably wrong, and {@link #explain} names the setting. Not
 * thread-safe.
 */
public final class FirstSlots {
    private static final int MOST_SLOTS = 2_000;
    /** Maximum number of slots times nodes. */
    private static final int MOST = 20_000;
    private static final int FINDINGS = 100;
    /** Minimum number of findings: fewer are not attributed to the description. */
    private static final int FEWEST = 5;

    private final List<NodeCells[]> sent = new ArrayList<>();
    private final List<NodeCells[]> received = new ArrayList<>();
    private boolean isOver;

    /** Followers of devices described with another value of one setting, before slot 0. */
    public record Other(String setting, Steps steps, FindingLog log) {
    }

    /** Advances followers by a slot. */
    @FunctionalInterface
    public interface Steps {
        /** Follows one slot, given what each node sent and received. */
        void step(NodeCells[] sent, NodeCells[] received);
    }

    /** Creates an empty record. */
    public FirstSlots() {
    }

    /**
     * Stores the next slot, unless enough slots are stored.
     *
     * @param log findings so far.
     */
    public void keep(final NodeCells[] sentBy, final NodeCells[] receivedBy, final FindingLog log) {
        isOver |= log.total() >= FINDINGS || sent.size() >= MOST_SLOTS || sent.size() * sentBy.length >= MOST;
        if (!isOver) {
            sent.add(copy(sentBy));
            received.add(copy(receivedBy));
        } else if (log.none()) {
            sent.clear();
            received.clear();
        }
    }

    private static NodeCells[] copy(final NodeCells[] cells) {
        final NodeCells[] copies = new NodeCells[cells.length];
        for (int node = 0; node < copies.length; node++) {
            copies[node] = new NodeCells(cells[node].channels());
            copies[node].set(cells[node]);
        }
        return copies;
    }

    /**
     * Returns a line that names the setting that removes all findings, or an empty string.
     *
     * @param others followers of the devices as described, then followers of the variants.
     */
    public String explain(final Stream<Other> others) {
        final List<Other> found = new ArrayList<>();
        others.takeWhile(other -> {
            final boolean isFirst = found.isEmpty();
            final long total = play(other, isFirst ? FEWEST : 1);
            if (isFirst || total == 0) {
                found.add(other);
            }
            return isFirst ? total >= FEWEST : total > 0;
        }).forEach(each -> { });
        return found.size() < 2 ? "" : "With " + found.getLast().setting() + " there would be no finding in the first "
            + sent.size() + " slots. Check the description of the device.\n";
    }

    /** Replays the slots until there are {@code most} findings; returns the number of findings. */
    private long play(final Other other, final long most) {
        for (int slot = 0; slot < sent.size() && other.log.total() < most; slot++) {
            other.steps.step(sent.get(slot), received.get(slot));
        }
        return other.log.total();
    }
}
