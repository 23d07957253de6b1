package dev.skerry.nic.follow;

import dev.skerry.nic.model.NodeCells;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Keeps what devices sent and received in the first slots. If findings arise there that all go away with another value
 * of one setting, then the description of the devices may be wrong, and this names the setting. One thread.
 */
public final class FirstSlots {
    private static final int MOST_SLOTS = 2_000;
    /** Slots times nodes. */
    private static final int MOST = 20_000;
    private static final int FINDINGS = 100;
    /** Fewer findings need not come from the description. */
    private static final int FEWEST = 5;

    private final List<NodeCells[]> sent = new ArrayList<>();
    private final List<NodeCells[]> received = new ArrayList<>();
    private boolean isOver;

    /** A follower or followers of a device described with another value of one setting, before slot 0. */
    public record Other(String setting, Steps steps, FindingLog log) {
    }

    /** Follows a slot. */
    @FunctionalInterface
    public interface Steps {
        /** What each node sent and received. */
        void step(NodeCells[] sent, NodeCells[] received);
    }

    /** Nothing is kept yet. */
    public FirstSlots() {
    }

    /**
     * Keeps the next slot, unless enough are kept.
     *
     * @param log has the findings so far.
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
     * A line that names the setting; empty if there is none.
     *
     * @param others the followers as they are described, then others.
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

    /** Follows the slots until there are as many findings; returns how many there are. */
    private long play(final Other other, final long most) {
        for (int slot = 0; slot < sent.size() && other.log.total() < most; slot++) {
            other.steps.step(sent.get(slot), received.get(slot));
        }
        return other.log.total();
    }
}
