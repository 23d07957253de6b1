package dev.skerry.nic.stardust.host;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.fabric.PacketEdge;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The packets of real ports under way, by flow: what cells are cut from and made packets by again. Their bytes lie
 * where the {@link PacketEdge} of the source put them; a cell says by its place in the stream which of them it carries.
 *
 * <pre>
 *   one flow      0                   8                        8 * capacity
 *                 +-------------------+-------------------+---+
 *                 | packet n          | packet n + 1      | ..|    as handed over by the edge, at n modulo capacity
 *                 +-------------------+-------------------+---+
 *                       taken: next to leave      added: next to come
 * </pre>
 *
 * A flow's packets are added by the thread of its source, and taken by that of its destination. No order between the
 * two is needed for the entries, as a packet is added before its first cell leaves; for their reuse it is, see R1.
 */
public final class PortPackets implements Packets {
    /** Packets of a flow that are under way at most. */
    static final int MOST_PACKETS = 1 << 10;

    private final int[] flowOf;
    private final Region entries;
    private final int shift;
    private final int[] added;
    private final int[] takenSeen;
    private final AtomicIntegerArray taken;

    /**
     * No packets.
     *
     * @param streamOf the stream of each flow, which it has to itself.
     * @param streams  how many there are.
     * @param most     packets of a flow under way at once, a power of two.
     */
    PortPackets(final Arena arena, final int[] streamOf, final int streams, final int most) {
        assert Integer.bitCount(most) == 1 : "most=" + most;
        this.flowOf = new int[streams];
        Arrays.fill(flowOf, NONE);
        for (int flow = 0; flow < streamOf.length; flow++) {
            flowOf[streamOf[flow]] = flow;
        }
        this.entries = Region.allocate(arena, (long) streamOf.length * most * Long.BYTES);
        this.shift = Integer.numberOfTrailingZeros(most);
        this.added = new int[streamOf.length];
        this.takenSeen = new int[streamOf.length];
        this.taken = new AtomicIntegerArray(streamOf.length);
    }

    @Override
    public int first(final int stream) {
        return flowOf[stream];
    }

    @Override
    public int next(final int flow) {
        return NONE;
    }

    @Override
    public boolean isLast(final int flow, final int packet) {
        return false;
    }

    /** Whether a flow may have one more packet; the thread of its source calls. */
    boolean hasRoom(final int flow) {
        if (added[flow] - takenSeen[flow] < 1 << shift) {
            return true;
        }
        takenSeen[flow] = taken.getAcquire(flow); // A1: the entry was read before; pairs with R1 in take()
        return added[flow] - takenSeen[flow] < 1 << shift;
    }

    /** Adds a packet as the edge handed it over; there is room. The thread of the source calls. */
    void add(final int flow, final long packet) {
        assert hasRoom(flow) : "flow=" + flow;
        entries.setLong(at(flow, added[flow]), packet);
        added[flow]++;
    }

    /** Bytes of a packet that was added and not taken yet. */
    @Override
    public int length(final int flow, final int number) {
        return PacketEdge.bytes(entries.getLong(at(flow, number)));
    }

    /** The packet of a flow as the edge handed it over, which was added and not taken yet. */
    long handle(final int flow, final int number) {
        return entries.getLong(at(flow, number));
    }

    /** Takes the oldest packet; the thread of the destination calls, when it has come or is lost. */
    long take(final int flow) {
        final int number = taken.getPlain(flow);
        final long packet = entries.getLong(at(flow, number));
        taken.setRelease(flow, number + 1); // R1: the entry may be written again; pairs with A1 in hasRoom()
        return packet;
    }

    private long at(final int flow, final int number) {
        return ((long) flow << shift | number & (1 << shift) - 1) * Long.BYTES;
    }
}
