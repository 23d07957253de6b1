package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.ChainedFifos;
import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.ArrivalRule;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory.BankState;
import dev.skerry.nic.shale.OpenLinks;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.schedule.check.Laws;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/**
 * Receiver-driven congestion control (docs/spec/shale.md §7). With RD, a flow starts with a budget of cells, and its
 * receiver grants more with a PULL after every k cells that arrive. With NDP, in addition, a cell that arrives at a
 * full queue is trimmed to its header, and its receiver requests the cell from the source with a NACK. Cells that are
 * lost for other reasons, for instance at a dead end of the population, are not retransmitted, and their flows may wait
 * forever.
 *
 * @param cellsPerPull k: cells that a PULL grants, and cells received between two PULLs, at least 1.
 * @param rate         f: maximum number of cells per slot that a receiver requests for all its flows together; above 0,
 *     at most 1.
 * @param budget       B: cells of a flow before the first PULL; 0 for the default of {@link #budget}.
 * @param maxQueue     length of a full queue in cells; 0 for RD, which does not trim cells.
 */
public record ReceiverDriven(int cellsPerPull, double rate, int budget, int maxQueue) implements EndToEndFactory {
    /** RD with the cells per PULL of the paper, the rate of the authors' simulator and the default budget. */
    public static final ReceiverDriven RD = new ReceiverDriven(20, 1, 0, 0);
    /** NDP with the same values and the queue length of the paper. */
    public static final ReceiverDriven NDP = new ReceiverDriven(20, 1, 0, 100);

    private static final int MOST_MESSAGES = 1 << 28;

    /** Checks the bounds of every component. */
    public ReceiverDriven {
        Bounds.refuseIf(cellsPerPull < 1 || !(rate > 0 && rate <= 1) || budget < 0 || maxQueue < 0,
            "cells per PULL must be 1 or more, the rate above 0 and at most 1, budget and queue 0 or more: "
            + "cellsPerPull=", cellsPerPull, " rate=", rate, " budget=", budget, " maxQueue=", maxQueue);
    }

    /** Tells whether cells are trimmed at full queues. */
    public boolean trims() {
        return maxQueue > 0;
    }

    /**
     * Returns the number of cells of a flow before the first PULL: the given one, or else floor(4(P + r - 1) h f), but
     * at least the cells of one PULL.
     */
    public int budget(final Shale shale) {
        return budget > 0 ? budget : Math.max(cellsPerPull,
            (int) (4 * (shale.propagationSlots() + shale.schedule().linksPerPhase()) * shale.schedule().phases()
            * rate));
    }

    @Override
    public void check(final Traffic traffic) {
        Bounds.refuseIf(traffic.mayFail(), "lost messages are not repeated");
        Bounds.refuseIf(trims() && traffic.edges() != null, "a source does not keep packets for retransmission");
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        Bounds.refuseIf(budget(shale) < cellsPerPull, "a flow may start ", budget(shale),
            " cells, and its first PULL comes after ", cellsPerPull);
        final ControlChannel.MessagesInFlight link = new ControlChannel.MessagesInFlight(arena, shale, window,
            trims() ? ControlChannel.NACK : ControlChannel.PULL);
        return new Paced(this, shale, flows, link,
            Region.allocate(arena, Math.max(1, (long) flows.size()) * Integer.BYTES));
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return ControlChannel.MessagesInFlight.bytes(shale.nodes(), window) + ControlChannel.bytes(shale)
            + (long) flows * Integer.BYTES + (trims() ? (long) shale.nodes() * EligibilityQueues.QUEUE_BYTES : 0);
    }

    /**
     * The state that the banks of a run share.
     *
     * @param of      parameters of the control.
     * @param shale   the fabric.
     * @param flows   flows of the run.
     * @param link    messages in flight.
     * @param budgets cells that each flow may start before the next PULL; each entry belongs to the bank of the flow's
     *     source.
     */
    private record Paced(ReceiverDriven of, Shale shale, FlowSet flows, ControlChannel.MessagesInFlight link,
        Region budgets) implements Run {
        /** Sets the full budget of every flow. */
        Paced {
            for (int flow = 0; flow < flows.size(); flow++) {
                budgets.setInt(Region.offset(flow, Integer.BYTES), of.budget(shale));
            }
        }

        /** Returns the number of cells that a flow may start. */
        int left(final int flow) {
            return budgets.getInt(Region.offset(flow, Integer.BYTES));
        }

        /** Adds to the number of cells that a flow may start. */
        void add(final int flow, final int cells) {
            budgets.setInt(Region.offset(flow, Integer.BYTES), left(flow) + cells);
        }

        @Override
        public EndToEnd join(final Arena arena, final NodeRange range, final Bank.Ends ends,
            final CongestionControl control, final CellQueues queues) {
            return new ReceiverControl(this, arena, range, ends, control, queues);
        }

        @Override
        public PlaceMessages messages() {
            return link;
        }

        @Override
        public FabricLaws laws(final List<BankState> banks) {
            return new BudgetAudit(this, banks);
        }
    }

    /**
     * Checks the law of budgets (docs/spec/shale.md §7). The cells that a flow was granted, by its first budget and by
     * the PULLs that reached its source, equal those that it may still start plus those that it has started. Each cell
     * that it has started is exactly one of the following: received, in flight or queued, trimmed and to be
     * retransmitted, or dropped and counted.
     *
     * <p>An audit reads every queue, so it costs far more than the slot that it checks. Not thread-safe; call it while
     * no other thread uses the fabric.
     */
    private static final class BudgetAudit implements FabricLaws {
        private final Paced run;
        private final FlowSet flows;
        private final List<BankState> banks;
        /** Cells and PULLs in transit, by flow. */
        private final long[] cells;
        private final long[] pulls;
        /**
         * Cells that were trimmed and have not been retransmitted: the number found, and the number according to the
         * counters.
         */
        private long cut;
        private long cutAndNotSent;

        BudgetAudit(final Paced run, final List<BankState> banks) {
            this.run = run;
            this.flows = run.flows;
            this.banks = banks;
            this.cells = new long[flows.size()];
            this.pulls = new long[flows.size()];
        }

        @Override
        public void check(final long slot) {
            Arrays.fill(cells, 0);
            Arrays.fill(pulls, 0);
            cut = 0;
            cutAndNotSent = 0;
            for (final BankState bank : banks) {
                seeHeld(bank);
                seeInFlight(bank, slot);
            }
            long missing = 0;
            for (int flow = 0; flow < flows.size(); flow++) {
                missing += missing(flow, slot);
            }
            long dropped = 0;
            for (final BankState bank : banks) {
                dropped += bank.dropped().getAsLong();
            }
            Laws.brokenIf(cut != cutAndNotSent, "trimmed cells were not requested: slot=", slot, " counted=", cut,
                " kept=", cutAndNotSent);
            Laws.brokenIf(missing != dropped, "cells sent are neither received nor in flight: slot=", slot,
                " cells=", missing, " dropped=", dropped);
        }

        private void seeHeld(final BankState bank) {
            final int mostQueued = run.of.trims() ? run.of.maxQueue : Integer.MAX_VALUE;
            final int queues = run.shale.schedule().epochSlots() * bank.range().size();
            for (int queue = 0; queue < queues; queue++) {
                bank.queues().queues().forEach(queue, (entry, cell) -> seeCell(bank, cell));
                Laws.brokenIf(bank.queues().queues().length(queue) > mostQueued,
                    "a queue exceeds its limit: node of bank=", queue % bank.range().size(), " cells=",
                    bank.queues().queues().length(queue), " full=", mostQueued);
            }
            final ReceiverControl control = (ReceiverControl) bank.control();
            control.channel.forEach(this::seeMessage);
            final Retransmissions again = control.again;
            for (int node = 0; node < bank.range().size() && again != null; node++) {
                again.forEach(node, (destination, cell) -> seeCut(cell));
            }
            cutAndNotSent += control.count(NicCounter.CELLS_TRIMMED) - control.count(NicCounter.CELLS_RETRANSMITTED);
        }

        private void seeInFlight(final BankState bank, final long slot) {
            final InFlightCells link = bank.ends().link();
            for (long sent = Math.max(0, slot - run.shale.propagationSlots() + 1); sent <= slot; sent++) {
                for (int id = bank.range().first(); id < bank.range().end(); id++) {
                    final long at = run.link.place(sent, id);
                    if (InFlightCells.isCell(link.route(at))) {
                        seeCell(bank, link.cell(at));
                    }
                    if (run.link.word(at) != ControlChannel.MessagesInFlight.NONE) {
                        seeMessage(run.link.word(at), run.link.cell(at));
                    }
                }
            }
        }

        private void seeCell(final BankState bank, final long cell) {
            cells[Cell.flow(bank.ends().store().identify(cell))]++;
        }

        private void seeMessage(final long word, final long cell) {
            if (ControlChannel.kind(word) == ControlChannel.PULL) {
                pulls[Cell.flow(cell)]++;
            } else {
                seeCut(cell);
            }
        }

        /** Counts a cell that was trimmed and that its source has not retransmitted. */
        private void seeCut(final long cell) {
            cells[Cell.flow(cell)]++;
            cut++;
        }

        /** Returns the number of cells that a flow has started and that are neither received nor in transit. */
        private long missing(final int flow, final long slot) {
            final int k = run.of.cellsPerPull;
            final long received = banks.getFirst().ends().flowTable().received(flow);
            final long sentPulls = received / k - (received % k == 0 && received == flows.cells(flow) ? 1 : 0);
            final long started = run.of.budget(run.shale) + k * (sentPulls - pulls[flow]) - run.left(flow);
            Laws.brokenIf(run.left(flow) < 0 || started < received + cells[flow], "budget law broken: slot=", slot,
                " flow=", flows.id(flow), " started=", started, " received=", received, " under way=", cells[flow],
                " left=", run.left(flow));
            return started - received - cells[flow];
        }
    }

    /** Applies {@link ReceiverDriven} at the nodes of a bank, as sources and receivers of flows. Not thread-safe. */
    private static final class ReceiverControl implements EndToEnd, ArrivalRule, ControlChannel.Arrivals {
        private final Paced run;
        private final FlowTable table;
        private final PayloadStore store;
        private final ControlChannel channel;
        /** Congestion control of the links, and the queues that cells join. */
        private final CongestionControl control;
        private final CellQueues cells;
        /** Null if cells are not trimmed. */
        private final Retransmissions again;
        /** Set only during {@link #receive}. */
        private QueueBank queues;
        private long pulls;
        private long nacks;
        private long trimmed;

        /** Creates the control without messages. */
        ReceiverControl(final Paced run, final Arena arena, final NodeRange range, final Bank.Ends ends,
            final CongestionControl control, final CellQueues cells) {
            final SpillPool pool = new SpillPool(arena, MOST_MESSAGES);
            final double[] cost = {run.of.cellsPerPull / run.of.rate, 0, 1 / run.of.rate};
            this.run = run;
            this.table = ends.flowTable();
            this.store = ends.store();
            this.channel = new ControlChannel(arena, run.shale, range, run.link, ends.circuits(), pool, cost);
            this.control = control;
            this.cells = cells;
            this.again = run.of.trims() ? new Retransmissions(arena, range.size(), pool) : null;
        }

        @Override
        public boolean mayStart(final int flow) {
            return run.left(flow) > 0;
        }

        @Override
        public void onStart(final int flow) {
            run.add(flow, -1);
        }

        /** Sends a PULL after every k cells of a flow, except after its last cell. */
        @Override
        public void onDeliver(final int node, final long identity) {
            final int flow = Cell.flow(identity);
            final int received = table.received(flow);
            if (received % run.of.cellsPerPull == 0 && received != run.flows.cells(flow)) {
                pulls++;
                channel.start(node, ControlChannel.PULL, source(flow), Cell.of(flow, 0));
            }
        }

        private int source(final int flow) {
            return run.shale.population().nodeOf(run.flows.source(flow));
        }

        @Override
        public void send(final long slot) {
            channel.send(slot);
        }

        @Override
        public void receive(final long slot, final QueueBank queues) {
            this.queues = queues;
            channel.receive(slot, this);
            this.queues = null;
        }

        @Override
        public void onMessage(final int node, final int kind, final long cell) {
            final int flow = Cell.flow(cell);
            switch (kind) {
                case ControlChannel.PULL -> {
                    run.add(flow, run.of.cellsPerPull);
                    queues.wake(node);
                }
                case ControlChannel.DROP -> {
                    nacks++;
                    channel.start(node, ControlChannel.NACK, source(flow), cell);
                }
                default -> {
                    again.add(node, run.shale.population().nodeOf(run.flows.destination(flow)), cell);
                    queues.wake(node);
                }
            }
        }

        @Override
        public ArrivalRule arrivals(final ArrivalRule ofLinks) {
            return run.of.trims() ? this : ofLinks;
        }

        @Override
        public Retransmissions retransmissions() {
            return again;
        }

        /**
         * Returns the signals: messages that wait for the link, and messages of the node itself, which any of its links
         * may carry.
         */
        @Override
        public List<Signal> probes() {
            return List.of(new Signal("messages", 16), new Signal("own_messages", 16));
        }

        @Override
        public long probe(final int node, final int link, final int which) {
            return which == 0 ? channel.waiting(node, link) : channel.waitingOwn(node);
        }

        @Override
        public long count(final NicCounter counter) {
            return switch (counter) {
                case PULLS_SENT -> pulls;
                case NACKS_SENT -> nacks;
                case CELLS_TRIMMED -> trimmed;
                case CELLS_RETRANSMITTED -> again == null ? 0 : again.sent();
                default -> 0;
            };
        }

        /**
         * Trims cells that arrive at a full queue to their headers, which continue over the same link as DROP messages.
         * The debt to the previous hop is the same as if the cell had been sent on.
         */
        @Override
        public void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
            control.onArrive(first, arriving, drops);
            int kept = 0;
            for (int i = 0; i < arriving.count(); i++) {
                if (cells.length(arriving.queue()[i]) >= run.of.maxQueue) {
                    trim(arriving.node()[i], arriving.queue()[i], arriving.word()[i], arriving.cell()[i]);
                } else {
                    move(arriving, i, kept++);
                }
            }
            arriving.count(kept);
        }

        private static void move(final CellBatch batch, final int from, final int to) {
            batch.node()[to] = batch.node()[from];
            batch.hop()[to] = batch.hop()[from];
            batch.queue()[to] = batch.queue()[from];
            batch.word()[to] = batch.word()[from];
            batch.cell()[to] = batch.cell()[from];
        }

        private void trim(final int node, final int queue, final long entry, final long cell) {
            control.onForward(node, entry);
            channel.forward(queue, ControlChannel.message(ControlChannel.DROP, Route.destination(entry),
                Route.sprays(entry)), store.identify(cell));
            store.discard(cell);
            trimmed++;
        }
    }

    /**
     * The control channel of a bank (docs/spec/shale.md §7): every link carries one message per slot with its cell. A
     * node sends the oldest message that waits for the link, or else its own oldest message if its pacing debt permits.
     * Messages take random spraying hops, then direct hops; they need no tokens and wait in unbounded queues. Not
     * thread-safe.
     *
     * <p>A message has two words. The second one contains a flow and, if the message is about a cell, the sequence
     * number of the cell, in the layout of {@code Cell}. The first word is:
     *
     * <pre>
     *   bit 63            25 24  23 22                 3 2    0
     *      +----------------+------+--------------------+------+
     *      |        0       | kind |    destination     |  n   |   n: spraying hops left after the next arrival
     *      +----------------+------+--------------------+------+
     * </pre>
     */
    static final class ControlChannel {
        /** The receiver of a flow grants more cells to its source. */
        static final int PULL = 0;
        /** The header of a trimmed cell, on its way to the cell's destination. */
        static final int DROP = 1;
        /** The receiver of a flow requests a trimmed cell from its source. */
        static final int NACK = 2;

        private static final int KIND_SHIFT = 23;

        /** Index of the random bits of a slot for this use. */
        static final int USE = 3;
        /** Minimum debt, in slots, at which a node sends no message of its own. */
        static final double MOST_DEBT = 10;

        private final NodeRange range;
        private final Shale shale;
        private final Phased schedule;
        private final OpenLinks open;
        private final SlotMath numbers;
        private final MessagesInFlight link;
        private final ArrivalMap circuits;
        private final ChainedFifos forwarded;
        private final ChainedFifos own;
        /** Non-empty queues of messages, by queue and by node. */
        private final QueueBits waiting;
        private final QueueBits waitingOwn;
        /** Debt in slots that a node incurs by sending a message, by kind. */
        private final double[] cost;
        /** Debt of each node, and the slot in which it was computed; since then, it has decreased by one per slot. */
        private final double[] debt;
        private final long[] debtIn;
        private final long[] places;
        private final int[] joined = new int[1];

        /** Accepts messages that have arrived at their destination. */
        @FunctionalInterface
        interface Arrivals {
            void onMessage(int node, int kind, long cell);
        }

        /**
         * Creates a channel without messages.
         *
         * @param arena    arena for the memory.
         * @param shale    the fabric.
         * @param range    nodes of the bank.
         * @param link     messages in flight.
         * @param circuits circuits over which messages arrive.
         * @param pool     overflow of the queues.
         * @param cost     debt in slots that a node incurs by sending a message of its own, by kind of message.
         */
        ControlChannel(final Arena arena, final Shale shale, final NodeRange range, final MessagesInFlight link,
            final ArrivalMap circuits, final SpillPool pool, final double[] cost) {
            this.range = range;
            this.shale = shale;
            this.schedule = shale.schedule();
            this.open = new OpenLinks(shale, null);
            this.numbers = new SlotMath(schedule, range.size());
            this.link = link;
            this.circuits = circuits;
            this.forwarded = new ChainedFifos(arena, numbers.queues(), pool);
            this.own = new ChainedFifos(arena, range.size(), pool);
            this.waiting = new QueueBits(numbers.queues());
            this.waitingOwn = new QueueBits(range.size());
            this.cost = cost;
            this.debt = new double[range.size()];
            this.debtIn = new long[range.size()];
            this.places = new long[CellBatch.block(range.size())];
        }

        /** Returns the memory of all banks in bytes, without the pools. */
        static long bytes(final Shale shale) {
            return (shale.schedule().epochSlots() + 1L) * shale.nodes() * ChainedFifos.QUEUE_BYTES;
        }

        /** Adds a message that a node itself sends. */
        void start(final int node, final int kind, final int destination, final long cell) {
            own.enqueue(node, message(kind, destination, schedule.phases() - 1), cell);
            waitingOwn.set(node);
        }

        /** Adds a message to those that wait for the link of a queue. */
        void forward(final int queue, final long word, final long cell) {
            forwarded.enqueue(queue, word, cell);
            waiting.set(queue);
        }

        /** Sends the messages of a slot. */
        void send(final long slot) {
            final int inEpoch = schedule.slotInEpoch(slot);
            final int firstQueue = numbers.queue(inEpoch, 0);
            final int nodes = range.size();
            link.clear(link.place(slot, range.first()), nodes);
            for (int from = 0; from < nodes; from += Long.SIZE) {
                final long mask = nodes - from < Long.SIZE ? ~(-1L << nodes - from) : -1L;
                final long bits = (waiting.from(firstQueue + from) | waitingOwn.from(from)) & mask;
                for (long left = bits; left != 0; left &= left - 1) {
                    final int node = from + Long.numberOfTrailingZeros(left);
                    final ChainedFifos of = waiting.isSet(firstQueue + node)
                        ? takeForwarded(firstQueue + node) : takeOwn(slot, inEpoch, node);
                    if (of != null) {
                        link.send(link.place(slot, range.first() + node), of.entry(), of.payload());
                    }
                }
            }
        }

        private ChainedFifos takeForwarded(final int queue) {
            forwarded.dequeue(queue);
            if (forwarded.isEmpty(queue)) {
                waiting.clear(queue);
            }
            return forwarded;
        }

        /** Removes and returns a message of the node itself; null if it has to wait. */
        private ChainedFifos takeOwn(final long slot, final int inEpoch, final int node) {
            final double left = debt(node, slot);
            if (left >= MOST_DEBT || !isJoined(inEpoch, node)) {
                return null;
            }
            own.dequeue(node);
            if (own.isEmpty(node)) {
                waitingOwn.clear(node);
            }
            debt[node] = left + cost[kind(own.entry())];
            debtIn[node] = slot;
            return own;
        }

        /**
         * Returns the debt of a node in a slot. Whole slots are subtracted, so the result is exact and does not depend
         * on the time of earlier calls.
         */
        double debt(final int node, final long slot) {
            return Math.max(0, debt[node] - (slot - debtIn[node]));
        }

        private boolean isJoined(final int inEpoch, final int node) {
            if (shale.population().allPresent()) {
                return true;
            }
            shale.population().joined(range.first() + node, 1, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
            return joined[0] != 0;
        }

        /** Receives the messages that were sent one propagation delay before a slot. */
        void receive(final long slot, final Arrivals arrivals) {
            final long sent = slot - shale.propagationSlots();
            if (sent < 0) {
                return;
            }
            final int phase = numbers.phase(schedule.slotInEpoch(sent));
            final long slotKey = CounterRandom.slotKey(shale.seed(), slot);
            for (int first = 0; first < range.size(); first += places.length) {
                final int count = Math.min(places.length, range.size() - first);
                circuits.arrivals(sent, 0, range.first() + first, count, places);
                for (int i = 0; i < count; i++) {
                    final long word = link.word(places[i]);
                    if (word != MessagesInFlight.NONE) {
                        take(first + i, phase, slotKey, word, link.cell(places[i]), arrivals);
                    }
                }
            }
        }

        private void take(final int node, final int phase, final long slotKey, final long word, final long cell,
            final Arrivals arrivals) {
            final int id = range.first() + node;
            final int destination = Route.destination(word);
            if (destination == id) {
                arrivals.onMessage(node, kind(word), cell);
            } else if (Route.sprays(word) > 0) {
                spray(node, phase, word, cell, CounterRandom.bits(slotKey, id, USE));
            } else {
                final int next = schedule.coordinates().nextDifference(id, destination, phase);
                forward(numbers.queue(next, schedule.linkTowards(id, destination, next), node), word, cell);
            }
        }

        /**
         * Forwards a message on a spraying hop. If no link is available for this, the message restarts at the node, so
         * that no message is lost.
         */
        private void spray(final int node, final int phase, final long word, final long cell, final long random) {
            final int next = phase + 1 == schedule.phases() ? 0 : phase + 1;
            final int sprays = Route.sprays(word) - 1;
            final int chosen = open.all(node) ? CounterRandom.below(random, schedule.linksPerPhase())
                : open.any(range.first() + node, node, next, Route.destination(word), sprays, random);
            if (chosen == OpenLinks.NONE) {
                start(node, kind(word), Route.destination(word), cell);
            } else {
                forward(numbers.queue(next, chosen, node), withSprays(word, sprays), cell);
            }
        }

        /** Returns the word of a message. */
        static long message(final int kind, final int destination, final int sprays) {
            return (long) kind << KIND_SHIFT | Route.bucket(destination, sprays);
        }

        /** Returns the kind of a message. */
        static int kind(final long word) {
            return (int) (word >>> KIND_SHIFT);
        }

        /** Returns the same message with another number of spraying hops left. */
        private static long withSprays(final long word, final int sprays) {
            return word & ~(long) Route.MAX_SPRAYS | sprays;
        }

        /** Returns the number of waiting messages that a node itself sends. */
        int waitingOwn(final int node) {
            return own.length(node);
        }

        /**
         * Returns the number of messages that wait for a link, given by its position in the epoch, excluding the node's
         * own.
         */
        int waiting(final int node, final int inEpoch) {
            return forwarded.length(numbers.queue(inEpoch, node));
        }

        /** Passes every waiting message of the bank to a visitor, for audits. */
        void forEach(final CellQueues.Visitor visitor) {
            for (int queue = 0; queue < numbers.queues(); queue++) {
                forwarded.forEach(queue, visitor);
            }
            for (int node = 0; node < range.size(); node++) {
                own.forEach(node, visitor);
            }
        }

        /**
         * The control messages that accompany the cells in flight: a message of two words for each place of {@link
         * InFlightCells}, at the same offset, so that the place of a cell is also the place of its message. The
         * synchronisation of cells also orders messages.
         */
        static final class MessagesInFlight implements PlaceMessages {
            private final Shale shale;
            private final int window;
            private final int lastKind;
            private final Region words;
            private final Region cells;
            /** Empty places, as many as are cleared together. */
            private final long[] empty;

            /**
             * Creates empty places for the nodes and slots of the cells in flight; {@code lastKind} is the largest kind
             * of a message.
             */
            MessagesInFlight(final Arena arena, final Shale shale, final int window, final int lastKind) {
                this.shale = shale;
                this.window = window;
                this.lastKind = lastKind;
                this.words = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * shale.nodes() * window);
                this.cells = Region.allocate(arena, (long) InFlightCells.PLACE_BYTES * shale.nodes() * window);
                words.fill((byte) NONE);
                this.empty = new long[shale.nodes()];
                Arrays.fill(empty, NONE);
            }

            /** Returns the memory in bytes. */
            static long bytes(final int nodes, final int window) {
                return 2L * InFlightCells.PLACE_BYTES * nodes * window;
            }

            /** Returns the place of a node in a slot. */
            long place(final long slot, final int node) {
                return (slot % window * shale.nodes() + node) * InFlightCells.PLACE_BYTES;
            }

            @Override
            public boolean isMessage(final long word) {
                final int kind = kind(word);
                return kind >= PULL && kind <= lastKind
                    && word == message(kind, Route.destination(word), Route.sprays(word))
                    && shale.isBucket(Route.bucket(word));
            }

            @Override
            public void clear(final long at, final int count) {
                words.setLongs(at, empty, 0, count);
            }

            @Override
            public void send(final long at, final long word, final long cell) {
                words.setLong(at, word);
                cells.setLong(at, cell);
            }

            @Override
            public long word(final long at) {
                return words.getLong(at);
            }

            @Override
            public long cell(final long at) {
                return cells.getLong(at);
            }
        }
    }
}
