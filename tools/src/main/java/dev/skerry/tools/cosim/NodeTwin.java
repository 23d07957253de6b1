package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.schedule.Phased;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.run.NodeChoice;
import dev.skerry.tools.trace.NodeVectors;
import dev.skerry.tools.trace.WaveFields;
import org.agrona.collections.LongHashSet;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A Shale or Shoal node on its own, one slot per step. Words are those of {@link NodeCells} and of the vectors that
 * {@code skerry trace --node} writes. Probes are read after the slot.
 *
 * <pre>
 *   in    slot | route 0 | cell 0 | feedback 0 | route 1 | ...              received, three words per channel
 *   out          route 0 | cell 0 | feedback 0 | route 1 | ... | probes     sent, three words per channel
 *         slot     ascends by 1 from 0
 *         route    -1: a dummy; -2: nothing, which has no feedback; the cell word is then ignored in inputs and 0 in
 *                  outputs
 *         feedback -1: none
 * </pre>
 *
 * With faults a route of -4 is a message between nodes, and -3, of Shoal, a cell that came damaged. The cell word of -4
 * is the probe of Shale; of Shoal each channel has seven words more, which hold its message, or 0.
 */
final class NodeTwin implements Twin {
    /** Of a signal that counts; others are words. */
    private static final int COUNTER_BITS = 16;
    private static final int FIRST_WORD = 1;
    /** Of a channel, without a message. */
    private static final int WORDS = 3;

    private final CircuitFabric fabric;
    private final NodeChoice run;
    private final FlowSet flows;
    private final FollowRules limits;
    private final DeviceNode device;
    private final int messageWords;
    private final NodeModel model;
    private final NodeCells received;
    /** Numbers of the signals read after each slot. */
    private final int[] probes;
    /** Tokens too many of the slots so far. */
    private long anomalies;
    /** Null unless rows are drawn. */
    private ShaleNeighbours neighbours;

    /**
     * Creates a node before slot 0.
     *
     * @param run    run that has the node.
     * @param node   node id.
     * @param probes names of signals, separated by commas; {@code all} for all that are no details; empty for none.
     * @param start  first slot of the device, as its fabric counts them.
     * @param limits how the device counts slots, and what it has room for.
     */
    NodeTwin(final NodeChoice run, final int node, final String probes, final long start,
        final FollowRules limits) {
        this.run = run;
        this.limits = limits;
        this.fabric = run.fabric();
        this.flows = run.flows();
        this.received = new NodeCells(fabric.channels());
        this.model = new NodeModel(FabricKind.partsOf(fabric), flows, run.faults(), node);
        this.messageWords = model.messageWords();
        final NodeProbes inside = model.probes();
        try {
            this.probes = Twin.probes(probes, inside.signals().size(), inside::indexOf);
            this.device = new DeviceNode(fabric, model, start, limits);
        } catch (final IllegalArgumentException e) {
            model.close();
            throw e;
        }
    }

    private static NodeProbes.Signal signal(final NodeProbes inside, final int number) {
        final int count = inside.signals().size();
        return number < count ? inside.signals().get(number) : inside.details().get(number - count);
    }

    /**
     * The neighbours, which follow every row from now on.
     *
     * @throws IllegalArgumentException if the node is not one of Shale with hop-by-hop or without congestion control.
     */
    ShaleNeighbours neighbours() {
        if (neighbours == null) {
            if (!(fabric instanceof final Shale shale) || shale.mechanisms().endToEnd() != null) {
                throw new IllegalArgumentException("rows are drawn for nodes of Shale without isd, rd and ndp only");
            }
            neighbours = new ShaleNeighbours(shale, flows, model.node(), shale.propagationSlots()
                - limits.get(Setting.CELL_DELAY) + limits.get(Setting.RECEIVE_FIRST));
        }
        return neighbours;
    }

    /** The slot follows the last one, and what no neighbour could send in it is taken out. */
    @Override
    public void resolve(final MemorySegment in, final long inAt) {
        final ShaleNeighbours senders = neighbours();
        senders.receive(Words.get(in, inAt, FIRST_WORD), Words.get(in, inAt, FIRST_WORD + 1),
            Words.get(in, inAt, FIRST_WORD + 2));
        Words.set(in, inAt, 0, senders.slot, senders.route, senders.cell, senders.feedback);
    }

    @Override
    public void follow(final MemorySegment in, final MemorySegment answer) {
        neighbours().onStep(Words.get(answer, 0, 0), Words.get(answer, 0, 2));
    }

    @Override
    public List<String> probes() {
        final NodeProbes inside = model.probes();
        return Stream.concat(inside.signals().stream(), inside.details().stream()).map(NodeProbes.Signal::name)
            .toList();
    }

    @Override
    public NodeRegisters registers() {
        return model.registers();
    }

    @Override
    public void beginAt(final long slot) {
        model.beginAt(slot);
    }

    @Override
    public long slot() {
        return device.slot();
    }

    @Override
    public WaveFields fields() {
        return new WaveFields(run.words(), CellNames.of(flows, fabric.population()));
    }

    @Override
    public byte[] save() {
        return device.save();
    }

    @Override
    public void restore(final byte[] state) {
        device.restore(state);
        anomalies = model.count(NicCounter.TOKEN_ANOMALY);
    }

    @Override
    public void setDown(final boolean down) {
        model.setDown(down);
    }

    @Override
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return run.offer(slot(), slot, source, destination, cells);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        return new ShaleNodeStimulus(this, weights);
    }

    @Override
    public Names names() {
        final List<String> in = new ArrayList<>(List.of("slot"));
        in.addAll(words("rx"));
        final List<String> out = new ArrayList<>(words("tx"));
        Arrays.stream(probes).mapToObj(signal -> signal(model.probes(), signal).name()).forEach(out::add);
        return new Names(in, out);
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final long slot = Words.get(in, inAt, 0);
        read(in, inAt);
        model.check(slot, received);
        final NodeCells sent = device.step(slot, received);
        if (neighbours != null) {
            neighbours.onStep(sent.route(0), sent.feedback(0));
        }
        int at = write(out, outAt, sent);
        final NodeProbes inside = model.probes();
        for (final int probe : probes) {
            final long value = inside.value(probe);
            // A counter as the hardware shows it; -1 stays, no value.
            final boolean wraps = signal(inside, probe).bits() == COUNTER_BITS && value >= 0;
            Words.set(out, outAt, at++, wraps ? value & (1L << limits.get(Setting.REGISTER_BITS)) - 1 : value);
        }
        if (model.count(NicCounter.TOKEN_ANOMALY) > anomalies) {
            anomalies = model.count(NicCounter.TOKEN_ANOMALY);
            throw new IllegalStateException("surplus token, which the node ignored: it had not spent what came back: "
                + "slot=" + slot + " node=" + model.node());
        }
    }

    @Override
    public void close() {
        model.close();
    }

    /** Names of the words of all channels. */
    private List<String> words(final String side) {
        return IntStream.range(0, fabric.channels()).boxed()
            .flatMap(channel -> NodeVectors.words(side + channel, messageWords).stream()).toList();
    }

    /** Reads what the node receives. */
    private void read(final MemorySegment in, final long inAt) {
        int at = FIRST_WORD;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            final long route = Words.get(in, inAt, at++);
            final long cell = Words.get(in, inAt, at++);
            final long feedback = Words.get(in, inAt, at++);
            if (route == InFlightCells.SILENCE && feedback != InFlightCells.NO_FEEDBACK) {
                throw new IllegalArgumentException("nothing arrives, and carries feedback: feedback=0x"
                    + Long.toHexString(feedback));
            }
            if (messageWords > 0 && route == InFlightCells.CONTROL) {
                final long[] message = new long[messageWords];
                for (int word = 0; word < messageWords; word++) {
                    message[word] = Words.get(in, inAt, at + word);
                }
                received.setMessage(channel, feedback, message);
            } else {
                received.set(channel, route, cell, feedback);
            }
            at += messageWords;
        }
    }

    /** Writes what the node sends; returns where the next word goes. */
    private int write(final MemorySegment out, final long outAt, final NodeCells sent) {
        int at = 0;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            Words.set(out, outAt, at, sent.route(channel), sent.cell(channel), sent.feedback(channel));
            final long[] message = messageWords == 0 ? null : sent.message(channel);
            Words.set(out, outAt, at + WORDS, message == null ? new long[messageWords] : message);
            at += WORDS + messageWords;
        }
        return at;
    }

    /**
     * The neighbours of a single Shale node, as far as they bind what it receives: each has its tokens for the node,
     * and the tokens that the node has spent on it (docs/spec/shale.md §5). They never break a law: {@link #receive}
     * takes out of a row what no neighbour could send in that slot. One thread.
     */
    static final class ShaleNeighbours {
        private static final int NO_TOKEN = -1;

        private final Shale shale;
        private final int propagationSlots;
        private final Phased schedule;
        private final FlowSet flows;
        private final int node;
        private final boolean hasTokens;
        /** By link of the node and bucket: tokens that the neighbour there has spent on the node. */
        private final int[][] theirs;
        /** The same of tokens that the node has spent on the neighbour. */
        private final int[][] own;
        /** Cells that have arrived. */
        private final LongHashSet arrived = new LongHashSet();
        private long slot;
        /** What the node receives in the slot. */
        private long route;
        private long cell;
        private long feedback;

        /** @param propagationSlots from a neighbour to the device. */
        ShaleNeighbours(final Shale shale, final FlowSet flows, final int node, final int propagationSlots) {
            this.propagationSlots = propagationSlots;
            this.shale = shale;
            this.schedule = shale.schedule();
            this.flows = flows;
            this.node = node;
            this.hasTokens = shale.mechanisms().control() == HopByHop.FACTORY;
            final int buckets = Route.bucket(schedule.nodes(), 0);
            this.theirs = new int[schedule.epochSlots()][buckets];
            this.own = new int[schedule.epochSlots()][buckets];
        }

        /** The slot in which the cells were sent that arrive next; below 0 if none can. */
        long sentSlot() {
            return slot - propagationSlots;
        }

        /** The neighbour whose cell arrives next. */
        int sender() {
            return schedule.senderTo(node, sentSlot());
        }

        /** The link of the node to the neighbour whose cell arrives next, as a position in the epoch. */
        int linkBack() {
            final int inEpoch = schedule.slotInEpoch(sentSlot());
            final int phase = inEpoch / schedule.linksPerPhase();
            return phase * schedule.linksPerPhase() + schedule.reverseLink(inEpoch % schedule.linksPerPhase());
        }

        /** Sets what arrives next: the words asked for, as far as a neighbour could send them. */
        void receive(final long routeWord, final long cellWord, final long feedbackWord) {
            final boolean arrives = sentSlot() >= 0;
            final boolean isCell = arrives && isLegal(routeWord, cellWord) && arrived.add(cellWord);
            route = isCell ? Route.first(Route.destination(routeWord), Route.sprays(routeWord), sentSlot())
                : arrives && routeWord != InFlightCells.SILENCE ? InFlightCells.NO_CELL : InFlightCells.SILENCE;
            cell = isCell ? cellWord : 0;
            feedback = route != InFlightCells.SILENCE
                ? returnable((int) feedbackWord, (int) (feedbackWord >>> Integer.SIZE))
                : InFlightCells.NO_FEEDBACK;
        }

        private boolean isLegal(final long word, final long cellWord) {
            final int flow = Cell.flow(cellWord);
            final int sprays = Route.sprays(word);
            final int destination = Route.destination(word);
            if (!InFlightCells.isCell(word) || Route.forwarded(word) != word || sprays >= schedule.phases()
                || flow < 0 || flow >= flows.size()
                || Cell.sequence(cellWord) < 0 || Cell.sequence(cellWord) >= flows.cells(flow)) {
                return false;
            }
            final int source = nodeOf(flows.source(flow));
            final boolean isFirstHop = sprays == schedule.phases() - 1;
            return destination == nodeOf(flows.destination(flow)) && source != node && destination != sender()
                && (!isFirstHop || source == sender())
                && (destination == node || !hasTokens || theirs[linkBack()][Route.bucket(word)] < tokens(isFirstHop));
        }

        private int tokens(final boolean isFirstHop) {
            return isFirstHop ? shale.firstHopTokens() : shale.tokens();
        }

        /** The node that stands for an endpoint. */
        int nodeOf(final int endpoint) {
            return shale.population().nodeOf(endpoint);
        }

        private long returnable(final int first, final int second) {
            final int[] spent = own[linkBack()];
            final int one = isSpent(spent, first, 1) ? first : NO_TOKEN;
            final int two = isSpent(spent, second, second == one ? 2 : 1) ? second : NO_TOKEN;
            return one == NO_TOKEN ? feedback(two, NO_TOKEN) : feedback(one, two);
        }

        private static boolean isSpent(final int[] spent, final int bucket, final int times) {
            return bucket >= 0 && bucket < spent.length && spent[bucket] >= times;
        }

        /** Two tokens as they ride along; no second one without a first. */
        static long feedback(final int first, final int second) {
            return (long) second << Integer.SIZE | first & 0xFFFF_FFFFL;
        }

        /** Tokens of each bucket that the node has spent on the neighbour whose cell arrives next. */
        int[] returnable() {
            return own[linkBack()];
        }

        /** The node has received {@link #route} and the rest, and has sent this. */
        void onStep(final long sentRoute, final long sentFeedback) {
            if (sentSlot() >= 0) {
                final int back = linkBack();
                if (InFlightCells.isCell(route) && Route.destination(route) != node) {
                    theirs[back][Route.bucket(route)]++;
                }
                count(own[back], feedback);
            }
            final int link = schedule.slotInEpoch(slot);
            if (InFlightCells.isCell(sentRoute) && Route.destination(sentRoute) != schedule.peerOf(node, slot)
                && Route.bucket(sentRoute) < own[link].length) {
                own[link][Route.bucket(sentRoute)]++;
            }
            count(theirs[link], sentFeedback);
            slot++;
        }

        /** Tokens that are not spent are ignored: the device may be wrong. */
        private static void count(final int[] tokens, final long returned) {
            for (long rest = returned; (int) rest != NO_TOKEN; rest = rest >>> Integer.SIZE | -1L << Integer.SIZE) {
                if (isSpent(tokens, (int) rest, 1)) {
                    tokens[(int) rest]--;
                }
            }
        }
    }

    /**
     * Draws what a Shale node receives: nothing, dummies, cells on their first hop, cells that pass through and cells
     * that end here, of all flows or mostly of one, and tokens that come back at once or late.
     * {@link ShaleNeighbours} takes out what would break a law.
     */
    private static final class ShaleNodeStimulus extends Stimulus {
        private static final int CHANGE_OF_TIDE = 50;
        private static final int MOST_TOKENS = 2;

        private final FlowSet flows;
        private final int phases;
        private final int node;
        /** Cells sent so far, by flow. */
        private final int[] sequence;
        private ShaleNeighbours neighbours;
        private boolean withholds;
        /** The flow that most cells belong to, -1 for none. */
        private int crowd;

        ShaleNodeStimulus(final NodeTwin twin, final Map<String, Integer> weights) {
            super(new Weights("first=4", "passing=6", "home=2", "none=2", "nothing=3").with(weights),
                new Coverage("nothing", "dummy", "first hop", "passing", "home", "one token", "two tokens", "sent on",
                    "sent own", "sent dummy", "owed one", "owed two"));
            this.neighbours = twin.neighbours();
            this.flows = twin.flows;
            this.phases = neighbours.schedule.phases();
            this.node = twin.model.node();
            this.sequence = new int[flows.size()];
        }

        @Override
        void begin(final Twin twin) {
            neighbours = ((NodeTwin) twin).neighbours();
            withholds = false;
            crowd = -1;
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            if (random.nextInt(CHANGE_OF_TIDE) == 0) {
                withholds = random.nextBoolean();
                crowd = random.nextBoolean() ? random.nextInt(flows.size()) : -1;
            }
            row[0] = neighbours.slot;
            row[1] = InFlightCells.NO_CELL;
            row[2] = 0;
            row[3] = InFlightCells.NO_FEEDBACK;
            if (neighbours.sentSlot() >= 0) {
                drawCell(random, row);
                if (row[1] != InFlightCells.SILENCE && (!withholds || random.nextInt(CHANGE_OF_TIDE) == 0)) {
                    row[3] = ShaleNeighbours.feedback(spentBucket(random), spentBucket(random));
                }
            }
        }

        private void drawCell(final SplittableRandom random, final long[] row) {
            final int sender = neighbours.sender();
            final int last = phases - 1;
            switch (weights.draw(random)) {
                case "first" -> put(row, flow(random, flow -> source(flow) == sender), last);
                case "passing" -> put(row, flow(random, flow -> destination(flow) != node), last == 0 ? 0
                    : random.nextInt(last));
                case "home" -> put(row, flow(random, flow -> destination(flow) == node), last == 0 ? 0
                    : random.nextInt(last));
                case "nothing" -> row[1] = InFlightCells.SILENCE;
                default -> { }
            }
        }

        private void put(final long[] row, final int flow, final int sprays) {
            if (flow >= 0) {
                row[1] = Route.first(destination(flow), sprays, neighbours.sentSlot());
                row[2] = Cell.of(flow, sequence[flow]++);
            }
        }

        /** A flow of which a condition holds, the one of the crowd if it does; -1 for none. */
        private int flow(final SplittableRandom random, final IntPredicate condition) {
            if (crowd >= 0 && condition.test(crowd) && random.nextInt(CHANGE_OF_TIDE) > 0) {
                return crowd;
            }
            final int[] some = IntStream.range(0, flows.size()).filter(condition).toArray();
            return some.length == 0 ? -1 : some[random.nextInt(some.length)];
        }

        private int source(final int flow) {
            return neighbours.nodeOf(flows.source(flow));
        }

        private int destination(final int flow) {
            return neighbours.nodeOf(flows.destination(flow));
        }

        /** A bucket of which the sender holds a token of the node, -1 for none. */
        private int spentBucket(final SplittableRandom random) {
            final int[] spent = neighbours.returnable();
            final int[] some = IntStream.range(0, spent.length).filter(bucket -> spent[bucket] > 0).toArray();
            final int pick = random.nextInt(some.length + 1);
            return pick == some.length ? -1 : some[pick];
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            final long route = neighbours.route;
            final boolean isCell = InFlightCells.isCell(route);
            final boolean isHome = isCell && Route.destination(route) == node;
            final boolean isFirst = isCell && !isHome && Route.sprays(route) == phases - 1;
            coverage.count("nothing", route == InFlightCells.SILENCE);
            coverage.count("dummy", route == InFlightCells.NO_CELL);
            coverage.count("home", isHome);
            coverage.count("first hop", isFirst);
            coverage.count("passing", isCell && !isHome && !isFirst);
            coverage.count("one token", tokens(neighbours.feedback) == 1);
            coverage.count("two tokens", tokens(neighbours.feedback) == MOST_TOKENS);
            final boolean isSent = InFlightCells.isCell(answer[0]);
            final boolean isOwn = isSent && source(Cell.flow(answer[1])) == node;
            coverage.count("sent own", isOwn);
            coverage.count("sent on", isSent && !isOwn);
            coverage.count("sent dummy", answer[0] == InFlightCells.NO_CELL);
            coverage.count("owed one", tokens(answer[2]) == 1);
            coverage.count("owed two", tokens(answer[2]) == MOST_TOKENS);
        }

        private static int tokens(final long feedback) {
            return ((int) feedback >= 0 ? 1 : 0) + (feedback >= 0 ? 1 : 0);
        }
    }
}
