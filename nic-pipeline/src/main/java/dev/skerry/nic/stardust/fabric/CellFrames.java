package dev.skerry.nic.stardust.fabric;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.StardustHeader;
import dev.skerry.nic.host.HostModel.Reno;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The bytes of the cells in flight if a run checks them: header, payload and CRC as the codec writes them
 * (docs/spec/stardust.md §3.5). The first word of a cell contains the number of its frame in place of the slot in which
 * it was born.
 *
 * <pre>
 *   frames of an adapter   chunk 0 | chunk 1 | ...        4096 frames each, more when all are in use
 *
 *   a frame   0       4   8            16                        cell bytes + 36
 *             +-------+---+------------+-------- .. --------+
 *             | used  |   | born in    | header payload CRC |
 *             +-------+---+------------+-------- .. --------+
 * </pre>
 *
 * <p>The thread of the source opens a frame. The holder of the cell may access it, as holders synchronise over the
 * link. The thread that takes the cell off the fabric, or drops it, releases the frame.
 */
public final class CellFrames {
    private static final int CHUNK_SHIFT = 12;
    private static final int CHUNK = 1 << CHUNK_SHIFT;
    private static final int MOST_CHUNKS = 1 << StardustCell.BORN_BITS - CHUNK_SHIFT;
    /** Frames that are tried before more are allocated. */
    private static final int LOOKS = 64;
    private static final int BORN = 8;
    private static final int FRAME = 16;
    private static final VarHandle USED = ValueLayout.JAVA_INT.varHandle();

    private final Arena arena;
    private final StardustHeader header;
    private final int classes;
    private final int epoch;
    private final long stride;
    private final MemorySegment[][] chunks;
    private final int[] next;

    /** Creates the frames without cells. */
    public CellFrames(final Arena arena, final Stardust fabric) {
        final HostSide hosts = fabric.hosts();
        this.arena = arena;
        this.header = new StardustHeader(fabric.clos().fas(), hosts.ports() * hosts.queuesPerPort(), hosts.classes(),
            fabric.cut().cellBytes());
        this.classes = hosts.classes();
        this.epoch = (int) fabric.seed() & 0xF;
        this.stride = FRAME + StardustHeader.frameBytes(fabric.cut().cellBytes()) + Long.BYTES - 1 & -Long.BYTES;
        this.chunks = new MemorySegment[fabric.clos().fas()][0];
        this.next = new int[chunks.length];
    }

    /**
     * Tells whether cells of a fabric are cut from packets whose lengths are known to both ends and are in the cells.
     */
    public static boolean canCarry(final Stardust fabric) {
        return fabric.pull() && fabric.cut().prefix() && !(fabric.hosts().model() instanceof Reno);
    }

    /** Opens a frame for the next cell of an adapter; called by the thread of its source. */
    public int open(final int adapter, final long slot) {
        for (int look = 0; look < Math.min(LOOKS, chunks[adapter].length << CHUNK_SHIFT); look++) {
            final int number = next[adapter];
            next[adapter] = (number + 1) % (chunks[adapter].length << CHUNK_SHIFT);
            if ((int) USED.getAcquire(chunk(adapter, number), at(number)) == 0) {
                return take(adapter, number, slot);
            }
        }
        final int had = chunks[adapter].length;
        if (had == MOST_CHUNKS) {
            throw new IllegalStateException("more than " + (MOST_CHUNKS << CHUNK_SHIFT) + " cells of adapter " + adapter
                + " are under way");
        }
        final MemorySegment[] more = Arrays.copyOf(chunks[adapter], had + 1);
        more[had] = arena.allocate(stride << CHUNK_SHIFT, Long.BYTES);
        chunks[adapter] = more;
        next[adapter] = (had << CHUNK_SHIFT) + 1;
        return take(adapter, had << CHUNK_SHIFT, slot);
    }

    private int take(final int adapter, final int number, final long slot) {
        final MemorySegment chunk = chunk(adapter, number);
        USED.setRelease(chunk, at(number), 1);
        chunk.set(ValueLayout.JAVA_LONG, at(number) + BORN, slot);
        return number;
    }

    /** Returns the memory that contains a frame. */
    public MemorySegment chunk(final int adapter, final int number) {
        return chunks[adapter][number >>> CHUNK_SHIFT];
    }

    /** Returns the memory of a cell from its header on. */
    private MemorySegment cell(final int adapter, final int number) {
        return chunk(adapter, number).asSlice(at(number) + FRAME);
    }

    private MemorySegment cell(final long word) {
        return cell(StardustCell.from(word), StardustCell.frame(word));
    }

    /** Returns the offset in that memory of the payload of a frame. */
    public long payload(final int number) {
        return at(number) + FRAME + StardustHeader.BYTES;
    }

    /**
     * Writes header and CRC of a cell whose payload is in its frame.
     *
     * @param word       first word, with the number of the frame.
     * @param firstStart offset of the first packet that starts in it.
     */
    public void seal(final long word, final long second, final int firstStart) {
        final int queue = StardustCell.queue(second);
        final long head = header.head(StardustHeader.DATA, StardustCell.order(word), epoch, StardustCell.to(word),
            StardustCell.from(word), queue / classes, queue % classes);
        StardustHeader.write(cell(word), 0, head | (StardustCell.isEnd(word) ? StardustHeader.EOC : 0),
            header.tail(StardustCell.number(second), StardustCell.bytes(word), firstStart));
    }

    /** Marks a cell with a level of congestion, at an element. */
    public void mark(final long word, final int level) {
        StardustHeader.mark(cell(word), 0, level);
    }

    /** Changes a byte of a cell, as a damaging link does. */
    public void damage(final long word, final long noise) {
        final long place = Long.remainderUnsigned(noise, StardustHeader.frameBytes(StardustCell.bytes(word)));
        final int change = 1 + (int) (noise >>> Long.SIZE - Byte.SIZE) % 0xFF;
        cell(word).set(ValueLayout.JAVA_BYTE, place, (byte) (cell(word).get(ValueLayout.JAVA_BYTE, place) ^ change));
    }

    /** Returns the fault in the bytes of a cell, if any. */
    public HeaderFault fault(final long word) {
        return header.check(cell(word), 0, StardustHeader.frameBytes(StardustCell.bytes(word)));
    }

    /**
     * Checks that the header of a sound cell agrees with its words, including the level of congestion.
     *
     * @throws IllegalStateException if it does not.
     */
    public void agree(final long word, final long second) {
        final long head = StardustHeader.readHead(cell(word), 0);
        final long tail = StardustHeader.readTail(cell(word), 0);
        final int queue = StardustHeader.port(head) * classes + StardustHeader.trafficClass(head);
        if (header.checkAtAdapter(head, StardustCell.to(word)) != HeaderFault.NONE
            || StardustHeader.source(head) != StardustCell.from(word) || queue != StardustCell.queue(second)
            || StardustHeader.sequence(tail) != StardustCell.number(second)
            || StardustHeader.length(tail) != StardustCell.bytes(word)
            || StardustHeader.fci(head) != StardustCell.fci(word) || StardustHeader.epoch(head) != epoch
            || StardustHeader.isEndOfCredit(head) != StardustCell.isEnd(word)) {
            throw new IllegalStateException(String.format("the header %016x %016x of a cell from adapter %d to %d is "
                + "not that of its words: queue=%d number=%d", head, tail, StardustCell.from(word),
                StardustCell.to(word), StardustCell.queue(second), StardustCell.number(second)));
        }
    }

    /** Returns the offset of the first packet that starts in a cell. */
    public int firstStart(final int adapter, final int number) {
        return StardustHeader.firstStart(StardustHeader.readTail(cell(adapter, number), 0));
    }

    /** Tells whether a cell ends its burst or, if packets do not share cells, its packet. */
    public boolean isEnd(final int adapter, final int number) {
        return StardustHeader.isEndOfCredit(StardustHeader.readHead(cell(adapter, number), 0));
    }

    /** Returns the slots since a cell was born. */
    public int age(final long word, final long slot) {
        return (int) (slot - chunk(StardustCell.from(word), StardustCell.frame(word)).get(ValueLayout.JAVA_LONG,
            at(StardustCell.frame(word)) + BORN));
    }

    /** Releases the frame of a cell that left the fabric. */
    public void release(final long word) {
        release(StardustCell.from(word), StardustCell.frame(word));
    }

    /** Releases a frame. */
    public void release(final int adapter, final int number) {
        USED.setRelease(chunk(adapter, number), at(number), 0);
    }

    private long at(final int number) {
        return (number & CHUNK - 1) * stride;
    }
}
