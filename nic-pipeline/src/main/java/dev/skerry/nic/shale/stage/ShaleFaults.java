package dev.skerry.nic.shale.stage;

import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleToken;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.LinkFaults;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.nic.shale.stage.ShaleBank.Losses;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Applies the faults of a run to the NICs of a bank of Shale's nodes. One pass covers what was sent: links that are
 * down send nothing or probes, and the medium loses and damages cells. A second pass covers what arrives: nodes notice
 * what is missing (docs/spec/shale.md §8.1). A bank has it only if there is a plan of faults. The stages between the
 * two passes are the same for every bank.
 *
 * <p>A loss in flight is silence to its receiver. So is damage: what fails the check of its header or of its frame is
 * discarded on arrival (§8.5, {@link ByteDamage}). Every node sends from slot 0 on, and every cell of those slots is
 * expected; the grace of E + P slots that §8.1 gives to a start is for clocks that start apart. One thread.
 */
final class ShaleFaults {
    /** Epochs within which a repaired link is found; also the period of checks for flows without a path. */
    private static final int PATIENT_EPOCHS = 256;

    private final NodeRange range;
    private final Shale shale;
    private final Phased schedule;
    private final SlotMath numbers;
    private final FaultState state;
    private final LinkFailures failures;
    private final LinkFaults linkFaults;
    private final InFlightCells link;
    private final Losses losses;
    private final ShaleFlowScheduler scheduler;
    private final long patienceSlots;
    /** The slot of the next check for flows without a path. */
    private long nextLook;
    /** Destinations without a path at the last check, by node. */
    private final BitSet[] hopeless;
    private final boolean[] down;
    /** Nodes of a block that the stages cannot handle alone; an extra entry absorbs the last branchless write. */
    private final int[] unusual;
    private final ShaleFrame frame;
    private final ByteDamage damage;
    private long probes;
    /** Cells damaged in flight, idle ones included, whose header failed its own check. */
    private long headersDamaged;

    ShaleFaults(final NodeRange range, final Shale shale, final Faults faults, final ShaleBank.Parts parts,
        final Bank.Ends ends) {
        this.range = range;
        this.shale = shale;
        this.schedule = shale.schedule();
        this.numbers = new SlotMath(schedule, range.size());
        this.state = faults.state(shale.nodes());
        this.linkFaults = new LinkFaults(state);
        this.failures = parts.failures();
        this.link = ends.link();
        this.frame = new ShaleFrame(shale, ends.flows(), ends.store());
        this.damage = new ByteDamage(frame);
        this.losses = parts.losses();
        this.scheduler = parts.scheduler();
        this.patienceSlots = PATIENT_EPOCHS * (shale.share().slotOf(schedule.epochSlots())
            + 2L * shale.propagationSlots());
        final long patientUntil = faults.plan().faults().stream().mapToLong(Fault::slot).max().orElse(0)
            + patienceSlots;
        // Packets of ports wait for the node to which they go.
        this.nextLook = ends.flows().isOnDemand() ? Long.MAX_VALUE
            : Math.ceilDiv(patientUntil, patienceSlots) * patienceSlots;
        this.hopeless = new BitSet[range.size()];
        Arrays.setAll(hopeless, node -> new BitSet());
        this.down = new boolean[range.size()];
        this.unusual = new int[CellBatch.block(range.size()) + 1];
    }

    /** Begins and ends faults before a slot is sent; nodes that go down lose all they have. */
    void begin(final long slot) {
        failures.turnTo(slot);
        if (slot >= nextLook) {
            giveUp();
            nextLook += patienceSlots;
        }
        if (!state.turnTo(slot)) {
            return;
        }
        for (int node = 0; node < down.length; node++) {
            final boolean isDown = state.isDown(range.first() + node);
            if (isDown && !down[node]) {
                failures.onNodeDown(node);
            }
            down[node] = isDown;
        }
    }

    /**
     * Gives up the flows of nodes that are down, and flows without a path at two consecutive checks. It runs after the
     * last fault of the plan, when every repaired link has been found. Until then an application waits, however often
     * it is notified that a destination cannot be reached (docs/spec/shale.md §12).
     */
    private void giveUp() {
        for (int node = 0; node < down.length; node++) {
            final BitSet before = hopeless[node];
            final BitSet now = new BitSet();
            if (scheduler.hasFlow(node)) {
                final int from = node;
                scheduler.giveUp(node, to -> {
                    now.set(to, failures.reach().isUnreachable(from, to));
                    return down[from] || now.get(to) && before.get(to);
                });
            }
            hopeless[node] = now;
        }
    }

    /** Applies the faults to what was sent in a slot. */
    void afflict(final long slot) {
        final int inEpoch = shale.slotInEpoch(slot);
        final int firstQueue = numbers.queue(inEpoch, 0);
        final long linkAt = link.offset(slot) + (long) range.first() * InFlightCells.PLACE_BYTES;
        // All links of a node that is down are down, or do not exist; see also notice().
        if (failures.isAnyDown()) {
            probeLinksDown(firstQueue, linkAt);
        }
        // From the first fault on, every transmission is recorded: receivers report only later what is missing.
        if (!state.isCalm() || failures.keepsSent() && state.any()) {
            final int phase = numbers.phase(inEpoch);
            final int phaseLink = numbers.link(inEpoch);
            for (int node = 0; node < range.size(); node++) {
                final long at = linkAt + (long) node * InFlightCells.PLACE_BYTES;
                final int peer = schedule.peerOf(range.first() + node, phase, phaseLink);
                failures.onSent(firstQueue + node, link.route(at), peer, link.feedback(at));
                play(node, peer, at);
            }
        }
    }

    private void probeLinksDown(final int firstQueue, final long linkAt) {
        for (int node = 0; node < range.size(); node++) {
            final int queue = firstQueue + node;
            final long at = linkAt + (long) node * InFlightCells.PLACE_BYTES;
            if (down[node]) {
                silence(at);
            } else if (!failures.reach().isUp(queue) && failures.exists(queue)) {
                probe(at, failures.probe(queue));
            }
        }
    }

    /**
     * Handles faults before the arrivals of a block of nodes: notices what is missing, handles what the stages cannot,
     * and replaces it by an idle cell.
     *
     * @param inEpoch position in the epoch of the receivers' links back to the senders.
     * @param first   first node of the block.
     * @param count   nodes of the block.
     * @param arrived offsets of their cells.
     */
    void notice(final int inEpoch, final int first, final int count, final long[] arrived) {
        int some = 0;
        for (int i = 0; i < count; i++) {
            final long route = link.route(arrived[i]);
            unusual[some] = i;
            some += route == Route.SILENCE || route == Route.PROBE
                || !failures.isUsual(numbers.queue(inEpoch, first + i), first + i, route) ? 1 : 0;
        }
        for (int k = 0; k < some; k++) {
            final int i = unusual[k];
            final int node = first + i;
            final long at = arrived[i];
            final long route = link.route(at);
            if (down[node]) {
                if (Route.isCell(route)) {
                    losses.onDrop(node, link.cell(at), NicCounter.DROPPED_NODE_DOWN);
                }
                link.sendIdle(at, InFlightCells.NO_FEEDBACK);
            } else if (route == Route.SILENCE) {
                link.sendIdle(at, InFlightCells.NO_FEEDBACK);
                failures.onMiss(node, inEpoch);
            } else if (route == Route.PROBE) {
                link.sendIdle(at, InFlightCells.NO_FEEDBACK);
                failures.onProbe(node, inEpoch, link.cell(at));
            } else {
                takeIn(node, inEpoch, at, route);
            }
        }
    }

    /** Returns a count of this object or of its failures; 0 for other counters. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_DAMAGED -> linkFaults.damaged();
            case HEADERS_DAMAGED -> headersDamaged;
            case PROBES_SENT -> probes;
            default -> failures.count(counter);
        };
    }

    private void takeIn(final int node, final int inEpoch, final long at, final long route) {
        failures.onCell(node, inEpoch);
        final boolean isUp = failures.reach().isUp(numbers.queue(inEpoch, node));
        final boolean passes = Route.isCell(route) && Route.destination(route) != range.first() + node;
        if (isUp) {
            if (passes && Route.sprays(route) == 0 && failures.takeInBlocked(node, route, link.cell(at))) {
                link.sendIdle(at, link.feedback(at));
            }
            return;
        }
        failures.ignore(link.feedback(at));
        if (passes) {
            failures.takeIn(node, route, link.cell(at));
            link.sendIdle(at, InFlightCells.NO_FEEDBACK);
        } else {
            link.send(at, route, link.cell(at), InFlightCells.NO_FEEDBACK);
        }
    }

    /** Applies the faults of the path to a cell from one node to another. */
    private void play(final int node, final int peer, final long at) {
        final int id = range.first() + node;
        final long route = link.route(at);
        if (route == Route.SILENCE) {
            return;
        }
        final LinkFaults.Fate fate = linkFaults.fate(id, peer, id, 0, Route.isCell(route));
        if (fate == LinkFaults.Fate.DAMAGED) {
            frame.sent(id, route, link.cell(at), link.feedback(at));
            headersDamaged += damage.damage(linkFaults.noise(id, 0)) == HeaderFault.NONE ? 0 : 1;
        }
        if (fate != LinkFaults.Fate.INTACT) {
            if (Route.isCell(route)) {
                losses.onDrop(node, link.cell(at), switch (fate) {
                    case LOST -> NicCounter.DROPPED_ON_WAY;
                    case OUT_OF_WINDOW -> NicCounter.GUARD_VIOLATION;
                    default -> NicCounter.DROPPED_DAMAGED;
                });
            }
            silence(at);
        }
    }

    private void probe(final long at, final long says) {
        if (says < 0) {
            silence(at);
        } else {
            probes++;
            link.send(at, Route.PROBE, says, InFlightCells.NO_FEEDBACK);
        }
    }

    private void silence(final long at) {
        link.send(at, Route.SILENCE, 0, InFlightCells.NO_FEEDBACK);
    }

    /**
     * A transmission of Shale as bytes (docs/spec/shale.md §8.5): the header is written by its codec, and the payload
     * is that of the cell if the run keeps payloads. One bank, one thread.
     */
    static final class ShaleFrame implements ByteDamage.Frame {
        /** Bytes of a cell, header and payload. */
        static final int CELL_BYTES = 256;

        private final ShaleHeader header;
        private final Population population;
        private final FlowSet flows;
        private final PayloadStore store;
        private int id;
        private long route;
        private long cell;
        private long feedback;

        /**
         * Creates a frame before anything was sent.
         *
         * @param shale the fabric.
         * @param flows flows, which give the source of a cell.
         * @param store payloads.
         */
        ShaleFrame(final Shale shale, final FlowSet flows, final PayloadStore store) {
            this.header = ShaleHeader.forFabric(shale.nodes(), shale.schedule().phases(), true);
            this.population = shale.population();
            this.flows = flows;
            this.store = store;
        }

        /**
         * Sets the transmission.
         *
         * @param from         the node.
         * @param routeWord    the route word of a cell, an idle cell or a probe.
         * @param cellWord     the cell word.
         * @param feedbackWord the feedback word.
         */
        void sent(final int from, final long routeWord, final long cellWord, final long feedbackWord) {
            id = from;
            route = routeWord;
            cell = cellWord;
            feedback = feedbackWord;
        }

        @Override
        public int cellBytes() {
            return CELL_BYTES;
        }

        @Override
        public void writeTo(final MemorySegment frame) {
            final int first = token((int) feedback);
            final int second = token((int) (feedback >>> Integer.SIZE));
            final MemorySegment payload = frame.asSlice(header.layout().headerBytes());
            payload.fill((byte) 0);
            if (!Route.isCell(route)) {
                header.encodeDummy(frame, 0, id, first, second);
                return;
            }
            final long identity = store.identify(cell);
            store.copy(cell, payload);
            header.encode(frame, 0, population.nodeOf(flows.source(Cell.flow(identity))), Route.destination(route),
                Route.sprays(route), Cell.sequence(identity), first, second);
        }

        @Override
        public HeaderFault check(final MemorySegment frame) {
            return header.check(frame, 0);
        }

        /**
         * Returns the token of a notice. A missing cell is encoded as a token of the peer itself, of which there are no
         * others.
         */
        private static int token(final int notice) {
            if (notice == (int) InFlightCells.NO_FEEDBACK) {
                return ShaleToken.NONE;
            }
            return FailureNotices.isToken(notice) ? ShaleToken.of(Route.bucketDestination(notice),
                notice & Route.MAX_SPRAYS) : notice;
        }
    }
}
