package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.NodeMaxima.QueueMaxima;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.FabricParts.SlotNotifications;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.ControlFactory.BankState;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.LinkFailures;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.schedule.Phased;
import org.agrona.collections.Long2LongHashMap;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a fabric for an engine, for Shale.
 *
 * @param fabric the fabric.
 * @param byLink whether the longest queue of every link is counted, not only that of every node.
 */
public record ShaleParts(Shale fabric, boolean byLink) implements FabricParts {
    /** Creates the parts with only the longest queue of every node counted. */
    public ShaleParts(final Shale fabric) {
        this(fabric, false);
    }

    @Override
    public void check(final Traffic traffic) {
        if (traffic.flows().classes() > 1) {
            throw new IllegalArgumentException("only Shoal has traffic classes: classes="
                + traffic.flows().classes());
        }
        if (traffic.edges() != null && fabric.mechanisms().order().readsFlows()) {
            throw new IllegalArgumentException("priority needs the lengths of flows, which packets do not give: "
                + "mechanisms=" + fabric.mechanisms());
        }
        fabric.mechanisms().control().check(fabric, traffic);
        if (endToEnd() != null && traffic.flows().isOpen()) {
            throw new IllegalArgumentException("flows that are added during a run are not supported with "
                + fabric.mechanisms());
        }
        if (endToEnd() != null) {
            endToEnd().check(traffic);
        }
    }

    @Override
    public void checkNode() {
        if (meetsInEverySlot()) {
            throw new IllegalArgumentException("a single node cannot immediately know the flows of all others, which "
                + fabric.mechanisms() + " needs");
        }
        if (endToEnd() != null) {
            throw new IllegalArgumentException("a single node has only cells, but " + fabric.mechanisms()
                + " requires the data sent with them");
        }
    }

    private EndToEndFactory endToEnd() {
        return fabric.mechanisms().endToEnd();
    }

    @Override
    public boolean resends(final Traffic traffic) {
        return false;
    }

    @Override
    public boolean meetsInEverySlot() {
        return endToEnd() != null && endToEnd().isInstant();
    }

    @Override
    public long bytes(final Traffic traffic, final int window) {
        return ShaleBank.bytes(fabric, fabric.nodes(), traffic.flows().size())
            + ArrivalFlags.bytes(fabric.nodes(), window)
            + (traffic.mayFail() ? LinkFailures.bytes(fabric, fabric.nodes()) : 0)
            + (endToEnd() == null ? 0 : endToEnd().bytes(fabric, traffic.flows().size(), window));
    }

    @Override
    public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
        final ShaleBank.Shared shared = ShaleBank.Shared.of(arena, fabric, traffic.flows(), window);
        return new Banks() {
            @Override
            public Bank of(final NodeRange range, final Bank.Ends ends) {
                return new ShaleBank(arena, range, fabric, traffic.faults(), ends,
                    ShaleBank.Books.of(range, fabric, ends, maxima(range.size())), shared,
                    FewNodes.of(range.size(), fabric));
            }

            @Override
            public PlaceMessages messages() {
                return shared.run() == null ? null : shared.run().messages();
            }

            @Override
            public SlotNotifications notes() {
                return shared.run() == null ? null : shared.run().notes();
            }

            @Override
            public void arrived(final long slot, final int node) {
                shared.flags().setFromElsewhere((int) (slot % window), node);
            }

            @Override
            public boolean isRoute(final long slot, final long route) {
                return ShaleParts.this.isRoute(route);
            }

            @Override
            public boolean isFeedback(final long slot, final long feedback) {
                return ShaleParts.this.isFeedback(feedback, traffic.mayFail());
            }
        };
    }

    boolean isRoute(final long route) {
        return fabric.isBucket(Route.bucket(route)) && Route.forwarded(route) == route;
    }

    /** Tells whether feedback is valid: each half is none or a token; with faults it may be a notice about links. */
    boolean isFeedback(final long feedback, final boolean mayFail) {
        final int second = (int) (feedback >>> 32);
        return mayFail ? LinkFailures.isNotice(fabric, (int) feedback) && LinkFailures.isNotice(fabric, second)
            : isBucketOrNone((int) feedback) && isBucketOrNone(second);
    }

    private boolean isBucketOrNone(final int half) {
        return half == -1 || fabric.isBucket(half);
    }

    private NodeMaxima maxima(final int nodes) {
        return byLink ? new QueueMaxima(nodes, fabric.schedule().epochSlots() * nodes) : new NodeMaxima(nodes);
    }

    @Override
    public ArrivalMap scheduled(final InFlightCells link) {
        return new PhasedArrivals(fabric, link, false);
    }

    @Override
    public ArrivalMap packed(final InFlightCells link) {
        return new PhasedArrivals(fabric, link, true);
    }

    @Override
    public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
        final List<BankState> states = new ArrayList<>();
        for (final Bank bank : banks) {
            final ShaleBank nics = (ShaleBank) bank;
            states.add(new BankState(nics.parts().control(), nics.parts().queues().queues(), nics.reach(),
                nics.range()));
        }
        final FabricLaws ofPaths = new PathAudit(fabric, link, (ShaleBank) banks[0]);
        final FabricLaws ofLinks = fabric.mechanisms().control().laws(fabric, states, link);
        final FabricLaws ofFlows = endToEnd() == null ? slot -> { } : ((ShaleBank) banks[0]).run.laws(
            Arrays.stream(banks).map(bank -> ((ShaleBank) bank).endToEnd()).toList());
        return slot -> {
            ofPaths.check(slot);
            ofLinks.check(slot);
            ofFlows.check(slot);
            states.forEach(state -> checkOrder(slot, state));
        };
    }

    private static void checkOrder(final long slot, final BankState bank) {
        final int queue = bank.queues().disordered();
        if (queue >= 0) {
            throw new IllegalStateException("a queue is out of order: slot=" + slot + " node="
                + (bank.range().first() + queue % bank.range().size()) + " link=" + queue / bank.range().size());
        }
    }

    @Override
    public NodeProbes probes(final Bank bank, final int node) {
        return new ShaleNodeProbes(fabric, (ShaleBank) bank, node);
    }

    @Override
    public NodeRegisters registers(final Bank bank, final int node) {
        return new ShaleNodeRegisters(fabric, (ShaleBank) bank, node);
    }

    /**
     * Follows every cell in flight (docs/spec/shale.md §5.5 I5). A cell starts with h - 1 spraying hops, leaves the
     * node to which it went, has one spraying hop less after each, then comes closer to its destination with every hop,
     * and makes at most 2h hops. Where links fail, or cut cells are sent again, a cell may be restarted. One thread,
     * between slots.
     *
     * <p>It reads what was sent in a slot and is still in flight, so without a propagation delay it checks nothing. If
     * a slot is left out, it starts again without paths and accepts cells that started earlier at any node.
     */
    private static final class PathAudit implements FabricLaws {
        private static final long UNSEEN = -1;
        private static final int HOPS_SHIFT = 32;
        private static final int SPRAYS_SHIFT = 40;

        private final Shale shale;
        private final Phased schedule;
        private final InFlightCells link;
        private final PayloadStore store;
        private final boolean mayStartAnew;
        /** By flow and sequence number: the node to which a cell went, the hops made, the spraying hops left. */
        private final Long2LongHashMap paths = new Long2LongHashMap(UNSEEN);
        private long from;
        private long next;

        /**
         * Creates an audit with nothing in flight. One bank of the fabric gives the store of payloads, and whether
         * cells may be restarted.
         */
        PathAudit(final Shale shale, final InFlightCells link, final ShaleBank bank) {
            this.shale = shale;
            this.schedule = shale.schedule();
            this.link = link;
            this.store = bank.endToEnd().ends().store();
            this.mayStartAnew = bank.reach() != null || bank.parts().endToEnd() != null;
        }

        @Override
        public void check(final long slot) {
            if (slot != next) {
                paths.clear();
                from = slot;
            }
            next = slot + 1;
            if (!shale.share().owns(slot) || shale.propagationSlots() == 0) {
                return;
            }
            final int inEpoch = shale.slotInEpoch(slot);
            for (int id = 0; id < schedule.nodes(); id++) {
                final long at = link.offset(slot) + (long) id * InFlightCells.PLACE_BYTES;
                final long route = link.route(at);
                if (Route.isCell(route)) {
                    follow(slot, id, schedule.peerAt(id, 0, inEpoch), route, store.identify(link.cell(at)));
                }
            }
        }

        private void follow(final long slot, final int id, final int peer, final long route, final long cell) {
            final int destination = Route.destination(route);
            final int sprays = Route.sprays(route);
            final int phase = shale.slotInEpoch(slot) / schedule.linksPerPhase();
            final boolean isFirst = sprays == schedule.phases() - 1;
            final long before = paths.get(cell);
            final boolean isKnown = before != UNSEEN;
            final boolean wentHere = isKnown && (int) before == id;
            int hops = schedule.phases() - sprays;
            if (wentHere && goesOn(before, sprays, phase, peer, destination)) {
                hops = ((int) (before >>> HOPS_SHIFT) & 0xFF) + 1;
            } else if (isKnown) {
                require(mayStartAnew && isFirst, wentHere ? "does not come closer"
                    : "leaves a node that it did not go to", slot, id, peer, cell);
            } else {
                require(isFirst || slot - Route.age(route, slot) < from, "starts on its way", slot, id, peer, cell);
            }
            require(hops <= 2 * schedule.phases(), "makes too many hops", slot, id, peer, cell);
            if (peer == destination) {
                paths.remove(cell);
            } else {
                paths.put(cell, (long) sprays << SPRAYS_SHIFT | (long) hops << HOPS_SHIFT | peer);
            }
        }

        private boolean goesOn(final long before, final int sprays, final int phase, final int peer,
            final int destination) {
            final int left = (int) (before >>> SPRAYS_SHIFT);
            return left > 0 ? sprays == left - 1 : sprays == 0
                && schedule.coordinates().digit(peer, phase) == schedule.coordinates().digit(destination, phase);
        }

        private static void require(final boolean holds, final String law, final long slot, final int from,
            final int to, final long cell) {
            if (!holds) {
                throw new IllegalStateException("path law (I5) broken, a cell " + law + ": slot=" + slot + " from="
                    + from + " to=" + to + " flow=" + Cell.flow(cell) + " cell=" + Cell.sequence(cell));
            }
        }
    }

    /**
     * Shale's circuits in lock step: the receiver computes its sender from the schedule. Immutable.
     *
     * @param packs whether senders may write their cells side by side, as no receiver reads their own places.
     */
    record PhasedArrivals(Shale shale, InFlightCells link, boolean packs) implements ArrivalMap {
        @Override
        public void arrivals(final long sent, final int channel, final int firstId, final int count,
            final long[] places) {
            shale.schedule().senders(shale.slotInEpoch(sent), firstId, count, places);
            final long linkAt = link.offset(sent);
            for (int i = 0; i < count; i++) {
                places[i] = linkAt + places[i] * InFlightCells.PLACE_BYTES;
            }
        }
    }

    /**
     * The registers of a Shale node. A bucket is {@code destination * 8 + sprays}, a link its position in the epoch.
     *
     * <pre>
     *   flow7_sent                 cells of local flow 7 sent so far
     *   queue3_cells               the queue of link 3, oldest cell first, five words each:
     *                                cell | bucket after the next hop | link back | bucket now | slot in which its
     *                                source sent it
     *   queue3_owed_tokens         buckets of the tokens owed on link 3, oldest first
     *   queue3_outstanding_d5n1    tokens of bucket (5, 1) that are outstanding
     *   queue3_tokens_d5n1         tokens of it that are left: the budget minus the register above
     *   queue3_pointer             the flow at which the search for link 3 begins, -1: the first
     *   phase1_taken               with the rule of rotating ties: the link of phase 1 taken last, -1: none
     *   turn                       with flows chosen by destination: the destination at which the search begins
     * </pre>
     */
    private static final class ShaleNodeRegisters implements NodeRegisters {
        private static final Pattern NAME = Pattern.compile(
            "(queue|flow|phase)(\\d{1,9})_([a-z_]+?)(?:_d(\\d{1,7})n(\\d))?");
        private static final String TURN = "turn";
        private static final int WORDS_OF_A_CELL = 5;

        private final Shale shale;
        private final Phased schedule;
        private final ShaleBank bank;
        private final ShaleFlowScheduler flows;
        private final FlowSet set;
        private final CongestionControl tokens;
        private final LinkChoice ties;
        private final int node;

        /** A register by its kind, such as queue_cells; bucket -1 for none. */
        private record Register(String key, int number, int bucket) {
        }

        ShaleNodeRegisters(final Shale shale, final ShaleBank bank, final int node) {
            this.shale = shale;
            this.schedule = shale.schedule();
            this.bank = bank;
            this.flows = bank.parts().scheduler();
            this.set = bank.endToEnd().ends().flows();
            this.tokens = bank.parts().control();
            this.ties = bank.parts().router().ties();
            this.node = node;
        }

        private int queue(final int link) {
            return link * bank.range().size() + node;
        }

        private Register parse(final String name) {
            final Matcher of = NAME.matcher(name);
            if (of.matches()) {
                final int number = Integer.parseInt(of.group(2));
                final int bucket = of.group(4) == null ? -1 : Route.bucket(Integer.parseInt(of.group(4)),
                    Integer.parseInt(of.group(5)));
                final int most = switch (of.group(1)) {
                    case "queue" -> schedule.epochSlots();
                    case "flow" -> set.size();
                    default -> schedule.phases();
                };
                if (number < most && (bucket < 0 || shale.isBucket(bucket))) {
                    return new Register(of.group(1) + "_" + of.group(3) + (bucket < 0 ? "" : "_of_bucket"), number,
                        bucket);
                }
            } else if (name.equals(TURN)) {
                return new Register(TURN, 0, -1);
            }
            throw unknown(name);
        }

        private static IllegalArgumentException unknown(final String name) {
            return new IllegalArgumentException("no such register: name=" + name);
        }

        @Override
        public List<String> names() {
            final List<String> names = new ArrayList<>();
            for (int flow = 0; flow < set.size(); flow++) {
                if (shale.population().nodeOf(set.source(flow)) == bank.range().first() + node) {
                    names.add("flow" + flow + "_sent");
                }
            }
            for (int link = 0; link < schedule.epochSlots(); link++) {
                names.add("queue" + link + "_cells");
                if (tokens.budget(0) > 0) {
                    names.add("queue" + link + "_owed_tokens");
                    for (int bucket = 0; bucket < shale.nodes() * schedule.phases(); bucket++) {
                        names.add("queue" + link + "_outstanding_d" + bucket / schedule.phases() + "n"
                            + bucket % schedule.phases());
                    }
                }
                names.add("queue" + link + "_pointer");
            }
            for (int phase = 0; phase < schedule.phases() && ties != null && ties.remembers(); phase++) {
                names.add("phase" + phase + "_taken");
            }
            if (flows.turn(node) >= 0) {
                names.add(TURN);
            }
            return names;
        }

        @Override
        public long[] get(final String name) {
            final Register register = parse(name);
            final int number = register.number;
            return switch (register.key) {
                case "flow_sent" -> one(flows.sent(number));
                case "queue_cells" -> cells(number);
                case "queue_owed_tokens" -> Arrays.stream(tokens.owed(queue(number))).asLongStream().toArray();
                case "queue_outstanding_of_bucket" -> one(tokens.outstanding(queue(number), register.bucket));
                case "queue_tokens_of_bucket" -> one(tokens.budget(register.bucket)
                    - tokens.outstanding(queue(number), register.bucket));
                case "queue_pointer" -> one(flows.pointer(queue(number)));
                case "phase_taken" -> one(ties == null ? -1 : ties.taken(node, number));
                case TURN -> one(flows.turn(node));
                default -> throw unknown(name);
            };
        }

        private static long[] one(final long value) {
            return new long[] {value};
        }

        private long[] cells(final int link) {
            final List<long[]> words = new ArrayList<>();
            bank.parts().queues().queues().forEach(queue(link), (entry, cell) -> words.add(new long[] {cell,
                Route.bucket(entry), Route.owedLink(entry), Route.owedBucket(entry), Route.sentSlot(entry)}));
            return words.stream().flatMapToLong(Arrays::stream).toArray();
        }

        @Override
        public void set(final String name, final long... values) {
            final Register register = parse(name);
            final int number = register.number;
            if (!shale.mechanisms().control().takesRegisters() || shale.mechanisms().order() != QueueOrder.ARRIVAL
                || bank.reach() != null) {
                throw new IllegalArgumentException("registers are set with hop-by-hop tokens or none, without "
                    + "priority, limits of hardware and faults: name=" + name);
            }
            if (register.key.equals("queue_cells")) {
                setCells(number, values);
            } else if (register.key.equals("queue_owed_tokens")) {
                final int[] buckets = Arrays.stream(values).mapToInt(bucket -> bucketOf(name, bucket)).toArray();
                tokens.setOwed(queue(number), buckets);
            } else {
                if (values.length != 1) {
                    throw new IllegalArgumentException("a register of one word: name=" + name + " words="
                        + values.length);
                }
                setOne(name, register, values[0]);
            }
            bank.parts().queues().wake(node);
        }

        private void setOne(final String name, final Register register, final long value) {
            final int number = register.number;
            final int most = register.bucket < 0 ? 0 : tokens.budget(register.bucket);
            switch (register.key) {
                case "flow_sent" -> flows.setSent(number, within(name, value, 0, Integer.MAX_VALUE));
                case "queue_outstanding_of_bucket" -> tokens.setOutstanding(queue(number), node, register.bucket,
                    within(name, value, 0, most));
                case "queue_tokens_of_bucket" -> tokens.setOutstanding(queue(number), node, register.bucket,
                    most - within(name, value, 0, most));
                case "queue_pointer" -> flows.point(queue(number), within(name, value, -1, set.size() - 1));
                case "phase_taken" -> ties(name).setTaken(node, number, within(name, value, -1,
                    schedule.linksPerPhase() - 1));
                case TURN -> flows.setTurn(node, within(name, value, 0, shale.nodes() - 1));
                default -> throw unknown(name);
            }
        }

        private LinkChoice ties(final String name) {
            if (ties == null) {
                throw unknown(name);
            }
            return ties;
        }

        private static int within(final String name, final long value, final int least, final int most) {
            if (value < least || value > most) {
                throw new IllegalArgumentException("must be " + least + " to " + most + ": " + name + "=" + value);
            }
            return (int) value;
        }

        private int bucketOf(final String name, final long bucket) {
            if (bucket != (int) bucket || !shale.isBucket((int) bucket)) {
                throw new IllegalArgumentException("not a bucket of this fabric, destination * 8 + sprays: " + name
                    + "=" + bucket);
            }
            return (int) bucket;
        }

        private void setCells(final int link, final long[] words) {
            final String name = "queue" + link + "_cells";
            if (words.length % WORDS_OF_A_CELL != 0) {
                throw new IllegalArgumentException("a cell has five words: name=" + name + " words=" + words.length);
            }
            final long[] entries = new long[words.length / WORDS_OF_A_CELL];
            final long[] cells = new long[entries.length];
            final int peer = schedule.peerOf(bank.range().first() + node, link / schedule.linksPerPhase(),
                link % schedule.linksPerPhase());
            for (int i = 0; i < entries.length; i++) {
                final int at = i * WORDS_OF_A_CELL;
                final int next = bucketOf(name, words[at + 1]);
                final int back = within(name, words[at + 2], 0, schedule.epochSlots() - 1);
                final int now = bucketOf(name, words[at + 3]);
                cells[i] = words[at];
                if (Cell.flow(cells[i]) < 0 || Cell.flow(cells[i]) >= set.size()
                    || Route.bucketDestination(now) != Route.bucketDestination(next)) {
                    throw new IllegalArgumentException("not a cell of a flow, or its buckets have two destinations: "
                        + "name=" + name + " cell=" + cells[i] + " buckets=" + now + "," + next);
                }
                entries[i] = Route.queued(Route.first(Route.bucketDestination(now), Route.sprays(now), words[at + 4]),
                    Route.sprays(next), peer == Route.bucketDestination(next), back);
            }
            final QueueBank queues = bank.parts().queues();
            queues.replace(node, link, entries, cells);
        }

        @Override
        public void begin(final long slot) {
            // Flows that start before the first slot of the run are active.
            if (slot > 0) {
                flows.activate(slot - 1);
            }
        }
    }
}
