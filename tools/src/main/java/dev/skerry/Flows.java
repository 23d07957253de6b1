package dev.skerry;

import dev.skerry.nic.flow.FlowSet;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.LongArrayList;

import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * A list of flows to run across a fabric. Flows are numbered in the order in which they are added, from 0.
 *
 * <pre>{@code
 * Flows flows = new Flows();
 * for (int sender = 1; sender < 16; sender++) {
 *     flows.add(sender, 0, 10_000, 100 * sender);            // to node 0, 10,000 bytes, from a later slot each
 * }
 * System.out.println(Shale.nodes(16).build().run(flows).flowsCompleted());
 * }</pre>
 *
 * <p>Not thread-safe while flows are added. After that, any number of threads may run it, any number of times.
 */
public final class Flows {
    private static final long MAX_START_SLOT = 1L << 53;

    private final IntArrayList sources = new IntArrayList();
    private final IntArrayList destinations = new IntArrayList();
    private final LongArrayList bytes = new LongArrayList();
    private final LongArrayList startSlots = new LongArrayList();

    /** Creates an empty list. */
    public Flows() {
    }

    /** Adds a flow that starts in slot 0; see {@link #add(int, int, long, long)}. */
    public Flows add(final int source, final int destination, final long size) {
        return add(source, destination, size, 0);
    }

    /**
     * Adds a flow.
     *
     * @param source      sending node.
     * @param destination receiving node, not {@code source}.
     * @param size        payload bytes, at least 1.
     * @param startSlot   first slot in which its first cell may be sent, 0 to 2^53. Flows may be added in any order.
     * @throws IllegalArgumentException if an argument is out of range. Whether the fabric has these nodes is checked by
     *                                  {@link Fabric#run(Flows)}.
     */
    public Flows add(final int source, final int destination, final long size, final long startSlot) {
        if (source < 0 || destination < 0 || source == destination || size < 1 || startSlot < 0
            || startSlot > MAX_START_SLOT) {
            throw new IllegalArgumentException("not a flow: source=" + source + " destination=" + destination
                + " bytes=" + size + " startSlot=" + startSlot);
        }
        sources.addInt(source);
        destinations.addInt(destination);
        bytes.addLong(size);
        startSlots.addLong(startSlot);
        return this;
    }

    /** Number of flows. */
    public int size() {
        return sources.size();
    }

    /** The flows in order of start slot, in cells of a fabric. */
    FlowSet of(final int endpoints, final int payloadBytes) {
        final FlowSet flows = new FlowSet();
        IntStream.range(0, size()).boxed().sorted(Comparator.comparingLong(startSlots::getLong)).forEach(flow -> {
            final long cells = (bytes.getLong(flow) - 1) / payloadBytes + 1;
            if (Math.max(sources.getInt(flow), destinations.getInt(flow)) >= endpoints || cells >= FlowSet.ENDLESS) {
                throw new IllegalArgumentException("not a flow of this fabric: flow=" + flow + " source="
                    + sources.getInt(flow) + " destination=" + destinations.getInt(flow) + " nodes=" + endpoints
                    + " bytes=" + bytes.getLong(flow) + " payloadBytes=" + payloadBytes);
            }
            flows.add(flow, sources.getInt(flow), destinations.getInt(flow), bytes.getLong(flow), (int) cells,
                startSlots.getLong(flow));
        });
        return flows;
    }
}
