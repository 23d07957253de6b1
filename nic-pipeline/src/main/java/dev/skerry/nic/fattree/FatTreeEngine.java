package dev.skerry.nic.fattree;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.count.SlotHistogram;
import dev.skerry.nic.count.Timeline;
import dev.skerry.nic.engine.LockStepWorkers;
import dev.skerry.nic.engine.LockStepWorkers.WorkerSums;
import dev.skerry.nic.engine.OutcomeParts;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.fattree.FatTreeBank.FatTreeEnds;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.FlowOutcomes;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.host.RenoReceiver;
import dev.skerry.nic.host.Sender;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.check.Laws;

import java.util.Arrays;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/**
 * Runs a {@link FatTree} in lock step. The devices of each tier are divided among the workers. A packet takes at least
 * the delay of a link, so workers synchronise once per stride of that many slots. The result depends only on the
 * network and the flows, not on the number of workers.
 *
 * <p>Conservation: all cells that hosts sent are delivered, counted by a named drop counter, or held.
 */
public final class FatTreeEngine implements Resumable {
    /** A run ends when no segment has arrived for this many times the maximum wait of a sender. */
    private static final int PATIENCE = 4;

    private final FatTree fabric;
    private final FlowSet flows;
    private final boolean check;
    private final CountedArena arena = new CountedArena();
    private final FatTreeEnds ends;
    private final FatTreeBank[] banks;
    private final LockStepWorkers workers;
    /** Slot of the last start of a flow or of the last fault. */
    private final long lastEvent;
    /** By worker: the slot of the last move, and the sum of moves at that time. */
    private final long[] lastMove;
    private final long[] movesThen;
    private long slots;

    /**
     * Creates a network at slot 0.
     *
     * @param flows   flows to send.
     * @param faults  faults; nodes are device numbers.
     * @param workers number of threads, 1 or more; at most one per host is used.
     * @param check   whether conservation is checked after every slot.
     * @throws IllegalArgumentException if faults name devices that do not exist.
     */
    public FatTreeEngine(final FatTree fabric, final FlowSet flows, final Faults faults, final int workers,
        final boolean check) {
        this.fabric = fabric;
        this.flows = flows;
        this.check = check;
        faults.state(fabric.clos().devices());
        final int count = Math.min(workers, fabric.nodes());
        this.ends = FatTreeEnds.of(arena, fabric, flows);
        final int[] bankOf = bankOf(fabric.clos(), count);
        final int window = Integer.highestOneBit(fabric.packetSlots() + 2 * fabric.linkSlots() + 2) << 1;
        final LinkPackets[][] links = new LinkPackets[count][count];
        for (final LinkPackets[] of : links) {
            Arrays.setAll(of, to -> new LinkPackets(window));
        }
        this.banks = new FatTreeBank[count];
        Arrays.setAll(banks, bank -> new FatTreeBank(fabric, bank, bankOf, links, ends, faults));
        this.workers = new LockStepWorkers(arena, count, fabric.linkSlots(), null, null);
        this.lastEvent = Math.max(flows.size() == 0 ? 0 : flows.startSlot(flows.size() - 1),
            faults.plan().faults().stream().mapToLong(Fault::slot).max().orElse(0));
        this.lastMove = new long[count];
        this.movesThen = new long[count];
        Arrays.fill(movesThen, -1);
    }

    /** The bank of each device: each tier is divided evenly into ranges. */
    private static int[] bankOf(final FoldedClos clos, final int banks) {
        final int[] bankOf = new int[clos.devices()];
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            final int first = clos.tierStart(tier);
            final int end = clos.tierStart(tier + 1);
            for (int device = first; device < end; device++) {
                bankOf[device] = (int) ((long) (device - first) * banks / (end - first));
            }
        }
        return bankOf;
    }

    /** Off-heap memory of a network at slot 0, in bytes. */
    public static long bytes(final FatTree fabric, final FlowSet flows) {
        return Sender.tableBytes(flows.size(), fabric.hosts()) + RenoReceiver.tableBytes(flows.size(), fabric.hosts())
            + FlowOutcomes.bytes(flows.size());
    }

    @Override
    public int threads() {
        return banks.length;
    }

    @Override
    public void run(final long slotLimit, final Watch watch) {
        go(slotLimit == 0 ? Long.MAX_VALUE : slotLimit, slotLimit == 0, watch);
        checkConserved();
    }

    /**
     * Runs a number of further slots, for callers that step a network themselves.
     *
     * @throws IllegalStateException if an invariant is broken.
     */
    public void advance(final long more) {
        go(slots + more, false, (slot, delivered, done) -> true);
    }

    private void go(final long limit, final boolean untilDone, final Watch watch) {
        slots = workers.run(slots, limit, watch, worker -> new BankWorker(worker, untilDone));
    }

    /** Number of slots that have been run. */
    public long slots() {
        return slots;
    }

    /** Bytes of a flow that have arrived, including those after a gap, without duplicates. */
    public long receivedOf(final int flow) {
        return ends.received()[flow];
    }

    /** The slot after the completion of a flow; 0 if it is not complete. */
    public long completedBefore(final int flow) {
        return ends.outcomes().completedBefore(flow);
    }

    private FatTreeBank bankOf(final int port) {
        return Arrays.stream(banks).filter(bank -> bank.queues.segments[port] != null).findFirst().orElseThrow();
    }

    @Override
    public EngineState state() {
        return new EngineState(this, arena, workers::isDone, () -> slots);
    }

    @Override
    public long count(final NicCounter counter) {
        long count = 0;
        for (final FatTreeBank bank : banks) {
            count = counter.join(count, bank.tally.count(counter));
        }
        return count;
    }

    @Override
    public long memoryBytes() {
        return arena.bytes();
    }

    @Override
    public void close() {
        arena.close();
    }

    /**
     * Checks conservation.
     *
     * @return cells held in queues and on links.
     * @throws IllegalStateException if it is broken.
     */
    public long checkConserved() {
        return conserve(slots);
    }

    /** Checks conservation before a slot that all banks have reached. */
    private long conserve(final long slot) {
        final long sent = count(NicCounter.CELLS_INJECTED);
        final long received = count(NicCounter.CELLS_DELIVERED);
        final long dropped = sum(bank -> bank.tally.dropped());
        final long held = sum(FatTreeBank::held);
        Laws.brokenIf(sent != received + dropped + held, "packets are not conserved before slot ", slot, ": sent=",
            sent, " received=", received, " dropped=", dropped, " held=", held);
        final long missing = sum(FatTreeBank::controlMissing);
        Laws.brokenIf(missing != 0, "control packets are not conserved before slot ", slot, ": missing=", missing);
        return held;
    }

    private long sum(final ToLongFunction<FatTreeBank> value) {
        return Arrays.stream(banks).mapToLong(value).sum();
    }

    @Override
    public Outcome outcome() {
        final long held = checkConserved();
        final long[] counts = Arrays.stream(NicCounter.values()).mapToLong(this::count).toArray();
        final SlotHistogram latency = new SlotHistogram();
        Outcome.Drop firstDrop = null;
        int ahead = 0;
        for (final FatTreeBank bank : banks) {
            firstDrop = Outcome.Drop.first(firstDrop, bank.tally.firstDrop());
            latency.add(bank.latency);
            ahead = Math.max(ahead, bank.hosts.maxAhead());
        }
        final int[] completed = OutcomeParts.order(IntStream.range(0, flows.size())
            .filter(flow -> completedBefore(flow) > 0), this::completedBefore, flows::destination);
        final long[] in = Arrays.stream(completed).mapToLong(flow -> completedBefore(flow) - 1).toArray();
        Arrays.stream(banks).forEach(bank -> bank.timeline.endBefore(slots));
        return new Outcome(slots, counts, firstDrop, held, sum(FatTreeBank::digest),
            ahead * Math.ceilDiv(fabric.rules().packetBytes(), fabric.cellBytes()), completed, in, nodes(),
            Timeline.merged(Arrays.stream(banks).map(bank -> bank.timeline).toArray(Timeline[]::new)), latency, null);
    }

    /** Attributes the queue of a switch port to the host that it leads to, or to the first host below the switch. */
    private Outcome.Nodes nodes() {
        final FoldedClos clos = fabric.clos();
        final Outcome.Nodes nodes = new Outcome.Nodes(new int[fabric.nodes()], new int[fabric.nodes()],
            new int[fabric.nodes()]);
        for (int port = 0; port < clos.ports(); port++) {
            if (clos.peer(port) == FoldedClos.NONE) {
                continue;
            }
            final int device = clos.deviceOf(port);
            final int cells = Math.ceilDiv(bankOf(port).queues.longest(port), fabric.cellBytes());
            if (device < clos.fas()) {
                nodes.bufferOccupancy()[device] = cells;
            } else {
                final int host = host(device, clos.deviceOf(clos.peer(port)));
                nodes.queueLength()[host] = Math.max(nodes.queueLength()[host], cells);
            }
        }
        return nodes;
    }

    private int host(final int device, final int peer) {
        int below = peer < device ? peer : device;
        while (below >= fabric.nodes()) {
            below = fabric.clos().deviceOf(fabric.clos().peer(fabric.clos().firstPort(below)));
        }
        return below;
    }

    /** Steps one bank. */
    private final class BankWorker implements LockStepWorkers.Worker {
        private final int worker;
        private final FatTreeBank bank;
        private final boolean untilDone;

        BankWorker(final int worker, final boolean untilDone) {
            this.worker = worker;
            this.bank = banks[worker];
            this.untilDone = untilDone;
        }

        @Override
        public boolean step(final long first, final long end) {
            for (long slot = first; slot < end; slot++) {
                bank.step(slot);
                final long next = slot + 1;
                if (check && !workers.await(worker, () -> conserve(next))) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void report(final WorkerSums into, final int parity, final long slot) {
            into.set(parity, worker, WorkerSums.COMPLETED, bank.tally.count(NicCounter.FLOWS_COMPLETED));
            into.set(parity, worker, WorkerSums.DELIVERED, bank.tally.count(NicCounter.CELLS_DELIVERED));
            into.set(parity, worker, WorkerSums.SETTLED, bank.tally.settled());
            into.set(parity, worker, WorkerSums.MOVES, bank.moves());
        }

        @Override
        public long idleUntil(final long slot) {
            return bank.idleUntil(slot);
        }

        @Override
        public long end(final long slot, final long settled, final long moves) {
            if (!untilDone) {
                return Long.MAX_VALUE;
            }
            lastMove[worker] = moves == movesThen[worker] ? lastMove[worker] : slot;
            movesThen[worker] = moves;
            return settled == flows.size() || slot - Math.max(lastMove[worker], lastEvent) > PATIENCE
                * (fabric.hosts().mostWaitSlots() + (fabric.emptySlots() << Reno.MAX_BACKOFF)) ? slot : Long.MAX_VALUE;
        }
    }
}
