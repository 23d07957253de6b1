package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.ArrivalRule.DroppedCells;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.CongestionControl.ControlFactory.BankState;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;
import dev.skerry.schedule.check.Bounds;
import org.agrona.collections.Long2LongCounterMap;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/**
 * Creates the congestion control of a bank of nodes with limited hardware (docs/spec/shale.md §9): entries of a PIEO,
 * tokens of a return FIFO, active buckets, cells of a shared FIFO, clocks of a slot. The limits wrap any other
 * congestion control, so that a run without limits executes none of their code. What finds no place overflows into slow
 * memory, is counted and comes back.
 *
 * @param limits  the limits of each node.
 * @param control the congestion control that is limited.
 */
public record LimitedControl(HostLimits limits, ControlFactory control) implements ControlFactory {
    /**
     * The capacities of the hardware of a node (docs/spec/shale.md §9.6). Immutable; any thread.
     *
     * @param pieoEntries   Q_P: entries of the PIEO of a link, at least 2.
     * @param tokenFifo     Q_T: tokens of the return FIFO of a link, at least 1.
     * @param activeBuckets A: active buckets up to which a node's own flows may activate another, at least 1.
     * @param reserve       buckets beyond A that only arriving cells may activate, at least 0.
     * @param slotClocks    clocks of a slot, at least 1.
     */
    public record HostLimits(int pieoEntries, int tokenFifo, int activeBuckets, int reserve, int slotClocks) {
        /** Stands for a number: no limit. */
        public static final int UNLIMITED = Integer.MAX_VALUE;
        /** Smallest number of entries of a PIEO: the oldest cell and one of the others in turn. */
        public static final int LEAST_ENTRIES = 2;
        /**
         * Smallest number of clocks of a slot. An idle slot takes as many: to parse what arrives, and for a PIEO
         * without an eligible entry, which answers one clock earlier. With fewer clocks, every slot would overrun, so
         * an idle fabric could not be skipped.
         */
        public static final int LEAST_CLOCKS = 1 + 6;
        /** No limits: everything is counted and nothing overflows. */
        public static final HostLimits NONE = new HostLimits(UNLIMITED, UNLIMITED, UNLIMITED, 0, UNLIMITED);

        /** Checks the bounds. */
        public HostLimits {
            Bounds.refuseIf(pieoEntries < LEAST_ENTRIES || tokenFifo < 1 || activeBuckets < 1 || reserve < 0
                || slotClocks < LEAST_CLOCKS, "the minimum is two PIEO entries, one of each other resource, and ",
                LEAST_CLOCKS, " clocks per slot: "
                    + "pieoEntries=", pieoEntries, " tokenFifo=", tokenFifo, " activeBuckets=",
                activeBuckets, " reserve=", reserve, " slotClocks=", slotClocks);
        }

        /** Returns the number of buckets for which the table of a node has room: A and the reserve. */
        public int tableBuckets() {
            return (int) Math.min(UNLIMITED, (long) activeBuckets + reserve);
        }
    }

    /** Tells whether tokens are spent and returned; without them only PIEOs, cell FIFOs and clocks are counted. */
    public boolean hasTokens() {
        return control == HopByHop.FACTORY;
    }

    @Override
    public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
        return new HostControl(limits, shale, nodes, control.begin(arena, shale, nodes, pool),
            hasTokens());
    }

    @Override
    public void check(final Shale shale, final Traffic traffic) {
        control.check(shale, traffic);
        Bounds.refuseIf(traffic.mayFail(), "limits of nodes cannot be combined with faults during a run");
        Bounds.refuseIf(limits.pieoEntries() != HostLimits.UNLIMITED
            && shale.mechanisms().order() != QueueOrder.ARRIVAL,
            "a PIEO with a limited size supports only the order of arrival: mechanisms=", shale.mechanisms());
    }

    @Override
    public long bytes(final Shale shale, final int nodes) {
        return control.bytes(shale, nodes);
    }

    @Override
    public FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
        final FabricLaws ofControl = control.laws(shale, banks.stream().map(bank -> new BankState(
            ((HostControl) bank.control()).control, bank.queues(), bank.reach(), bank.range())).toList(), link);
        return slot -> {
            ofControl.check(slot);
            banks.forEach(bank -> new LimitAudit(limits, hasTokens(), slot, bank).check(shale.schedule().epochSlots()));
        };
    }

    /**
     * Checks the laws of limits after a slot (docs/spec/shale.md §9.6) against the queues, tokens and buckets of the
     * limited congestion control. No more places are in use than exist. What overflowed is still outside or came back.
     * Inside and outside together are everything. One thread.
     *
     * @param limits    the limits of each node.
     * @param hasTokens whether tokens are used.
     * @param slot      the slot.
     * @param bank      the nodes.
     */
    private record LimitAudit(HostLimits limits, boolean hasTokens, long slot, BankState bank) {
        private static final int OWED = 1;

        /**
         * Checks all nodes.
         *
         * @param links links of a node.
         * @throws IllegalStateException if a law is broken.
         */
        void check(final int links) {
            final HostControl host = (HostControl) bank.control();
            final int nodes = bank.range().size();
            long entries = 0;
            long tokens = 0;
            long buckets = 0;
            for (int node = 0; node < nodes; node++) {
                for (int link = 0; link < links; link++) {
                    final int queue = link * nodes + node;
                    within("PIEO entries", node, link, host.pieo.inside(queue), limits.pieoEntries());
                    same("cells of a queue", node, link, bank.queues().length(queue),
                        host.pieo.inside(queue) + (long) host.pieo.outside(queue));
                    within("tokens of a FIFO", node, link, host.fifos.inside(queue), limits.tokenFifo());
                    same("tokens owed", node, link, hasTokens ? host.probe(node, link, OWED) : 0,
                        host.fifos.inside(queue) + (long) host.fifos.outside(queue));
                    entries += host.pieo.outside(queue);
                    tokens += host.fifos.outside(queue);
                }
                same("active buckets", node, 0, host.activeBuckets(node), host.buckets.reasons.size(node));
                within("active buckets", node, 0, host.buckets.reasons.size(node) - host.buckets.outside(node),
                    limits.tableBuckets());
                buckets += host.buckets.outside(node);
            }
            same("PIEO overflow", 0, 0, host.pieo.overflowed - host.pieo.returned, entries);
            same("token overflow", 0, 0, host.fifos.overflowed - host.fifos.returned, tokens);
            same("bucket overflow", 0, 0, host.buckets.overflowed - host.buckets.returned, buckets);
        }

        private void within(final String what, final int node, final int link, final int used, final int places) {
            if (used > places) {
                throw broken(what, node, link, used, places);
            }
        }

        private void same(final String what, final int node, final int link, final long one, final long other) {
            if (one != other) {
                throw broken(what, node, link, one, other);
            }
        }

        private IllegalStateException broken(final String what, final int node, final int link, final long is,
            final long limit) {
            return new IllegalStateException("a limit is broken: " + what + " slot=" + slot + " node="
                + (bank.range().first() + node) + " link=" + link + " counted=" + is + " against=" + limit);
        }
    }

    /**
     * The congestion control of links with limited hardware: asks the limited control for every decision and applies
     * the limits to it. All nodes take every slot; no slot is skipped. Faults are not supported. One bank, one thread.
     */
    private static final class HostControl implements CongestionControl {
        /**
         * Clocks of one operation of a PIEO: an entry is written to slow memory, or read from there and written to its
         * place.
         */
        private static final int ACCESS = 4;
        /** Depth of a FIFO of cells, in place of the links of a phase, if no tokens bound it. */
        private static final int NO_DEPTH = 1 << 20;

        private final CongestionControl control;
        private final SlotMath numbers;
        private final int ownSprays;
        private final PieoWindow pieo;
        private final TokenFifos fifos;
        private final BucketLimit buckets;
        /**
         * Cells in the FIFOs of the cell store, which the links of a phase share (docs/spec/shale.md §9.1): one FIFO
         * for each phase, next bucket and kind, spray or direct. Each is (r - 1) T cells deep, or (r - 1) T_F for cells
         * that came on their first hop. As phases are skipped, a direct FIFO may get more cells.
         */
        private final NodeCounts cells;
        private final int depth;
        private final int firstHopDepth;
        private int mostCells;
        private int mostFifos;
        private long cellsOverflowed;
        /**
         * Clocks that the pipeline of each node takes in the slot (docs/spec/shale.md §9.2, §9.3), for the cell
         * received, then for the cell sent. If that exceeds the clocks of a slot, no slot is skipped; the overrun is
         * counted.
         */
        private final int[] clocks;
        private final int slotClocks;
        private int mostClocks;
        private long overruns;
        /** Tells whether tokens are used, so that buckets are active. */
        private final boolean hasTokens;
        /** 1 for a node of a block that wants to start a cell of its own. */
        private final int[] wants;

        /**
         * Creates the hardware of a bank, empty.
         *
         * @param control   the congestion control that is limited.
         * @param hasTokens whether it spends and returns tokens.
         */
        HostControl(final HostLimits limits, final Shale shale, final int nodes, final CongestionControl control,
            final boolean hasTokens) {
            this.control = control;
            this.hasTokens = hasTokens;
            this.numbers = new SlotMath(shale.schedule(), nodes);
            this.ownSprays = shale.schedule().phases() - 1;
            this.pieo = new PieoWindow(numbers.queues(), limits.pieoEntries());
            this.fifos = new TokenFifos(control, numbers.queues(), limits.tokenFifo());
            this.buckets = new BucketLimit(limits, nodes);
            final int links = hasTokens ? shale.schedule().linksPerPhase() : NO_DEPTH;
            this.depth = links * shale.tokens();
            this.firstHopDepth = links * shale.firstHopTokens();
            this.cells = new NodeCounts(nodes);
            this.slotClocks = limits.slotClocks();
            this.clocks = new int[nodes];
            Arrays.fill(clocks, HostLimits.LEAST_CLOCKS);
            this.wants = new int[CellBatch.block(nodes)];
        }

        @Override
        public boolean trySpend(final int firstQueue, final int[] which, final int some, final Requests asks) {
            pieo.begin();
            if (!hasTokens) {
                return control.trySpend(firstQueue, which, some, asks);
            }
            final int first = numbers.nodeOf(firstQueue);
            final int[] local = asks.local();
            final int[] destinations = asks.destinations();
            for (int k = 0; k < some; k++) {
                final int i = which[k];
                wants[i] = local[i];
                local[i] = local[i] != 0 && buckets.admits(first + i, Route.bucket(destinations[i], ownSprays)) ? 1 : 0;
            }
            control.trySpend(firstQueue, which, some, asks);
            for (int k = 0; k < some; k++) {
                final int i = which[k];
                if ((local[i] & asks.paid()[i]) != 0) {
                    become(first + i, Route.bucket(destinations[i], ownSprays));
                }
                local[i] = wants[i];
            }
            return false;
        }

        @Override
        public boolean eligible(final int queue, final long entry) {
            if (!pieo.hasNext(queue)) {
                return false;
            }
            if (control.eligible(queue, entry)) {
                return true;
            }
            if (pieo.refuse(queue)) {
                final int node = numbers.nodeOf(queue);
                clocks[node] += 2 * ACCESS;
            }
            return false;
        }

        @Override
        public void onDequeue(final int queue, final long entry) {
            pieo.leaves(queue);
            control.onDequeue(queue, entry);
        }

        @Override
        public boolean admitLocal(final int queue, final int node, final int destination) {
            final int bucket = Route.bucket(destination, ownSprays);
            if (!buckets.admits(node, bucket)) {
                buckets.heldBack++;
                return false;
            }
            if (!control.admitLocal(queue, node, destination)) {
                return false;
            }
            become(node, bucket);
            return true;
        }

        /** Adds the clocks of an access to slow memory, if there was one. */
        private void access(final int node, final boolean did) {
            clocks[node] += did ? ACCESS : 0;
        }

        /** Adds a reason for a bucket of a node to be active. */
        private void become(final int node, final int bucket) {
            access(node, hasTokens && buckets.add(node, bucket));
        }

        @Override
        public void onForward(final CellBatch sent) {
            control.onForward(sent);
            for (int i = 0; i < sent.count(); i++) {
                final int node = sent.node()[i];
                final int queue = sent.queue()[i];
                clocks[node]++;
                access(node, pieo.leave(queue));
                cells.remove(node, fifo(queue, sent.word()[i]));
                owe(node, sent.word()[i]);
            }
        }

        @Override
        public void onForward(final int node, final long entry) {
            control.onForward(node, entry);
            owe(node, entry);
        }

        private void owe(final int node, final long entry) {
            if (hasTokens) {
                access(node, fifos.owe(numbers.queue(Route.owedLink(entry), node)));
            }
        }

        @Override
        public long takeFeedback(final int queue) {
            throw new IllegalStateException("links send in blocks: queue=" + queue);
        }

        /** Ends the slot of these nodes: it is the last call of the sending of a slot and comes in every slot. */
        @Override
        public void takeFeedback(final int firstQueue, final int count, final long[] into) {
            fifos.take(firstQueue, count, into);
            final int first = numbers.nodeOf(firstQueue);
            for (int i = 0; i < count; i++) {
                if (into[i] != InFlightCells.NO_FEEDBACK) {
                    access(first + i, fifos.removed(firstQueue + i, into[i]));
                }
            }
            for (int node = first; node < first + count; node++) {
                mostClocks = Math.max(mostClocks, clocks[node]);
                overruns += clocks[node] > slotClocks ? 1 : 0;
                clocks[node] = HostLimits.LEAST_CLOCKS;
            }
        }

        @Override
        public void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
            control.onArrive(first, arriving, drops);
        }

        @Override
        public void onReceive(final int firstQueue, final int first, final int[] which, final int some,
            final CellBatch joined, final long[] feedback) {
            for (int i = 0; i < joined.count(); i++) {
                final int node = joined.node()[i];
                final long word = joined.word()[i];
                final int queue = joined.queue()[i];
                // A node takes one clock for what it receives: a cell, feedback or both.
                clocks[node] += feedback[node - first] == InFlightCells.NO_FEEDBACK ? 1 : 0;
                access(node, pieo.join(queue, joined.length()[i]));
                join(node, queue, word);
                if (Route.tokens(word) > 0) {
                    become(node, Route.bucket(word));
                }
            }
            control.onReceive(firstQueue, first, which, some, joined, feedback);
            for (int k = 0; k < some; k++) {
                final int i = which[k];
                clocks[first + i]++;
                end(first + i, (int) feedback[i]);
                end(first + i, (int) (feedback[i] >>> Integer.SIZE));
            }
        }

        /** Adds a cell to the FIFO of its phase, bucket and kind. */
        private void join(final int node, final int queue, final long word) {
            final int now = cells.add(node, fifo(queue, word));
            mostCells = Math.max(mostCells, now);
            mostFifos = Math.max(mostFifos, cells.size(node));
            cellsOverflowed += now > (Route.came(word) == ownSprays ? firstHopDepth : depth) ? 1 : 0;
        }

        private int fifo(final int queue, final long word) {
            return (Route.bucket(word) << Route.DESTINATION_SHIFT | numbers.phase(numbers.positionOf(queue))) << 1
                | (Route.came(word) > 0 ? 1 : 0);
        }

        /** Removes a reason of a bucket whose token came back. */
        private void end(final int node, final int bucket) {
            if (hasTokens && bucket != NO_NOTICE) {
                access(node, buckets.remove(node, bucket));
            }
        }

        @Override
        public int maxActiveBuckets(final int node) {
            return control.maxActiveBuckets(node);
        }

        @Override
        public int activeBuckets(final int node) {
            return control.activeBuckets(node);
        }

        @Override
        public long anomalies() {
            return control.anomalies();
        }

        @Override
        public int outstanding(final int queue, final int bucket) {
            return control.outstanding(queue, bucket);
        }

        @Override
        public int budget(final int bucket) {
            return control.budget(bucket);
        }

        @Override
        public int[] owed(final int queue) {
            return control.owed(queue);
        }

        @Override
        public List<Signal> probes() {
            return control.probes();
        }

        @Override
        public long probe(final int node, final int link, final int which) {
            return control.probe(node, link, which);
        }

        @Override
        public long count(final NicCounter counter) {
            return switch (counter) {
                case PIEO_OVERFLOWS -> pieo.overflowed;
                case TOKEN_OVERFLOWS -> fifos.overflowed;
                case BUCKET_OVERFLOWS -> buckets.overflowed;
                case FIFO_OVERFLOWS -> cellsOverflowed;
                case FLOWS_HELD_BACK -> buckets.heldBack;
                case SLOT_OVERRUN -> overruns;
                case MOST_PIEO_ENTRIES -> pieo.most;
                case MOST_TOKENS_OWED -> fifos.most;
                case MOST_ACTIVE_BUCKETS -> buckets.most;
                case MOST_FIFO_CELLS -> mostCells;
                case MOST_FIFOS -> mostFifos;
                case MOST_SLOT_CLOCKS -> mostClocks;
                default -> control.count(counter);
            };
         }
    }

    /** Counts of one kind of overflow: the maximum in use, the overflows, and the returns. */
    abstract static class Overflow {
        int most;
        long overflowed;
        long returned;
    }

    /**
     * Active buckets of every node with a limited table (docs/spec/shale.md §9.4). A node's own flows may activate
     * another bucket while fewer than A are active; an arriving cell always may. A bucket activated beyond A and the
     * reserve is kept in the overflow map until another bucket leaves the table. One thread.
     */
    private static final class BucketLimit extends Overflow {
        private final int ofOwn;
        private final int table;
        /** Cells queued plus tokens outstanding, by bucket. */
        private final NodeCounts reasons;
        long heldBack;

        BucketLimit(final HostLimits limits, final int nodes) {
            this.ofOwn = limits.activeBuckets();
            this.table = limits.tableBuckets();
            this.reasons = new NodeCounts(nodes);
        }

        /** Tells whether a flow of a node may start a cell in a bucket. */
        boolean admits(final int node, final int bucket) {
            return reasons.size(node) < ofOwn || reasons.get(node, bucket) > 0;
        }

        /**
         * Adds a reason for a bucket to be active.
         *
         * @return whether the table was full.
         */
        boolean add(final int node, final int bucket) {
            final boolean overflows = reasons.add(node, bucket) == 1 && reasons.size(node) > table;
            most = Math.max(most, reasons.size(node));
            overflowed += overflows ? 1 : 0;
            return overflows;
        }

        /**
         * Removes a reason for a bucket to be active.
         *
         * @return whether another bucket entered the table.
         */
        boolean remove(final int node, final int bucket) {
            final boolean returns = reasons.remove(node, bucket) == 0 && reasons.size(node) >= table;
            returned += returns ? 1 : 0;
            return returns;
        }

        /** Returns the number of active buckets of a node outside its table. */
        int outside(final int node) {
            return Math.max(0, reasons.size(node) - table);
        }
    }

    /**
     * Counts which owed tokens of a link are in its return FIFO, if that has few places: the oldest. The others wait
     * behind it in order; one of them enters each time that the link sends. Only tokens of the FIFO leave, at most two
     * in a slot. One thread.
     */
    static final class TokenFifos extends Overflow {
        private static final long HALF = 0xFFFF_FFFFL;

        private final CongestionControl control;
        private final int places;
        /** Tokens owed, and those of them in the FIFO, by queue. */
        private final int[] owed;
        private final int[] inside;

        /**
         * Creates the FIFOs with nothing owed.
         *
         * @param control the congestion control that owes the tokens.
         * @param queues  queues of a bank.
         * @param places  places of a FIFO, at least 1.
         */
        TokenFifos(final CongestionControl control, final int queues, final int places) {
            this.control = control;
            this.places = places;
            this.owed = new int[queues];
            this.inside = new int[queues];
        }

        /**
         * Counts a token that is owed on the link of a queue.
         *
         * @return whether the FIFO was full.
         */
        boolean owe(final int queue) {
            final boolean fits = inside[queue] == owed[queue]++ && inside[queue] < places;
            most = Math.max(most, owed[queue]);
            inside[queue] += fits ? 1 : 0;
            overflowed += fits ? 0 : 1;
            return !fits;
        }

        /** Takes the tokens that consecutive queues send, as {@link Admission#takeFeedback(int, int, long[])}. */
        void take(final int firstQueue, final int count, final long[] into) {
            if (overflowed == returned) {
                control.takeFeedback(firstQueue, count, into);
                return;
            }
            for (int i = 0; i < count; i++) {
                into[i] = take(firstQueue + i);
            }
        }

        private long take(final int queue) {
            return switch (inside[queue]) {
                case 0 -> InFlightCells.NO_FEEDBACK;
                case 1 -> control.takeNotice(queue) & HALF | (long) Admission.NO_NOTICE << Integer.SIZE;
                default -> control.takeFeedback(queue);
            };
        }

        /**
         * Counts tokens that left a queue.
         *
         * @param feedback the feedback word that left.
         * @return whether another token entered the FIFO.
         */
        boolean removed(final int queue, final long feedback) {
            final int tokens = ((int) feedback == Admission.NO_NOTICE ? 0 : 1)
                + ((int) (feedback >>> Integer.SIZE) == Admission.NO_NOTICE ? 0 : 1);
            owed[queue] -= tokens;
            inside[queue] -= tokens;
            if (owed[queue] == inside[queue]) {
                return false;
            }
            inside[queue]++;
            returned++;
            return true;
        }

        /** Returns the tokens in the FIFO of a queue. */
        int inside(final int queue) {
            return inside[queue];
        }

        /** Returns the owed tokens of a queue outside its FIFO. */
        int outside(final int queue) {
            return owed[queue] - inside[queue];
        }
    }

    /**
     * Determines which entries of a send queue are in the PIEO of its link, if that has fewer places than the queue has
     * cells: the oldest in all places but the last, in which the others take turns.
     *
     * <pre>
     *   queue, oldest first:   e0  e1  e2 | e3  e4  e5  e6  e7        Q_P = 4: e0 to e2 and one of the others
     *                          all but    |     ^ place
     *                          the last   |
     * </pre>
     *
     * <p>When a cell leaves, the next oldest enters. When nothing may leave, the entry in the last place makes room for
     * the next one, from the end to the beginning. Thus each entry eventually enters even while none leaves, and the
     * fabric cannot lock up. One thread.
     */
    private static final class PieoWindow extends Overflow {
        private static final int NONE = -1;

        private final int entries;
        /** Cells, and the index of the entry in the last place, counted from the oldest, by queue. */
        private final int[] length;
        private final int[] place;
        /** The queue being searched, the entry asked for most recently, and the entry in the last place. */
        private int searched = NONE;
        private int asked;
        private int last;

        /**
         * Creates windows over empty queues.
         *
         * @param queues  queues of a bank.
         * @param entries places of a PIEO, at least 2, so that the oldest cell is always inside.
         */
        PieoWindow(final int queues, final int entries) {
            this.entries = entries;
            this.length = new int[queues];
            this.place = new int[queues];
            Arrays.fill(place, entries - 1);
        }

        /** Starts new searches. */
        void begin() {
            searched = NONE;
        }

        /**
         * Tells whether the next entry of a queue is in the PIEO; a search asks for all entries, from the oldest on.
         */
        boolean hasNext(final int queue) {
            if (queue != searched) {
                searched = queue;
                asked = NONE;
                last = place[queue];
            }
            asked++;
            return asked < entries - 1 || asked == last;
        }

        /**
         * Records that the entry asked for most recently may not leave.
         *
         * @return whether another entry takes its place.
         */
        boolean refuse(final int queue) {
            if (asked != last || length[queue] <= entries) {
                return false;
            }
            place[queue] = last + 1 < length[queue] ? last + 1 : entries - 1;
            return true;
        }

        /** Records that the entry asked for most recently leaves, before the others move up. */
        void leaves(final int queue) {
            // The entry behind it enters.
            place[queue] += asked == last ? 1 : 0;
        }

        /**
         * Records that a cell joined a queue.
         *
         * @param now cells of the queue.
         * @return whether the PIEO was full.
         */
        boolean join(final int queue, final int now) {
            length[queue] = now;
            most = Math.max(most, now);
            overflowed += now > entries ? 1 : 0;
            return now > entries;
        }

        /**
         * Records that a cell left a queue; the others move up.
         *
         * @return whether an entry outside the PIEO entered it.
         */
        boolean leave(final int queue) {
            final int left = --length[queue];
            place[queue] = place[queue] > left ? entries - 1 : Math.max(entries - 1, place[queue] - 1);
            returned += left >= entries ? 1 : 0;
            return left >= entries;
        }

        /** Returns the entries in the PIEO of a queue. */
        int inside(final int queue) {
            return Math.min(length[queue], entries);
        }

        /** Returns the entries of a queue outside its PIEO. */
        int outside(final int queue) {
            return Math.max(0, length[queue] - entries);
        }
    }

    /** Counts for every node of a bank by a key of at least 0; only counts above 0 take memory. One thread. */
    static final class NodeCounts {
        /** Counts; the node is in the upper half of the key. */
        private final Long2LongCounterMap counts = new Long2LongCounterMap(0);
        /** Keys with a count, by node. */
        private final int[] size;

        NodeCounts(final int nodes) {
            this.size = new int[nodes];
        }

        /** Returns the number of keys of a node with a count above 0. */
        int size(final int node) {
            return size[node];
        }

        /** Returns the count of a key. */
        int get(final int node, final int key) {
            return (int) counts.get(of(node, key));
        }

        /** Increments the count of a key and returns it. */
        int add(final int node, final int key) {
            final int now = (int) counts.incrementAndGet(of(node, key));
            size[node] += now == 1 ? 1 : 0;
            return now;
        }

        /** Decrements the count of a key, which is above 0, and returns it. */
        int remove(final int node, final int key) {
            if (counts.get(of(node, key)) == 0) {
                throw new IllegalStateException("nothing is counted: node of bank=" + node + " key=" + key);
            }
            final int left = (int) counts.decrementAndGet(of(node, key));
            size[node] -= left == 0 ? 1 : 0;
            return left;
        }

        private static long of(final int node, final int key) {
            return (long) node << Integer.SIZE | key;
        }
    }
}
