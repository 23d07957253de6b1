package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.FabricParts.SlotNotifications;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.ArrivalRule;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Idealised sender-driven congestion control, ISD (Shale §5.3, docs/spec/shale.md §7): the flows towards a destination
 * share a rate evenly, and every node knows their number at once. No real network can know it, so ISD runs in lock step
 * only. Combined with RD or NDP, a flow starts a cell if both allow it, and both charge it.
 *
 * @param rate   R: cells a slot that all flows towards a destination may start together; 0 for {@link #rate}.
 * @param beside control combined with this one; null for none.
 */
public record SenderDriven(double rate, EndToEndFactory beside) implements EndToEndFactory {
    /** ISD with the rate of the paper. */
    public static final SenderDriven PAPER = new SenderDriven(0);
    /**
     * Largest rate: a destination receives at most one cell a slot, and a flow cannot gain more than its largest
     * credit.
     */
    public static final double MAX_RATE = 4;

    /** Takes the place of another control. */
    static final EndToEnd ALONE = new EndToEnd() {
        @Override
        public boolean mayStart(final int flow) {
            return true;
        }

        @Override
        public void onStart(final int flow) {
        }

        @Override
        public void receive(final long slot, final QueueBank queues) {
        }
    };
    /** The rate as a multiple of the guaranteed throughput. */
    private static final double OF_GUARANTEE = 1.25;

    /** Checks the rate. */
    public SenderDriven {
        Bounds.refuseIf(!(rate >= 0 && rate <= MAX_RATE), "the rate must be 0 to ", MAX_RATE, ": rate=", rate);
    }

    /** Creates the control without another control. */
    public SenderDriven(final double rate) {
        this(rate, null);
    }

    @Override
    public <T extends EndToEndFactory> T part(final Class<T> kind) {
        return kind.isInstance(this) ? kind.cast(this) : EndToEndFactory.part(beside, kind);
    }

    @Override
    public EndToEndFactory with(final EndToEndFactory other) {
        return other instanceof final SenderDriven isd ? new SenderDriven(isd.rate, beside)
            : new SenderDriven(rate, other);
    }

    /** Returns the cells a slot that all flows towards a destination may start together: 1.25/(2h) unless given. */
    public double rate(final Shale shale) {
        return rate > 0 ? rate : OF_GUARANTEE * shale.guarantee();
    }

    @Override
    public boolean isInstant() {
        return true;
    }

    @Override
    public void check(final Traffic traffic) {
        Bounds.refuseIf(traffic.edges() != null, "ISD needs the start and the end of flows, which packets do not give");
        if (beside != null) {
            beside.check(traffic);
        }
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        final double[] credits = new double[flows.size()];
        Arrays.fill(credits, SenderControl.INACTIVE);
        return new Shares(shale, flows, rate(shale), credits, new FlowNotes(), new ArrayList<>(),
            beside == null ? null : beside.begin(arena, shale, flows, window));
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return (long) flows * Double.BYTES + (beside == null ? 0 : beside.bytes(shale, flows, window));
    }

    /**
     * Notes of flows that start or end in a slot: the destination of a flow that starts, its complement for a flow that
     * ends. Two slots, an even and an odd one, are kept, so that other banks can read one while the next is written.
     */
    static final class FlowNotes {
        private static final long NEVER = -1;

        private final int[][] of = new int[2][16];
        private final int[] count = new int[2];
        private final long[] slotOf = {NEVER, NEVER};

        /** Adds a note to a slot; slots come in order. */
        void add(final long slot, final int note) {
            final int at = (int) slot & 1;
            if (slotOf[at] != slot) {
                slotOf[at] = slot;
                count[at] = 0;
            }
            if (count[at] == of[at].length) {
                of[at] = Arrays.copyOf(of[at], 2 * count[at]);
            }
            of[at][count[at]++] = note;
        }

        /** Shows all notes of a slot. */
        void forEach(final long slot, final IntConsumer into) {
            final int at = (int) slot & 1;
            for (int i = 0; slotOf[at] == slot && i < count[at]; i++) {
                into.accept(of[at][i]);
            }
        }
    }

    /**
     * The state that the banks of a run share.
     *
     * @param rate      rate of a destination.
     * @param credits   credits by flow; a bank uses those of its own flows.
     * @param elsewhere notes of banks in other processes.
     * @param banks     all banks of the run in this process, once they have joined.
     * @param beside    state of the other control; null for none.
     */
    record Shares(Shale shale, FlowSet flows, double rate, double[] credits, FlowNotes elsewhere,
        List<SenderControl> banks, Run beside) implements Run, SlotNotifications {
        @Override
        public EndToEnd join(final Arena arena, final NodeRange range, final Bank.Ends ends,
            final CongestionControl control, final CellQueues queues) {
            banks.add(new SenderControl(this, range, beside == null ? ALONE
                : beside.join(arena, range, ends, control, queues)));
            return banks.getLast();
        }

        @Override
        public PlaceMessages messages() {
            return beside == null ? null : beside.messages();
        }

        @Override
        public SlotNotifications notes() {
            return this;
        }

        @Override
        public void show(final long slot, final IntConsumer into) {
            banks.forEach(bank -> bank.notes.forEach(slot, into));
        }

        @Override
        public void add(final long slot, final int note) {
            elsewhere.add(slot, note);
        }

        @Override
        public FabricLaws laws(final List<BankState> states) {
            final FabricLaws others = beside == null ? slot -> { } : beside.laws(states.stream().map(state ->
                new BankState(((SenderControl) state.control()).beside, state.queues(), state.ends(), state.range(),
                state.dropped())).toList());
            return slot -> {
                final int[] towards = new int[shale.nodes()];
                for (int flow = 0; flow < credits.length; flow++) {
                    towards[flows.destination(flow)] += Double.isNaN(credits[flow]) ? 0 : 1;
                }
                banks.forEach(bank -> bank.check(slot, towards));
                others.check(slot);
            };
        }
    }

    /**
     * Applies {@link SenderDriven} at the nodes of a bank. A flow starts with a credit of one cell. At the end of each
     * slot it gains the rate of its destination divided by the number of flows active towards it, up to
     * {@link #MOST_CREDIT}; a cell costs one. A flow is active from its start until its last cell is sent, anywhere in
     * the fabric: banks note flows that start and end, and each bank reads the notes of all after all have sent. Banks
     * must synchronise between sending and receiving in every slot. One thread a bank.
     */
    static final class SenderControl implements EndToEnd {
        /** Largest credit of a flow, in cells. */
        static final double MOST_CREDIT = 4;
        /** Stands for the credit of an inactive flow. No comparison with it is true. */
        static final double INACTIVE = Double.NaN;

        private final NodeRange range;
        private final Shares run;
        /** Credits by flow, {@link #INACTIVE} where the flow is not active. */
        private final double[] credits;
        /** Flows active towards a destination, and what each of them gains in a slot. */
        private final int[] active;
        private final double[] share;
        /** Flows of the bank whose credit can still grow, in no order. */
        private int[] gaining = new int[16];
        private int gains;
        /** Notes of this bank; other banks read those of the last slot. */
        private final FlowNotes notes = new FlowNotes();
        private final EndToEnd beside;
        /** The slot in which all nodes send next. */
        private long sending;

        /** Creates the control without active flows. */
        SenderControl(final Shares run, final NodeRange range, final EndToEnd beside) {
            this.run = run;
            this.range = range;
            this.beside = beside;
            this.credits = run.credits;
            this.active = new int[run.shale.nodes()];
            this.share = new double[run.shale.nodes()];
        }

        @Override
        public void onActive(final int flow) {
            credits[flow] = 1;
            notes.add(sending, run.flows.destination(flow));
            gain(flow);
            beside.onActive(flow);
        }

        @Override
        public boolean mayStart(final int flow) {
            return credits[flow] >= 1 && beside.mayStart(flow);
        }

        @Override
        public void onStart(final int flow) {
            if (credits[flow] == MOST_CREDIT) {
                gain(flow);
            }
            credits[flow]--;
            beside.onStart(flow);
        }

        @Override
        public void onDone(final int flow) {
            credits[flow] = INACTIVE;
            notes.add(sending, ~run.flows.destination(flow));
            beside.onDone(flow);
        }

        @Override
        public void onDeliver(final int node, final long identity) {
            beside.onDeliver(node, identity);
        }

        @Override
        public void send(final long slot) {
            beside.send(slot);
        }

        @Override
        public void receive(final long slot, final QueueBank queues) {
            for (final SenderControl bank : run.banks) {
                bank.notes.forEach(slot, this::count);
            }
            run.elsewhere.forEach(slot, this::count);
            sending = slot + 1;
            for (int i = 0; i < gains;) {
                final int flow = gaining[i];
                final double before = credits[flow];
                final double after = before + share[run.flows.destination(flow)];
                credits[flow] = Math.min(after, MOST_CREDIT);
                if (before < 1 && after >= 1) {
                    queues.wake(run.shale.population().nodeOf(run.flows.source(flow)) - range.first());
                }
                if (after < MOST_CREDIT) {
                    i++;
                } else {
                    gaining[i] = gaining[--gains];
                }
            }
            beside.receive(slot, queues);
        }

        @Override
        public ArrivalRule arrivals(final ArrivalRule ofLinks) {
            return beside.arrivals(ofLinks);
        }

        @Override
        public Retransmissions retransmissions() {
            return beside.retransmissions();
        }

        @Override
        public List<Signal> probes() {
            return beside.probes();
        }

        @Override
        public long probe(final int node, final int link, final int which) {
            return beside.probe(node, link, which);
        }

        @Override
        public long count(final NicCounter counter) {
            return beside.count(counter);
        }

        /** Returns the number of flows active towards a destination, according to the notes read so far. */
        int active(final int destination) {
            return active[destination];
        }

        private void count(final int note) {
            final int destination = note < 0 ? ~note : note;
            active[destination] += note < 0 ? -1 : 1;
            share[destination] = run.rate / active[destination];
        }

        private void gain(final int flow) {
            if (gains == gaining.length) {
                gaining = Arrays.copyOf(gaining, 2 * gains);
            }
            gaining[gains++] = flow;
        }

        /**
         * Checks that the counted flows are the active ones, and that credits are in their bounds.
         *
         * @param towards active flows of the fabric, by destination.
         * @throws IllegalStateException if they are not.
         */
        void check(final long slot, final int[] towards) {
            for (int destination = 0; destination < active.length; destination++) {
                Laws.brokenIf(active(destination) != towards[destination], "flows counted wrong: slot=", slot,
                    " destination=", destination, " counted=", active[destination], " active=", towards[destination]);
            }
            for (int i = 0; i < gains; i++) {
                final double credit = credits[gaining[i]];
                Laws.brokenIf(!(credit >= 0 && credit < MOST_CREDIT), "credit out of bounds: slot=", slot, " flow=",
                    run.flows.id(gaining[i]), " credit=", credit);
            }
        }
    }
}
