package dev.skerry.nic.shoal;

import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.ShoalFlowScheduler.ShoalFlows;
import dev.skerry.nic.shoal.ShoalFlowScheduler.ShoalMessages;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The registers of a node of Shoal in which nothing can fail. Links are numbered by {@link ShoalSlotPlan}.
 *
 * <pre>
 *   flow7_sent        cells of local flow 7 that have joined a queue
 *   to5_messages      flows to node 5 with cells to send, the next one first
 *   active            destinations with cells to send in the order of the search, two words each: node | since slot
 *   queue3_cells      the queue of link 3, first cell first, two words each: route word | cell word
 *   queue3_own        destination of the node's own cell in it, -1 for none
 *   queue3_ready      flows that were ready in the last turn
 *   queue3_turn       place in `active` where the next search begins
 *   queue3_free       by destination, the epoch from which an empty queue would suffice; -1: the report is awaited,
 *                     -2: its cell is in the queue
 *   queue3_joined     links of the queues that the last four cells from the neighbour joined, latest first; -1: none
 *   queue3_sent       by epoch modulo those kept, destination of the own cell that was sent, -1 for none
 * </pre>
 */
final class ShoalNodeRegisters implements NodeRegisters {
    private static final Pattern NAME = Pattern.compile("(queue|flow|to)(\\d{1,9})_([a-z]+)");
    private static final String ACTIVE = "active";
    private static final int AWAITED = -1;
    private static final int HELD = -2;

    private final Shoal shoal;
    private final ShoalBank.Parts parts;
    private final ShoalQueues queues;
    private final ShoalFlowScheduler scheduler;
    private final FlowSet set;
    private final ShoalFlows flows;
    private final ShoalMessages messages;
    private final ShoalSlotPlan plan;
    private final int node;
    private final int id;

    ShoalNodeRegisters(final Shoal shoal, final ShoalBank bank, final int node) {
        Bounds.refuseIf(bank.failures() != null || bank.parts().base().of(0) != 0,
            "a node of Shoal with faults or traffic classes, or after 2^30 epochs, has no registers, save its state: "
            + "bank=", bank.range());
        this.shoal = shoal;
        this.parts = bank.parts();
        this.queues = parts.queues()[0];
        this.scheduler = parts.scheduler();
        this.set = scheduler.flows;
        this.flows = scheduler.shoalFlows;
        this.messages = scheduler.messages;
        this.plan = parts.plan();
        this.node = node;
        this.id = bank.range().first() + node;
    }

    private static IllegalArgumentException unknown(final String name) {
        return new IllegalArgumentException("no such register: name=" + name);
    }

    @Override
    public List<String> names() {
        final List<String> names = new ArrayList<>();
        for (int flow = 0; flow < set.size(); flow++) {
            if (shoal.population().nodeOf(set.source(flow)) == id) {
                names.add("flow" + flow + "_sent");
            }
        }
        IntStream.range(0, shoal.nodes()).filter(to -> to != id).forEach(to -> names.add("to" + to + "_messages"));
        names.add(ACTIVE);
        for (int link = 0; link < shoal.nodes() - 1; link++) {
            for (final String what : List.of("cells", "own", "ready", "turn", "free", "joined", "sent")) {
                names.add("queue" + link + "_" + what);
            }
        }
        return names;
    }

    private Matcher parse(final String name) {
        final Matcher of = NAME.matcher(name);
        if (of.matches()) {
            final int most = switch (of.group(1)) {
                case "queue" -> shoal.nodes() - 1;
                case "flow" -> set.size();
                default -> shoal.nodes();
            };
            if (Integer.parseInt(of.group(2)) < most) {
                return of;
            }
        }
        throw unknown(name);
    }

    /** A register, as functions that read and set its words. */
    private record Register(Supplier<long[]> get, Consumer<long[]> set) {
    }

    private Register register(final String name) {
        if (name.equals(ACTIVE)) {
            return new Register(this::active, this::setActive);
        }
        final Matcher of = parse(name);
        final int number = Integer.parseInt(of.group(2));
        final int queue = queues.queue(number, node);
        return switch (of.group(1) + "_" + of.group(3)) {
            case "flow_sent" -> new Register(() -> new long[] {sentOf(number)},
                words -> setSentOf(number, one(name, words, 0, Integer.MAX_VALUE)));
            case "to_messages" -> new Register(() -> messages(number), words -> setMessages(number, words));
            case "queue_cells" -> new Register(() -> cells(number), words -> setCells(name, number, words));
            case "queue_own" -> new Register(() -> new long[] {destination(queues.local(queue))}, words ->
                queues.setLocal(queue, numberOf(name, one(name, words, -1, shoal.nodes() - 1))));
            case "queue_ready" -> new Register(() -> new long[] {queues.ready(queue)}, words -> queues.settle(number,
                node, one(name, words, 0, shoal.nodes() - 1), queues.turn(queue), queues.local(queue)));
            case "queue_turn" -> new Register(() -> new long[] {queues.turn(queue)}, words -> queues.setSearched(
                queue, queues.ready(queue), one(name, words, 0, shoal.nodes() - 1)));
            case "queue_free" -> new Register(() -> free(number), words -> setFree(name, number, words));
            case "queue_joined" -> new Register(() -> joined(number), words -> setJoined(name, number, words));
            case "queue_sent" -> new Register(() -> sent(number), words -> setSent(name, number, words));
            default -> throw unknown(name);
        };
    }

    @Override
    public long[] get(final String name) {
        return register(name).get.get();
    }

    @Override
    public void set(final String name, final long... values) {
        register(name).set.accept(values);
    }

    /** Returns the destination of a flow by its number at the node, -1 for none. */
    private int destination(final int number) {
        return IntStream.range(0, shoal.nodes())
            .filter(to -> number >= 0 && to != id && scheduler.numberOf(node, to) == number).findFirst().orElse(-1);
    }

    private long[] cells(final int link) {
        final LongStream.Builder words = LongStream.builder();
        queues.forEach(queues.queue(link, node), (word, cell) -> words.add(word).add(cell));
        return words.build().toArray();
    }

    private long[] free(final int link) {
        final long[] epochs = new long[shoal.nodes()];
        for (int to = 0; to < epochs.length; to++) {
            final int number = to == id ? -1 : scheduler.numberOf(node, to);
            final int from = number < 0 ? 0 : parts.throttles().freeFrom(node, number, link);
            epochs[to] = from == Throttles.HELD ? HELD : from == Throttles.AWAIT ? AWAITED : from;
        }
        return epochs;
    }

    private long[] joined(final int link) {
        final long entries = parts.joined().entries(link, node);
        return IntStream.range(0, JoinedQueues.TURNS)
            .mapToLong(turn -> JoinedQueues.linkOf((int) (entries >>> turn * Long.SIZE / JoinedQueues.TURNS)))
            .map(joins -> joins == queues.noLink() ? -1 : joins).toArray();
    }

    private long[] sent(final int link) {
        final long[] destinations = new long[plan.sentEpochs()];
        for (int epoch = 0; epoch < destinations.length; epoch++) {
            final int entry = parts.sent().get(parts.sent().offset(parts.sent().row(epoch, link), node));
            destinations[epoch] = entry == SentCells.NONE ? -1 : destination(SentCells.flow(entry));
        }
        return destinations;
    }

    private static int one(final String name, final long[] values, final int least, final int most) {
        count(name, values, 1);
        return within(name, values[0], least, most);
    }

    private static void count(final String name, final long[] values, final int count) {
        Bounds.refuseIf(values.length != count, "a register of ", count, " words: name=", name, " words=",
            values.length);
    }

    private static int within(final String name, final long value, final int least, final int most) {
        return (int) Bounds.require(name, value, least, most);
    }

    /** Returns the number at the node of the flow to a destination; -1 for -1. */
    private int numberOf(final String name, final int destination) {
        final int number = destination < 0 || destination == id ? -1
            : scheduler.numberOf(node, destination);
        Bounds.refuseIf(destination >= 0 && number < 0, "no flow to that destination has started: ", name, "=",
            destination);
        return number;
    }

    private void setCells(final String name, final int link, final long[] words) {
        Bounds.refuseIf(words.length % 2 != 0, "a cell has two words: name=", name, " words=", words.length);
        final int peer = plan.peer(id, link);
        for (int i = 0; i < words.length; i += 2) {
            final int flow = Cell.flow(words[i + 1]);
            if (flow < 0 || flow >= set.size() || ShoalCell.source(words[i]) != shoal.population().nodeOf(
                set.source(flow)) || ShoalCell.destination(words[i]) >= shoal.nodes() || words[i] == -1
                || ShoalCell.source(words[i]) != id && ShoalCell.destination(words[i]) != peer) {
                throw new IllegalArgumentException("not a cell that waits for node " + peer + ": name=" + name
                    + " route=0x" + Long.toHexString(words[i]) + " cell=0x" + Long.toHexString(words[i + 1]));
            }
        }
        while (queues.length(queues.queue(link, node)) > 0) {
            queues.pop(queues.queue(link, node));
            parts.maxima().onDequeue(node);
        }
        for (int i = 0; i < words.length; i += 2) {
            parts.maxima().onEnqueue(node, queues.append(link, node, words[i], words[i + 1]));
        }
        queues.settle(link, node);
    }

    private void setFree(final String name, final int link, final long[] epochs) {
        count(name, epochs, shoal.nodes());
        Arrays.stream(epochs).forEach(epoch -> within(name, epoch, HELD, Shoal.MAX_EPOCHS - 1));
        for (int to = 0; to < epochs.length; to++) {
            final int number = to == id ? -1 : scheduler.numberOf(node, to);
            if (number >= 0) {
                parts.throttles().set(node, number, link, epochs[to] == HELD ? Throttles.HELD
                    : epochs[to] == AWAITED ? Throttles.AWAIT : (int) epochs[to]);
            }
        }
    }

    private void setJoined(final String name, final int link, final long[] links) {
        count(name, links, JoinedQueues.TURNS);
        Arrays.stream(links).forEach(joins -> within(name, joins, -1, shoal.nodes() - 2));
        for (int turn = links.length - 1; turn >= 0; turn--) {
            parts.joined().note(link, node, links[turn] < 0 ? queues.noLink() : (int) links[turn]);
        }
    }

    private void setSent(final String name, final int link, final long[] destinations) {
        count(name, destinations, plan.sentEpochs());
        final int[] numbers = Arrays.stream(destinations)
            .mapToInt(to -> numberOf(name, within(name, to, -1, shoal.nodes() - 1))).toArray();
        for (int epoch = 0; epoch < numbers.length; epoch++) {
            parts.sent().begin(parts.sent().row(epoch, link), node, node + 1);
            if (numbers[epoch] >= 0) {
                parts.sent().add(parts.sent().row(epoch, link), node, SentCells.entry(numbers[epoch],
                    plan.placeOf(id, link).services(id, (int) destinations[epoch])));
            }
        }
    }

    /**
     * Returns the cells of a message that have joined a queue; 0 for a message of another node, or one that has not
     * started.
     */
    private int sentOf(final int index) {
        final int i = place(index);
        return i == ShoalMessages.NONE ? 0 : messages.sent(i);
    }

    /**
     * Sets the cells of a message that have joined a queue; the message is complete if all have.
     *
     * @throws IllegalArgumentException if it has not started yet, is complete, or has fewer cells.
     */
    private void setSentOf(final int index, final long cells) {
        final int i = place(index);
        if (i == ShoalMessages.NONE && cells == 0) {
            return;
        }
        Bounds.refuseIf(i == ShoalMessages.NONE || cells < 0 || cells > set.cells(index)
            || messages.sent(i) == messages.cells(i) && cells < messages.cells(i),
            "not a flow of this node that has started and is not over, or not so many cells: flow=", index, " cells=",
            cells);
        if (messages.sent(i) < messages.cells(i) && cells == messages.cells(i)) {
            messages.close(i);
        }
        messages.setSent(i, (int) cells);
    }

    /**
     * Returns the messages to a destination that have cells to send, the next one first, as indices of the flow set.
     */
    private long[] messages(final int destination) {
        return IntStream.iterate(flows.head(flows.at(node, destination)), i -> i != ShoalMessages.NONE, messages::next)
            .mapToLong(messages::index).toArray();
    }

    /**
     * Sets the order of the messages to a destination.
     *
     * @throws IllegalArgumentException if one has no cells to send, has another destination, or occurs twice.
     */
    private void setMessages(final int destination, final long[] indices) {
        final int[] places = new int[indices.length];
        final Set<Integer> known = new HashSet<>();
        for (int k = 0; k < places.length; k++) {
            places[k] = indices[k] < 0 || indices[k] >= set.size() ? ShoalMessages.NONE : place((int) indices[k]);
            if (places[k] == ShoalMessages.NONE || messages.sent(places[k]) == messages.cells(places[k])
                || shoal.population().nodeOf(set.destination((int) indices[k])) != destination
                || !known.add(places[k])) {
                throw new IllegalArgumentException("not a flow of this node to that destination with cells to send, "
                    + "or twice: flow=" + indices[k] + " destination=" + destination);
            }
        }
        final long at = flows.at(node, destination);
        flows.setHead(at, places.length == 0 ? ShoalMessages.NONE : places[0]);
        for (int k = 0; k < places.length; k++) {
            messages.setNext(places[k], k + 1 < places.length ? places[k + 1] : ShoalMessages.NONE);
            flows.setTail(at, places[k]);
        }
        scheduler.note(node);
    }

    /**
     * Returns the destinations to which there are cells to send, in the order of the search, with the slot since when.
     */
    private long[] active() {
        final long[] words = new long[2 * scheduler.active.size(node)];
        for (int k = 0; k < words.length; k += 2) {
            final int flow = scheduler.active.get(node, k / 2);
            words[k] = ActiveFlows.destination(flow);
            words[k + 1] = scheduler.startSlot(node, flow);
        }
        return words;
    }

    /**
     * Sets the destinations to which there are cells to send, after the messages.
     *
     * @throws IllegalArgumentException if they are not the destinations that have messages.
     */
    private void setActive(final long[] words) {
        final List<Long> busy = LongStream.range(0, shoal.nodes())
            .filter(to -> flows.head(flows.at(node, (int) to)) != ShoalMessages.NONE).boxed().toList();
        final List<Long> named = IntStream.range(0, words.length / 2).mapToObj(k -> words[2 * k]).sorted().toList();
        Bounds.refuseIf(words.length % 2 != 0 || !named.equals(busy),
            "two words for each destination that has messages, once: destinations=", busy);
        while (scheduler.active.size(node) > 0) {
            scheduler.active.remove(node, scheduler.active.get(node, 0));
        }
        for (int k = 0; k < words.length; k += 2) {
            final int to = (int) words[k];
            flows.setStartSlot(flows.at(node, to), words[k + 1]);
            scheduler.active.add(node, ActiveFlows.flow(to, scheduler.numberOf(node, to)));
        }
        scheduler.note(node);
    }

    /** Returns the number in the bank of a message that has started, -1 for none. */
    private int place(final int index) {
        return IntStream.range(0, scheduler.arrivals.started()).filter(i -> scheduler.arrivals.flow(i) == index)
            .findFirst().orElse(ShoalMessages.NONE);
    }

    /** Messages that start before the first slot have started. */
    @Override
    public void begin(final long slot) {
        if (slot > 0) {
            scheduler.activate(slot - 1);
        }
    }
}
