package dev.skerry.nic.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.flow.Releases;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * The outcome of every flow, shared by all banks. Only the bank of a flow's destination writes its record.
 *
 * <pre>
 *   one flow    slot of completion + 1; 0: not yet complete; -1: partly lost; -2: partly lost, and ended
 * </pre>
 */
public final class FlowOutcomes {
    private static final int RECORD_BYTES = Long.BYTES;
    private static final long OPEN = 0;
    private static final long LOST = -1;
    private static final long FAILED = -2;

    private final Region records;
    /** Releases flows that wait for others; null if there are none. */
    private final Releases releases;

    /** Creates records of open flows; {@code releases} is null if no flow waits for others. */
    public FlowOutcomes(final Arena arena, final int flows, final Releases releases) {
        this.records = Region.allocate(arena, bytes(flows));
        this.releases = releases;
    }

    /** Releases flows that wait for others; null if there are none. */
    public Releases releases() {
        return releases;
    }

    /** Memory in bytes. */
    public static long bytes(final int flows) {
        return (long) flows * RECORD_BYTES;
    }

    /** The slot after the completion of a flow; 0 if it is not complete, or cannot be. */
    public long completedBefore(final int flow) {
        return Math.max(0, records.getLong(at(flow)));
    }

    /** Whether a flow is neither complete nor partly lost. */
    public boolean isOpen(final int flow) {
        return records.getLong(at(flow)) == OPEN;
    }

    /** Completes a flow in a slot, and notifies the flows that wait for it. */
    public void complete(final int flow, final long slot) {
        records.setLong(at(flow), slot + 1);
        if (releases != null) {
            releases.completed(flow, slot);
        }
    }

    /** Records the loss of a packet of a flow. */
    public void lose(final int flow) {
        records.setLong(at(flow), LOST);
    }

    /** Records the end of a flow; returns true once if it was partly lost. */
    public boolean fail(final int flow) {
        if (records.getLong(at(flow)) != LOST) {
            return false;
        }
        records.setLong(at(flow), FAILED);
        return true;
    }

    /**
     * Exchanges the completed flows with other processes after a run.
     *
     * @param flows  number of flows.
     * @param gather sends the message of this process and returns those of all, including this one.
     */
    public void join(final int flows, final Function<byte[], byte[][]> gather) {
        final int[] known = IntStream.range(0, flows).filter(flow -> completedBefore(flow) > 0).toArray();
        final ByteBuffer said = ByteBuffer.allocate((1 + 2 * known.length) * Long.BYTES).putLong(known.length);
        for (final int flow : known) {
            said.putLong(flow).putLong(completedBefore(flow));
        }
        for (final byte[] bytes : gather.apply(said.array())) {
            final ByteBuffer heard = ByteBuffer.wrap(bytes);
            for (long left = heard.getLong(); left > 0; left--) {
                records.setLong(at((int) heard.getLong()), heard.getLong());
            }
        }
    }

    private static long at(final int flow) {
        return (long) flow * RECORD_BYTES;
    }
}
