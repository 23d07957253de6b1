package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.PairStreams.ParkedCells;
import dev.skerry.nic.shoal.ShoalFailures.Bootstrap;
import dev.skerry.nic.shoal.ShoalFailures.ControlCells;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The parts of a fabric for an engine, for Shoal. If something can fail or flows have traffic classes, banks handle
 * both.
 *
 * @param fabric       the fabric.
 * @param countsParked whether cells that wait for earlier ones are counted, if nothing can fail and the table for it is
 *                     small enough ({@link PairStreams#fits}).
 */
public record ShoalParts(Shoal fabric, boolean countsParked) implements FabricParts {
    /** Larger than the length of any queue. */
    private static final int MOST_REPORT = 1 << 28;

    /** Creates the parts without a count of the cells that wait for others. */
    public ShoalParts(final Shoal fabric) {
        this(fabric, false);
    }

    private boolean countsParked(final Traffic traffic) {
        return countsParked && !resends(traffic) && !traffic.flows().isOnDemand()
            && !traffic.flows().isOpen() && PairStreams.fits(traffic.flows(), fabric.nodes());
    }

    @Override
    public void check(final Traffic traffic) {
        Bounds.refuseIf(resends(traffic) && !fabric.rule().isGuarded(),
            "this rule supports neither faults nor traffic classes: rule=", fabric.rule().label());
        checkFlows(traffic);
    }

    private void checkFlows(final Traffic traffic) {
        final FlowSet flows = traffic.flows();
        Bounds.refuseIf(fabric.flowOrder() == FlowOrder.SHORTEST && flows.isOnDemand(),
            "flows on demand have no known length: flowOrder=", fabric.flowOrder().label());
        Bounds.refuseIf(fabric.failedNodes() > 0 && resends(traffic),
            "nodes that are down from the start cannot be combined with faults or traffic classes: failedNodes=",
            fabric.failedNodes());
        for (int flow = 0; flow < flows.size(); flow++) {
            if (Math.min(flows.source(flow), flows.destination(flow)) < fabric.failedNodes()) {
                throw new IllegalArgumentException("a flow has a failed node at one end: flow=" + flows.id(flow)
                    + " source=" + flows.source(flow) + " destination=" + flows.destination(flow) + " failedNodes="
                    + fabric.failedNodes());
            }
        }
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return traffic.mayFail() || traffic.flows().classes() > 1;
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return ShoalBank.bytes(fabric, traffic.flows()) + (resends(traffic)
            ? ShoalFailures.bytes(fabric, traffic.flows(), fabric.cellsInSlot() * window) : 0)
            + (countsParked(traffic) ? PairStreams.bytes(traffic.flows(), fabric.nodes()) : 0);
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        final PairStreams streams = countsParked(traffic) ? new PairStreams(arena, traffic.flows(), fabric.nodes())
            : null;
        final ShoalFailures.Shared shared = resends(traffic) ? new ShoalFailures.Shared(traffic.faults(),
            Bootstrap.of(traffic.faults(), fabric.nodes(), fabric.firstSlot()),
            new ControlCells(arena, fabric.nodes(), fabric.cellsInSlot() * window, link)) : null;
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                return new ShoalBank(arena, range, fabric, streams == null ? ends : new Bank.Ends(ends.flows(),
                    ends.flowTable(), ends.link(), ends.circuits(), new ParkedCells(ends.store(), streams)), shared);
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                final int source = ClassedCell.source(route);
                final int number = ClassedCell.trafficClass(route);
                return source < fabric.nodes() && ShoalCell.destination(route) < fabric.nodes()
                    && number < traffic.flows().classes()
                    && (int) route == (int) ClassedCell.of(source, ShoalCell.destination(route), number);
            }

            /**
             * Accepts a report that fits in a header; for the other rules the lengths of queues, of which one rule has
             * two.
             */
            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return fabric.rule().isGuarded() ? (feedback & ~ReportWord.HEADER_BITS) == 0
                    : isReport((int) feedback) && isReport((int) (feedback >>> Integer.SIZE));
            }

            private static boolean isReport(final int half) {
                return half >= -1 && half <= MOST_REPORT;
            }
        };
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return new RoundRobinArrivals(fabric.schedule(), link);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        return new ShoalLaws(fabric, banks, link);
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new ShoalNodeProbes((ShoalBank) bank, fabric, node);
    }

    @Override
    public NodeRegisters registers(final Bank bank, final int node) {
        return new ShoalNodeRegisters(fabric, (ShoalBank) bank, node);
    }

    @Override
    public long readIfDamaged() {
        return ReportWord.HEADER_BITS;
    }

    /**
     * Signals of a Shoal node. Of each link: the length of its queue, its first entry, its load (Eq. 6), the flow of
     * its local cell, the queues that the neighbour's last two cells joined, and the place where the next search
     * begins. Of the node: its cells held, active flows and counts. With traffic classes these are of the highest one;
     * the lengths and first entries of the other queues follow, and a joined queue is its link plus 1,024 times its
     * class.
     */
    private static final class ShoalNodeProbes extends NodeProbes {
        private static final List<Signal> OF_LINK = List.of(new Signal("length", 16), new Signal("head", 64),
            new Signal("load", 16), new Signal("local", 16), new Signal("joined", 16), new Signal("joined_before", 16),
            new Signal("turn", 16));
        private static final int NONE = -1;
        /** Number of signals of each class after the first. */
        private static final int OF_CLASS = 2;

        private final ShoalBank bank;
        private final int node;

        ShoalNodeProbes(final ShoalBank bank, final Shoal shoal, final int node) {
            super(bank, node, shoal.nodes() - 1, signals(bank.parts().queues().length), "active_flows");
            this.bank = bank;
            this.node = node;
        }

        private static List<Signal> signals(final int classes) {
            final List<Signal> signals = new ArrayList<>(OF_LINK);
            for (int number = 1; number < classes; number++) {
                signals.add(new Signal("length_class" + number, 16));
                signals.add(new Signal("head_class" + number, 64));
            }
            return signals;
        }

        @Override
        protected long active() {
            return bank.parts().scheduler().active.size(node);
        }

        @Override
        protected long ofLink(final int link, final int which) {
            final int others = Math.max(which - OF_LINK.size(), 0);
            final ShoalQueues queues = bank.parts().queues()[which < OF_LINK.size() ? 0 : 1 + others / OF_CLASS];
            final int queue = queues.queue(link, node);
            return switch (which < OF_LINK.size() ? which : others % OF_CLASS) {
                case 0 -> queues.length(queue);
                case 1 -> queues.length(queue) == 0 ? NONE : queues.first(queue);
                case 2 -> queues.load(queue);
                case 3 -> queues.local(queue);
                case 4 -> noneIf(queues.noLink(), bank.parts().joined().last(link, node));
                case 5 -> noneIf(queues.noLink(), bank.parts().joined().before(link, node));
                default -> queues.turn(queue);
            };
        }

        private static long noneIf(final int noLink, final int link) {
            return link == noLink ? NONE : link;
        }

        /** Returns the cells of all classes, the highest first. */
        @Override
        public long[] queue(final int link) {
            final LongStream.Builder words = LongStream.builder();
            for (final ShoalQueues queues : bank.parts().queues()) {
                queues.forEach(queues.queue(link, node), (word, cell) -> words.add(word));
            }
            return words.build().toArray();
        }
    }

    /** Shoal's circuits in lock step: the receiver computes its sender from the schedule. One thread. */
    private static final class RoundRobinArrivals implements ArrivalMap {
        private final RoundRobin schedule;
        private final InFlightCells link;
        private final EpochClock clock;

        /** Creates the map of all cells in flight. */
        RoundRobinArrivals(final RoundRobin schedule, final InFlightCells link) {
            this.schedule = schedule;
            this.link = link;
            this.clock = new EpochClock(schedule.epochSlots());
        }

        @Override
        public void read(final long sent, final int channel, final int firstId, final int count, final Received into) {
            clock.turnTo(sent);
            final int inEpoch = clock.inEpoch;
            final int nodes = schedule.nodes();
            if (schedule.endSenderAt(channel, inEpoch) - schedule.firstSenderAt(channel, inEpoch) < nodes) {
                ArrivalMap.super.read(sent, channel, firstId, count, into);
                return;
            }
            // All senders are shifted by the same number: two runs, up to the last node and from the first one on.
            final int below = firstId - schedule.shiftAt(channel, inEpoch);
            final int sender = below >= 0 ? below : below + nodes;
            final int before = Math.min(count, nodes - sender);
            final long linkAt = link.offset(sent) + (long) channel * nodes * InFlightCells.PLACE_BYTES;
            link.read(linkAt + (long) sender * InFlightCells.PLACE_BYTES, 0, before, into.route(), into.cell(),
                into.feedback());
            link.read(linkAt, before, count, into.route(), into.cell(), into.feedback());
        }

        @Override
        public void arrivals(final long sent, final int channel, final int firstId, final int count,
            final long[] places) {
            clock.turnTo(sent);
            final int inEpoch = clock.inEpoch;
            final int nodes = schedule.nodes();
            final int shift = schedule.shiftAt(channel, inEpoch);
            final int firstSender = schedule.firstSenderAt(channel, inEpoch);
            final int endSender = schedule.endSenderAt(channel, inEpoch);
            final long linkAt = link.offset(sent) + (long) channel * nodes * InFlightCells.PLACE_BYTES;
            for (int i = 0; i < count; i++) {
                final int below = firstId + i - shift;
                final int sender = below >= 0 ? below : below + nodes;
                places[i] = sender >= firstSender && sender < endSender ? linkAt + (long) sender
                    * InFlightCells.PLACE_BYTES
                    : DARK;
            }
        }
    }
}
