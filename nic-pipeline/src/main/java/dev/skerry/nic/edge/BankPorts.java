package dev.skerry.nic.edge;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Intake;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.packet.PacketCounts;
import dev.skerry.nic.packet.WindowConfig;

import java.lang.foreign.Arena;

/**
 * The ports at the nodes of one bank. The bank's thread calls, except where any thread may. A delivered cell waits in a
 * queue until the ports are polled, so delivering has no other effect. A cell travels as its handle.
 */
final class BankPorts {
    /** Slots that a bank with cells asks for beyond the arrival of its last cell. */
    private static final int AHEAD = 16;
    /** Least time between two looks at ports and streams, in ns: a look costs too much for every poll. */
    private static final long LOOK_NS = 100_000;
    private static final long SHOW_NS = 50_000_000;

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
    private final BankArrivals arrivals;
    /** Null where cells travel as handles. */
    private final NamedCells names;
    private final PacketCounts packets = new PacketCounts();
    private final Pace pace;
    private final SlotTarget target;
    private final long propagationSlots;
    private final BankProgress progress = new BankProgress();
    private final BankTasks tasks = new BankTasks();
    /** By flow that does not cross the fabric: the number of its next cell. */
    private final int[] crossed;
    private Intake intake;
    private long lookedNs;
    private long shownNs;
    private long sentBefore;
    /** Whether cells that travel by name had not come at the last look. */
    private boolean isWaitedFor;

    BankPorts(final Arena arena, final PacketEdges plan, final int bank, final int[] ports,
        final BankArrivals.Shared shared, final WindowConfig windows, final Fabric fabric) {
        this.plan = plan;
        this.bank = bank;
        this.ports = ports;
        this.memory = shared.memory();
        this.names = shared.names();
        this.propagationSlots = fabric.propagationSlots();
        this.target = new SlotTarget(plan.config(), fabric.emptySlots());
        this.guards = new PortGuard[ports.length];
        this.ingress = new PacketIngress[ports.length];
        this.egress = new PacketEgress[ports.length];
        this.placeOf = new int[plan.ports()];
        this.crossed = new int[plan.between().size() - plan.flows().size()];
        this.pace = new Pace(plan.config().slotsPerSecond());
        for (int place = 0; place < ports.length; place++) {
            placeOf[ports[place]] = place;
            guards[place] = plan.guard(ports[place]);
            ingress[place] = new PacketIngress(arena, ports[place], plan, guards[place], memory, this::cross, packets);
            egress[place] = new PacketEgress(arena, ports[place], plan, guards[place], memory, this::free, packets);
        }
        this.arrivals = new BankArrivals(arena, plan, bank, ports, egress, shared, windows, packets);
    }

    /** Connects the ports to the bank that takes their cells. */
    void join(final Intake to) {
        intake = to;
    }

    /**
     * Takes the next cell of a flow out of its queue, or takes note that one is sent again; returns what travels.
     */
    long inject(final long identity) {
        final int flow = Cell.flow(identity);
        if (names != null && !names.isNext(identity)) {
            return identity;
        }
        final int cell = ingress[placeOf[plan.between().source(flow)]].pop(plan.between().queueOf(flow));
        memory.setIdentity(cell, identity);
        if (names == null) {
            return cell;
        }
        names.add(flow, cell);
        return identity;
    }

    /** Cells of a packet for another port of the same node, the next ones of their flow, are there at once. */
    private void cross(final int flow, final int cells) {
        final int local = flow - plan.flows().size();
        for (int cell = 0; cell < cells; cell++) {
            arrivals.deliver(inject(Cell.of(flow, crossed[local]++)));
        }
    }

    /** Cells that have come or were lost. */
    BankArrivals arrivals() {
        return arrivals;
    }

    /**
     * Bytes, in whole cells, that have arrived for an endpoint and that its ports have not taken yet.
     */
    long waitingAt(final int endpoint) {
        long cells = 0;
        for (final int port : plan.between().portsAt(endpoint)) {
            cells += arrivedCells(port);
        }
        return cells * plan.config().format().payloadBytes();
    }

    /** Cells that have arrived for a port and that it has not taken yet. */
    int arrivedCells(final int port) {
        return arrivals.arrivedCells(placeOf[port]);
    }

    /** Work between slots, see {@code Edge#poll}. */
    long poll(final long slot) {
        final long nowNs = System.nanoTime();
        final boolean open = plan.isOpen();
        target.poll(nowNs);
        arrivals.poll(slot);
        int waiting = 0;
        for (int place = 0; place < ports.length; place++) {
            egress[place].poll(nowNs);
            ingress[place].poll(intake, slot, nowNs, open && guards[place].isServed());
            waiting += ingress[place].waiting();
        }
        final long sent = intake.sent();
        // A cell that arrived and was sent on since the last poll is in no queue, but it is still under way.
        if (waiting > 0 || intake.held() > 0 || sent != sentBefore || isWaitedFor) {
            sentBefore = sent;
            progress.need(slot + propagationSlots + 1 + AHEAD);
        }
        if (nowNs - lookedNs >= LOOK_NS) {
            look(slot, nowNs, open);
        }
        final long until = Math.min(plan.horizon(), pace.until(slot, nowNs));
        return target.until(slot, plan.bounds().within(until));
    }

    /** How far the bank has come; any thread may read. */
    BankProgress progress() {
        return progress;
    }

    /** Tasks for the bank's thread. */
    BankTasks tasks() {
        return tasks;
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

    int[] ports() {
        return ports;
    }

    @Override
    public String toString() {
        return "bank " + bank + ": slot=" + progress.slot() + " horizon=" + progress.horizon() + " cut="
            + progress.cut() + " ended=" + progress.ended() + " in queues=" + intake.held() + " in window="
            + arrivals.inWindow();
    }

    private void free(final int cell) {
        memory.free(bank, cell);
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
        tasks.carryOut();
        aim(slot, nowNs);
        isWaitedFor = arrivals.look(slot);
        long cut = 0;
        long ended = arrivals.ended();
        boolean pending = false;
        for (int place = 0; place < ports.length; place++) {
            guards[place].poll(nowNs);
            memory.collect(ports[place]);
            cut += ingress[place].cut();
            ended += egress[place].taken();
            pending |= ingress[place].pending() > 0 || egress[place].pending() > 0;
        }
        // While a port holds packets the fabric is not drained, so this reports one more cell under way.
        progress.show(pending ? cut + 1 : cut, ended, slot, !open);
        if (nowNs - shownNs >= SHOW_NS) {
            shownNs = nowNs;
            for (final int port : ports) {
                plan.counts(port).settle(plan.port(port).port().counts());
                plan.watch().onPort(port);
            }
            plan.watch().onBank(bank, slot);
        }
    }
}
