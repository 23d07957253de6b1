package dev.skerry.nic.stardust;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.engine.MemberMail;
import dev.skerry.nic.engine.RowBatch;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.element.Pipes;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.SentPackets;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * What crosses between the banks of members: all that {@link StardustShared} has of two banks. One thread.
 *
 * <pre>
 *   head      | port, or number of a log | flag | slots before the batch's end | kind |      and by kind
 *   bits      0                         32     44                             60
 *
 *   CELL      where it comes out    | first | second
 *   PAUSE     by which nothing is taken
 *   REPORT    where it goes in, flag: sender takes the link for faulty | first 64 adapters | other 64
 *   MESSAGE   request or credit     | the message
 *   PACKET    log                   | packet that joins it
 *   TAKEN     log, flag: odd period | packets taken off
 * </pre>
 */
final class StardustRows implements MemberMail.Rows, SentPackets.Crossing, Pipes.CellSink {
    private static final long CELL = 0;
    private static final long PAUSE = 1L << 60;
    private static final long REPORT = 2L << 60;
    private static final long MESSAGE = 3L << 60;
    private static final long PACKET = 4L << 60;
    private static final long TAKEN = 5L << 60;
    private static final long KIND = 7L << 60;
    private static final long FLAG = 1L << 32;
    private static final int BACK_SHIFT = 44;

    private final MemberMail mail;
    private final int self;
    private final int members;
    private final FoldedClos clos;
    private final StardustShared shared;
    private final int[] memberOf;
    /** Whether elements of every member charge their links for all messages. */
    private final boolean toAll;
    private final int period;
    /** By phase of the period, ports of this member that send reports to others then. */
    private final int[][] reporting;
    /** Null unless hosts speak TCP; by log, the members of source and destination. */
    private final SentPackets packets;
    private final int[] from;
    private final int[] to;
    /** The batch that cells are added to, and the place of their slot in it. */
    private RowBatch into;
    private long back;

    StardustRows(final RowExchange exchange, final Stardust fabric, final StardustShared shared,
        final DeviceRange[] shares, final int reachPeriod) {
        this.mail = new MemberMail(exchange, this);
        this.self = exchange.member();
        this.members = exchange.members();
        this.clos = fabric.clos();
        this.shared = shared;
        this.memberOf = DeviceRange.bankOf(clos, shares);
        this.toAll = fabric.links().carriesControl();
        this.period = reachPeriod;
        this.reporting = shared.messages() == null ? null : reporting(fabric, shares[self]);
        this.packets = shared.packets() instanceof final SentPackets sent ? sent : null;
        this.from = new int[packets == null ? 0 : packets.logs()];
        this.to = new int[from.length];
        if (packets != null) {
            final int queues = fabric.hosts().queues();
            for (int stream = 0; stream < clos.fas() * clos.fas() * queues; stream++) {
                final int log = packets.first(stream);
                if (log != Packets.NONE) {
                    from[log] = memberOf[stream / queues % clos.fas()];
                    to[log] = memberOf[stream / queues / clos.fas()];
                }
            }
            packets.connect(this);
        }
    }

    private int[][] reporting(final Stardust fabric, final DeviceRange share) {
        final int[][] ports = new int[period][];
        Arrays.setAll(ports, phase -> IntStream.rangeClosed(0, clos.tiers())
            .flatMap(tier -> IntStream.range(share.first(tier), share.end(tier)))
            .filter(device -> StardustReach.phase(fabric, device, period) == phase)
            .flatMap(device -> IntStream.range(clos.firstPort(device), clos.firstPort(device + 1)))
            .filter(port -> clos.peer(port) != FoldedClos.NONE && memberAt(clos.peer(port)) != self).toArray());
        return ports;
    }

    /** What carries them. */
    MemberMail mail() {
        return mail;
    }

    @Override
    public void pack(final long first, final long end) {
        for (long slot = first; slot < end; slot++) {
            back = end - slot << BACK_SHIFT;
            final int row = shared.pipes().row(slot);
            for (int member = 0; member < members; member++) {
                if (member != self) {
                    into = mail.to(member);
                    shared.pipes().show(row, member, true, this);
                }
            }
            pauses(slot);
            messages(slot);
            if (shared.messages() != null) {
                reports(slot);
            }
        }
    }

    @Override
    public void accept(final int port, final long first, final long second) {
        into.add(CELL | back | port);
        into.more(first);
        into.more(second);
    }

    private void pauses(final long slot) {
        final int count = shared.pauses().count(slot, self);
        final int[] ports = shared.pauses().list(slot, self);
        for (int i = 0; i < count; i++) {
            final RowBatch batch = mail.to(memberAt(clos.peer(ports[i])));
            if (batch != null) {
                batch.add(PAUSE | back | ports[i]);
            }
        }
    }

    private int memberAt(final int port) {
        return memberOf[clos.deviceOf(port)];
    }

    private void messages(final long slot) {
        final Control control = shared.controls()[self];
        final int count = control.count(slot);
        final long[] list = control.list(slot);
        for (int i = 0; i < count; i++) {
            final int target = memberOf[Control.target(list[i])];
            for (int member = toAll ? 0 : target; member < (toAll ? members : target + 1); member++) {
                if (member != self) {
                    mail.to(member).add(MESSAGE | back);
                    mail.to(member).more(list[i]);
                }
            }
        }
    }

    private void reports(final long slot) {
        final long turn = slot / period;
        for (final int port : reporting[(int) (slot % period)]) {
            if (shared.messages().wasSent(slot, turn, port)) {
                final RowBatch batch = mail.to(memberAt(clos.peer(port)));
                batch.add(REPORT | back | port | (shared.messages().isFaulty(turn, port) ? FLAG : 0));
                batch.more(shared.messages().low(turn, port));
                batch.more(shared.messages().high(turn, port));
            }
        }
    }

    @Override
    public void joined(final int log, final long packet) {
        if (to[log] != self) {
            mail.to(to[log]).add(PACKET | log);
            mail.to(to[log]).more(packet);
        }
    }

    @Override
    public void taken(final int parity, final int log, final int taken) {
        if (from[log] != self) {
            mail.to(from[log]).add(TAKEN | parity * FLAG | log);
            mail.to(from[log]).more(taken);
        }
    }

    @Override
    public void take(final int member, final MemorySegment bytes, final long first, final long came) {
        for (long slot = first; slot < came; slot++) {
            shared.controls()[member].begin(slot);
            shared.pauses().begin(slot, member);
        }
        final Region batch = Region.over(bytes);
        for (long at = RowBatch.HEADER_BYTES; at < bytes.byteSize();) {
            at = take(member, batch, at, came);
        }
    }

    /** Takes in what stands at an offset of a batch; returns the offset behind it. */
    private long take(final int member, final Region batch, final long at, final long came) {
        final long head = batch.getLong(at);
        final long slot = came - (head >>> BACK_SHIFT & RowBatch.MOST_SLOTS - 1);
        final int port = (int) head;
        final boolean flag = (head & FLAG) != 0;
        final long next = at + Long.BYTES;
        final long after = next + Long.BYTES;
        switch ((int) ((head & KIND) >>> 60)) {
            case (int) (PAUSE >>> 60) -> {
                shared.pauses().add(slot, member, port);
                return next;
            }
            case (int) (MESSAGE >>> 60) -> shared.controls()[member].post(slot, batch.getLong(next));
            case (int) (PACKET >>> 60) -> packets.put(port, batch.getLong(next));
            case (int) (TAKEN >>> 60) -> packets.hear(flag ? 1 : 0, port, (int) batch.getLong(next));
            case (int) (REPORT >>> 60) -> {
                shared.messages().send(slot, slot / period, port, batch.getLong(next), batch.getLong(after), flag);
                return after + Long.BYTES;
            }
            default -> {
                shared.pipes().put(shared.pipes().row(slot), clos.peer(port), batch.getLong(next),
                    batch.getLong(after));
                return after + Long.BYTES;
            }
        }
        return after;
    }
}
