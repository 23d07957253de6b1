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
 * Makes the congestion control of a bank of nodes whose hardware is limited (docs/spec/shale.md §9): entries of a PIEO,
 * tokens of a return FIFO, active buckets, cells of a shared FIFO, clocks of a slot. The limits stand before any other
 * congestion control, so that a run without them knows nothing of them. What finds no place overflows into slow memory,
 * is counted and comes back.
 *
 * @param limits  of each node.
 * @param control what decides where there is room.
 */
public record LimitedControl(HostLimits limits, ControlFactory control) implements ControlFactory {
    /**
     * What the hardware of a node has room for (docs/spec/shale.md §9.6). Immutable; any thread.
     *
     * @param pieoEntries   Q_P: entries of the PIEO of a link, at least 2.
     * @param tokenFifo     Q_T: tokens of the return FIFO of a link, at least 1.
     * @param activeBuckets A: buckets up to which a node's own flows may make more of them active, at least 1.
     * @param reserve       buckets beyond A that only arriving cells may make active, at least 0.
     * @param slotClocks    clocks of a slot, at least 1.
     */
    public record HostLimits(int pieoEntries, int tokenFifo, int activeBuckets, int reserve, int slotClocks) {
        /** In place of a number: no limit. */
        public static final int UNLIMITED = Integer.MAX_VALUE;
        /** Least entries of a PIEO: the oldest cell, and another in turn. */
        public static final int LEAST_ENTRIES = 2;
        /**
         * Fewest clocks of a slot: an idle one takes as many, for parsing what comes and for a PIEO without an
         * eligible entry, which answers a clock earlier. With fewer, every slot would overrun, and an idle fabric would
         * have to be stepped.
         */
        public static final int LEAST_CLOCKS = 1 + 6;
        /** No limits: all is counted, nothing overflows. */
        public static final HostLimits NONE = new HostLimits(UNLIMITED, UNLIMITED, UNLIMITED, 0, UNLIMITED);

        /** Checks the bounds. */
        public HostLimits {
            Bounds.refuseIf(pieoEntries < LEAST_ENTRIES || tokenFifo < 1 || activeBuckets < 1 || reserve < 0
                || slotClocks < LEAST_CLOCKS, "a node has room for two entries and one of all else, and a slot has ",
                LEAST_CLOCKS, " clocks: pieoEntries=", pieoEntries, " tokenFifo=", tokenFifo, " activeBuckets=",
                activeBuckets, " reserve=", reserve, " slotClocks=", slotClocks);
        }

        /** Buckets that the table of a node has room for: A and the reserve. */
        public int tableBuckets() {
            return (int) Math.min(UNLIMITED, (long) activeBuckets + reserve);
        }
    }

    /** Whether tokens are spent and returned; without them only PIEOs, cell FIFOs and clocks are counted. */
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
        Bounds.refuseIf(traffic.mayFail(), "limits of nodes and faults during a run are not combined");
        Bounds.refuseIf(limits.pieoEntries() != HostLimits.UNLIMITED
            && shale.mechanisms().order() != QueueOrder.ARRIVAL,
            "a PIEO of few entries keeps the order of arrival: mechanisms=", shale.mechanisms());
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
     * The laws of limits after a slot (docs/spec/shale.md §9.6), against the queues, tokens and buckets of the
     * congestion control behind them: nothing has more places in use than there are; what overflowed is still outside
     * or came back; inside and outside together are all there is. One thread.
     *
     * @param limits    of each node.
     * @param hasTokens whether there are tokens.
     * @param slot      the slot.
     * @param bank      the nodes.
     */
    private record LimitAudit(HostLimits limits, boolean hasTokens, long slot, BankState bank) {
        private static final int OWED = 1;

        /**
         * Checks all nodes.
         *
         * @param links of a node.
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
     * A congestion control of links in hardware of limited size: asks another one whatever that is asked, and beside it
     * what the limits let pass. All nodes take every slot, none rests. Faults are not for it. One bank, one thread.
     */
    private static final class HostControl implements CongestionControl {
        /** An entry written to slow memory, or read from there and written to its place: one operation of a PIEO. */
        private static final int ACCESS = 4;
        /** In place of the links of a phase, where no tokens bound a FIFO of cells. */
        private static final int NO_DEPTH = 1 << 20;

        private final CongestionControl control;
        private final SlotMath numbers;
        private final int ownSprays;
        private final PieoWindow pieo;
        private final TokenFifos fifos;
        private final BucketLimit buckets;
        /**
         * Cells in the FIFOs of the cell store, which the links of a phase share (docs/spec/shale.md §9.1): one for
         * each phase, next bucket, and kind, spray or direct. Each is (r - 1) T cells deep, (r - 1) T_F for cells that
         * came on their first hop; as phases are skipped, a direct one may get more.
         */
        private final NodeCounts cells;
        private final int depth;
        private final int firstHopDepth;
        private int mostCells;
        private int mostFifos;
        private long cellsOverflowed;
        /**
         * By node: clocks that its pipeline takes in the slot (docs/spec/shale.md §9.2, §9.3), for the cell received,
         * then for the one sent. No slot is skipped if that is more than a slot has; it is counted.
         */
        private final int[] clocks;
        private final int slotClocks;
        private int mostClocks;
        private long overruns;
        /** Whether there are tokens, so that buckets are active. */
        private final boolean hasTokens;
        /** By node of a block: 1 for a local cell that wants to go. */
        private final int[] wants;

        /**
         * Empty hardware of a bank.
         *
         * @param control   what decides where there is room.
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

        /** Something may have gone to slow memory, or come from there. */
        private void access(final int node, final boolean did) {
            clocks[node] += did ? ACCESS : 0;
        }

        /** A bucket of a node has one more reason to be active. */
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

        /** The last call of the sending of a slot, which comes in every slot: it ends the slot of these nodes. */
        @Override
        public void takeFeedback(final int firstQueue, final int count, final long[] into) {
            fifos.take(firstQueue, count, into);
            final int first = numbers.nodeOf(firstQueue);
            for (int i = 0; i < count; i++) {
                if (into[i] != InFlightCells.NO_FEEDBACK) {
                    access(first + i, fifos.took(firstQueue + i, into[i]));
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
                // A node takes a clock for what it receives, a cell or feedback or both.
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

        /** A cell joins the FIFO of its phase, bucket and kind. */
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

        /** A token has come back: its bucket has a reason less. */
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

    /** The most that there ever was of something, what found no place, and what of that came back. */
    abstract static class Overflow {
        int most;
        long overflowed;
        long returned;
    }

    /**
     * Active buckets of every node where their table is limited (docs/spec/shale.md §9.4). A node's own flows may
     * make another bucket active while fewer than A are; an arriving cell always may. What it makes active beyond A
     * and the reserve stands in the overflow map until another bucket leaves the table. One thread.
     */
    private static final class BucketLimit extends Overflow {
        private final int ofOwn;
        private final int table;
        /** By bucket: cells queued and tokens outstanding. */
        private final NodeCounts reasons;
        long heldBack;

        BucketLimit(final HostLimits limits, final int nodes) {
            this.ofOwn = limits.activeBuckets();
            this.table = limits.tableBuckets();
            this.reasons = new NodeCounts(nodes);
        }

        /** Whether a flow of a node may start a cell in a bucket. */
        boolean admits(final int node, final int bucket) {
            return reasons.size(node) < ofOwn || reasons.get(node, bucket) > 0;
        }

        /**
         * One more reason for a bucket to be active.
         *
         * @return whether it found the table full.
         */
        boolean add(final int node, final int bucket) {
            final boolean overflows = reasons.add(node, bucket) == 1 && reasons.size(node) > table;
            most = Math.max(most, reasons.size(node));
            overflowed += overflows ? 1 : 0;
            return overflows;
        }

        /**
         * One reason less.
         *
         * @return whether another bucket came into the table.
         */
        boolean remove(final int node, final int bucket) {
            final boolean returns = reasons.remove(node, bucket) == 0 && reasons.size(node) >= table;
            returned += returns ? 1 : 0;
            return returns;
        }

        /** Active buckets of a node that are not in its table. */
        int outside(final int node) {
            return Math.max(0, reasons.size(node) - table);
        }
    }

    /**
     * Which tokens that are owed on a link are in its return FIFO, where that has few places: the oldest. The
     * others wait behind it in order; one of them comes in each time that the link sends. Only tokens of the FIFO
     * leave, two at most. One thread.
     */
    static final class TokenFifos extends Overflow {
        private static final long HALF = 0xFFFF_FFFFL;

        private final CongestionControl control;
        private final int places;
        /** By queue: tokens owed, and how many of them are in the FIFO. */
        private final int[] owed;
        private final int[] inside;

        /**
         * Nothing owed.
         *
         * @param control owes the tokens.
         * @param queues  of a bank.
         * @param places  of a FIFO, at least 1.
         */
        TokenFifos(final CongestionControl control, final int queues, final int places) {
            this.control = control;
            this.places = places;
            this.owed = new int[queues];
            this.inside = new int[queues];
        }

        /**
         * A token is owed on the link of a queue.
         *
         * @return whether it found the FIFO full.
         */
        boolean owe(final int queue) {
            final boolean fits = inside[queue] == owed[queue]++ && inside[queue] < places;
            most = Math.max(most, owed[queue]);
            inside[queue] += fits ? 1 : 0;
            overflowed += fits ? 0 : 1;
            return !fits;
        }

        /** Takes out what consecutive queues send, as {@link Admission#takeFeedback(int, int, long[])}. */
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
         * Tokens have left a queue.
         *
         * @param feedback what left.
         * @return whether another one came in.
         */
        boolean took(final int queue, final long feedback) {
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

        /** Tokens in the FIFO of a queue. */
        int inside(final int queue) {
            return inside[queue];
        }

        /** Tokens owed that are not in it. */
        int outside(final int queue) {
            return owed[queue] - inside[queue];
        }
    }

    /**
     * Which entries of a send queue are in the PIEO of its link, where that has fewer places than the queue has
     * cells: the oldest in all places but the last, in which the others take turns.
     *
     * <pre>
     *   queue, oldest first:   e0  e1  e2 | e3  e4  e5  e6  e7        Q_P = 4: e0 to e2 and one of the others
     *                          all but    |     ^ place
     *                          the last   |
     * </pre>
     *
     * A cell leaves: the next oldest comes in. Nothing may leave: the entry in the last place gives way to the next
     * one, from the end to the beginning. So each entry comes in while none leaves, and the fabric cannot lock up.
     * One thread.
     */
    private static final class PieoWindow extends Overflow {
        private static final int NONE = -1;

        private final int entries;
        /** By queue: cells, and the one in the last place, counted from the oldest. */
        private final int[] length;
        private final int[] place;
        /** The queue that is being searched, the entry that was asked last, and the one in the last place. */
        private int searched = NONE;
        private int asked;
        private int last;

        /**
         * Empty queues.
         *
         * @param queues  of a bank.
         * @param entries places of a PIEO, at least 2, so that the oldest cell is always in.
         */
        PieoWindow(final int queues, final int entries) {
            this.entries = entries;
            this.length = new int[queues];
            this.place = new int[queues];
            Arrays.fill(place, entries - 1);
        }

        /** Searches begin anew. */
        void begin() {
            searched = NONE;
        }

        /** Whether the next entry of a queue is in the PIEO; a search asks for all entries, from the oldest on. */
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
         * The entry asked last may not leave.
         *
         * @return whether another one takes its place.
         */
        boolean refuse(final int queue) {
            if (asked != last || length[queue] <= entries) {
                return false;
            }
            place[queue] = last + 1 < length[queue] ? last + 1 : entries - 1;
            return true;
        }

        /** The entry asked last leaves, before the others move up. */
        void leaves(final int queue) {
            // The one behind it comes in.
            place[queue] += asked == last ? 1 : 0;
        }

        /**
         * A cell has joined a queue.
         *
         * @param now cells of the queue.
         * @return whether it found the PIEO full.
         */
        boolean join(final int queue, final int now) {
            length[queue] = now;
            most = Math.max(most, now);
            overflowed += now > entries ? 1 : 0;
            return now > entries;
        }

        /**
         * A cell has left a queue: the others move up.
         *
         * @return whether one that had found the PIEO full came in.
         */
        boolean leave(final int queue) {
            final int left = --length[queue];
            place[queue] = place[queue] > left ? entries - 1 : Math.max(entries - 1, place[queue] - 1);
            returned += left >= entries ? 1 : 0;
            return left >= entries;
        }

        /** Entries in the PIEO of a queue. */
        int inside(final int queue) {
            return Math.min(length[queue], entries);
        }

        /** Entries of a queue that are not in its PIEO. */
        int outside(final int queue) {
            return Math.max(0, length[queue] - entries);
        }
    }

    /** Counts for every node of a bank, by a key of at least 0: only counts above 0 take a place. One thread. */
    static final class NodeCounts {
        /** By node in the upper half, then key. */
        private final Long2LongCounterMap counts = new Long2LongCounterMap(0);
        /** By node: keys with a count. */
        private final int[] size;

        NodeCounts(final int nodes) {
            this.size = new int[nodes];
        }

        /** Keys of a node with a count above 0. */
        int size(final int node) {
            return size[node];
        }

        /** The count of a key. */
        int get(final int node, final int key) {
            return (int) counts.get(of(node, key));
        }

        /** Adds one to the count of a key; returns it. */
        int add(final int node, final int key) {
            final int now = (int) counts.incrementAndGet(of(node, key));
            size[node] += now == 1 ? 1 : 0;
            return now;
        }

        /** Takes one from the count of a key, which is above 0; returns what is left. */
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
