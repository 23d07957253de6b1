package dev.skerry.nic.shale.stage;

import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule.LinkChoice;
import dev.skerry.schedule.Phased;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The registers of a Shale node. A bucket is {@code destination * 8 + sprays}, a link its position in the epoch.
 *
 * <pre>
 *   flow7_sent                 cells of local flow 7 sent so far
 *   queue3_cells               the queue of link 3, oldest cell first, five words each:
 *                                cell | bucket after the next hop | link back | bucket now | slot its source sent it in
 *   queue3_owed_tokens         buckets of the tokens owed on link 3, oldest first
 *   queue3_outstanding_d5n1    tokens of bucket (5, 1) that are away
 *   queue3_tokens_d5n1         tokens of it that are left, the same register seen from the other end
 *   queue3_pointer             the flow at which the search for link 3 begins, -1: the first
 *   phase1_taken               with the rule of rotating ties: the link of phase 1 taken last, -1: none
 *   turn                       with flows chosen by destination: the destination at which the search begins
 * </pre>
 */
final class ShaleNodeRegisters implements NodeRegisters {
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

    /** A register by what is in it, such as queue_cells; bucket -1 for none. */
    private record Register(String key, int number, int bucket) {
    }

    ShaleNodeRegisters(final Shale shale, final ShaleBank bank, final int node) {
        this.shale = shale;
        this.schedule = shale.schedule();
        this.bank = bank;
        this.flows = bank.parts().scheduler();
        this.set = bank.flows();
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
                return new Register(of.group(1) + "_" + of.group(3) + (bucket < 0 ? "" : "_of_bucket"), number, bucket);
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
            if (tokens.budget(true) > 0) {
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
            case "queue_tokens_of_bucket" -> one(budget(register.bucket)
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

    private int budget(final int bucket) {
        return tokens.budget(Route.sprays(bucket) == schedule.phases() - 1);
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
            throw new IllegalArgumentException("registers are set with hop-by-hop tokens or none, without priority, "
                + "limits of hardware and faults: name=" + name);
        }
        if (register.key.equals("queue_cells")) {
            setCells(number, values);
        } else if (register.key.equals("queue_owed_tokens")) {
            final int[] buckets = Arrays.stream(values).mapToInt(bucket -> bucketOf(name, bucket)).toArray();
            tokens.setOwed(queue(number), buckets);
        } else {
            if (values.length != 1) {
                throw new IllegalArgumentException("a register of one word: name=" + name + " words=" + values.length);
            }
            setOne(name, register, values[0]);
        }
        bank.parts().queues().wake(node);
    }

    private void setOne(final String name, final Register register, final long value) {
        final int number = register.number;
        final int most = register.bucket < 0 ? 0 : budget(register.bucket);
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
            throw new IllegalArgumentException("not a bucket of this fabric, destination * 8 + sprays: " + name + "="
                + bucket);
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
                throw new IllegalArgumentException("not a cell of a flow, or its buckets have two destinations: name="
                    + name + " cell=" + cells[i] + " buckets=" + now + "," + next);
            }
            entries[i] = Route.queued(Route.first(Route.bucketDestination(now), Route.sprays(now), words[at + 4]),
                Route.sprays(next), peer == Route.bucketDestination(next), back);
        }
        final QueueBank queues = bank.parts().queues();
        queues.replace(node, link, entries, cells);
    }

    @Override
    public void begin(final long slot) {
        // Before the first slot: flows that start before a slot are active.
        if (slot > 0) {
            flows.activate(slot - 1);
        }
    }
}
