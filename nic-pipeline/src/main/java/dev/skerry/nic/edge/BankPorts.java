package dev.skerry.nic.edge;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Intake;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.packet.CellHandler;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.ReorderWindow;
import dev.skerry.nic.packet.WindowConfig;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The ports at the nodes of one bank. The bank's thread calls, except where any thread may. A delivered cell waits in a
 * queue until the ports are polled, so delivering has no other effect. A cell travels as its handle.
 */
final class BankPorts implements CellHandler {
    /** Slots that a bank with cells asks for beyond the arrival of its last cell. */
    private static final int AHEAD = 16;
    /** Least time between two looks at ports and streams, in ns: a look costs too much for every poll. */
    private static final long LOOK_NS = 100_000;
    private static final long SHOW_NS = 50_000_000;
    /** Streams swept for overdue cells per look. */
    private static final int STREAMS_PER_LOOK = 16;

    private final PacketEdges plan;
    private final int bank;
    /** By place: the number of the port in the fabric. */
    private final int[] ports;
    private final EdgeMemory memory;
    private final PortGuard[] guards;
    private final PacketIngress[] ingress;
    private final PacketEgress[] egress;
    /** By number of the port in the fabric: its place in this bank. */
    private final int[] placeOf;
    /** By stream: where its cells leave the fabric. */
    private final PacketEgress[] egressOf;
    private final int[] sourceOf;
    private final ReorderWindow window;
    /** Cells delivered and not yet put in order. The next array counts them by place. */
    private final CellQueue arrived;
    private final int[] arrivedAt;
    private final PacketCounts packets = new PacketCounts();
    private final Pace pace;
    private final SlotTarget target;
    private final long propagationSlots;
    private final AtomicLong horizon = new AtomicLong();
    private final AtomicLong cutSeen = new AtomicLong();
    private final AtomicLong endedSeen = new AtomicLong();
    private final AtomicLong slotSeen = new AtomicLong();
    private final AtomicLong looks = new AtomicLong();
    private final AtomicBoolean closedSeen = new AtomicBoolean();
    private Intake intake;
    private long lookedNs;
    private long shownNs;
    private long sentBefore;
    private long lost;

    BankPorts(final Arena arena, final PacketEdges plan, final int bank, final int[] ports, final EdgeMemory memory,
        final WindowConfig windows, final Fabric fabric) {
        this.plan = plan;
        this.bank = bank;
        this.ports = ports;
        this.memory = memory;
        this.propagationSlots = fabric.propagationSlots();
        this.target = new SlotTarget(plan.config(), fabric.emptySlots());
        this.guards = new PortGuard[ports.length];
        this.ingress = new PacketIngress[ports.length];
        this.egress = new PacketEgress[ports.length];
        this.placeOf = new int[plan.ports()];
        this.egressOf = new PacketEgress[ports.length * plan.ports()];
        this.sourceOf = new int[ports.length * plan.ports()];
        this.arrived = new CellQueue(memory);
        this.arrivedAt = new int[ports.length];
        this.pace = new Pace(plan.config().slotsPerSecond());
        this.window = new ReorderWindow(arena, windows, this::free, this, packets);
        for (int place = 0; place < ports.length; place++) {
            placeOf[ports[place]] = place;
            guards[place] = plan.guard(ports[place]);
            ingress[place] = new PacketIngress(arena, ports[place], plan, guards[place], memory, packets);
            egress[place] = new PacketEgress(arena, ports[place], plan, guards[place], memory, this::free, packets);
            for (int source = 0; source < plan.ports(); source++) {
                egressOf[place * plan.ports() + source] = egress[place];
                sourceOf[place * plan.ports() + source] = source;
            }
        }
    }

    /** Connects the ports to the bank that takes their cells. */
    void join(final Intake to) {
        intake = to;
    }

    /** Takes the next cell of a flow out of its queue; returns its handle. */
    long inject(final long identity) {
        final int flow = Cell.flow(identity);
        final int cell = ingress[placeOf[plan.between().source(flow)]].pop(plan.between().destination(flow));
        memory.setIdentity(cell, identity);
        return cell;
    }

    /** Takes in a delivered cell; returns its identity. */
    long deliver(final long word) {
        final int cell = (int) word;
        final long identity = memory.identity(cell);
        arrived.add(cell, memory.flags(cell));
        arrivedAt[placeOf[plan.between().destination(Cell.flow(identity))]]++;
        return identity;
    }

    /** Which cell it is. */
    long identify(final long word) {
        return memory.identity((int) word);
    }

    /** Takes in a lost cell and frees it. */
    void discard(final long word) {
        lost++;
        free((int) word);
    }

    /**
     * Bytes, in whole cells, that have arrived for an endpoint and that its port has not taken yet; 0 without a port.
     */
    long waitingAt(final int endpoint) {
        final int port = plan.between().portAt(endpoint);
        return port == PortFlows.NO_PORT ? 0 : (long) arrivedCells(port) * plan.config().format().payloadBytes();
    }

    /** Cells that have arrived for a port and that it has not taken yet. */
    int arrivedCells(final int port) {
        return arrivedAt[placeOf[port]] + egressOf(port).queued();
    }

    /** Passes delivered cells to the window, which puts each stream in order. */
    private void acceptArrived(final long slot) {
        while (!arrived.isEmpty()) {
            final int cell = arrived.poll();
            final long identity = memory.identity(cell);
            final int flow = Cell.flow(identity);
            final int place = placeOf[plan.between().destination(flow)];
            arrivedAt[place]--;
            window.accept(place * plan.ports() + plan.between().source(flow), Cell.sequence(identity), cell,
                memory.flags(cell), slot);
        }
    }

    @Override
    public void onCell(final int stream, final int cell, final int flags) {
        egressOf[stream].join(sourceOf[stream], cell, flags);
    }

    @Override
    public void onGap(final int stream, final long cells) {
        egressOf[stream].onGap(sourceOf[stream]);
    }

    @Override
    public void onReset(final int stream) {
        throw new IllegalStateException("streams of a fabric are never reset: stream=" + stream);
    }

    /** Work between slots, see {@code Edge#poll}. */
    long poll(final long slot) {
        final long nowNs = System.nanoTime();
        final boolean open = plan.isOpen();
        target.poll(nowNs);
        acceptArrived(slot);
        int waiting = 0;
        for (int place = 0; place < ports.length; place++) {
            egress[place].poll(nowNs);
            ingress[place].poll(intake, slot, nowNs, open);
            waiting += ingress[place].waiting();
        }
        final long sent = intake.sent();
        // A cell that arrived and was sent on since the last poll is in no queue, but it is still under way.
        if (waiting > 0 || intake.held() > 0 || sent != sentBefore) {
            sentBefore = sent;
            horizon.set(slot + propagationSlots + 1 + AHEAD);
        }
        if (nowNs - lookedNs >= LOOK_NS) {
            look(slot, nowNs, open);
        }
        return target.until(slot, Math.min(plan.horizon(), pace.until(slot, nowNs)));
    }

    /** The slot that all banks must reach so that the cells sent by this bank arrive; any thread may call. */
    long horizon() {
        return horizon.get();
    }

    /** Cells cut; may lag. Any thread may call. */
    long cutSeen() {
        return cutSeen.get();
    }

    /** Cells that have reached a port or were lost; may lag. Any thread may call. */
    long endedSeen() {
        return endedSeen.get();
    }

    /** Whether the values of the last look were taken after the intake ended; any thread may call. */
    boolean isClosedSeen() {
        return closedSeen.get();
    }

    /** Slots done; may lag. Any thread may call. */
    long slotSeen() {
        return slotSeen.get();
    }

    /** Number of looks at the ports so far; any thread may call. */
    long looks() {
        return looks.get();
    }

    /** Time in ns in which no slot passed because nothing was under way; may lag. Any thread may call. */
    long restedNs() {
        return target.restedNs();
    }

    PacketCounts packets() {
        return packets;
    }

    PacketEgress egressOf(final int port) {
        return egress[placeOf[port]];
    }

    PacketIngress ingressOf(final int port) {
        return ingress[placeOf[port]];
    }

    /** Delivered cells that are not yet in the queue of a port, counted one by one. */
    long inWindow() {
        return arrived.count() + window.held();
    }

    int[] ports() {
        return ports;
    }

    @Override
    public String toString() {
        return "bank " + bank + ": slot=" + slotSeen() + " horizon=" + horizon() + " cut=" + cutSeen() + " ended="
            + endedSeen() + " in queues=" + intake.held() + " in window=" + inWindow();
    }

    private void free(final int cell) {
        memory.free(bank, cell);
    }

    /** Cells that the window dropped. */
    private long refused() {
        return packets.get(PacketCounter.DROPPED_BEHIND) + packets.get(PacketCounter.DROPPED_DUPLICATE)
            + packets.get(PacketCounter.DROPPED_FAR_AHEAD) + packets.get(PacketCounter.DROPPED_NO_WINDOW);
    }

    /** Gives the ports their windows, as slots pass now. */
    private void aim(final long slot, final long nowNs) {
        for (int place = target.pass(slot, nowNs) ? 0 : ports.length; place < ports.length; place++) {
            memory.shares(ports[place]).target().setWindow(target.windowSlots());
            egress[place].setMarkNs(plan.config().isMarking() ? target.windowNs() : Long.MAX_VALUE);
        }
    }

    private void look(final long slot, final long nowNs, final boolean open) {
        lookedNs = nowNs;
        aim(slot, nowNs);
        window.sweep(slot, STREAMS_PER_LOOK);
        long cut = 0;
        long ended = lost + refused();
        boolean pending = false;
        for (int place = 0; place < ports.length; place++) {
            guards[place].poll(nowNs);
            memory.collect(ports[place]);
            cut += ingress[place].cut();
            ended += egress[place].taken();
            pending |= ingress[place].pending() > 0 || egress[place].pending() > 0;
        }
        // While a port holds packets the fabric is not drained, so this reports one more cell under way.
        cutSeen.set(pending ? cut + 1 : cut);
        endedSeen.set(ended);
        slotSeen.set(slot);
        if (!open) {
            closedSeen.set(true);
        }
        looks.set(looks.get() + 1);
        if (nowNs - shownNs >= SHOW_NS) {
            shownNs = nowNs;
            for (final int port : ports) {
                plan.watch().onPort(port);
            }
            plan.watch().onBank(bank, slot);
        }
    }
}
