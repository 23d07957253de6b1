package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowWaits;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.Choices;
import org.agrona.collections.IntArrayList;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Collective operations, whose flows wait for each other (docs/spec/waiting-flows.md §3). A node sends when it has
 * received the data that it forwards, so the source of a waiting flow is the destination of the flows for which it
 * waits.
 *
 * @param name    one of {@link #NAMES}.
 * @param bytes   bytes that a node contributes, see {@link Options}.
 * @param options groups, rounds and number of concurrent collectives.
 */
public record Collective(String name, long bytes, Options options) implements Workload {
    /** Names of all collectives. */
    public static final List<String> NAMES = List.of("ring-allreduce", "tree-allreduce", "all-to-all", "moe",
        "incast-rounds");

    private static final long REQUEST_BYTES = 64;
    private static final long MEGABYTE = 1 << 20;

    @Override
    public FlowSet generate(final int endpoints, final int payloadBytes, final long untilSlot, final long seed) {
        final int least = endpoints / options.groups;
        Choices.refuseIf(least < 2, "--groups", options.groups, "a group needs at least two nodes, and "
            + endpoints + " nodes work", "give at most " + endpoints / 2);
        final int larger = endpoints % options.groups;
        final double flows = (double) options.jobs * options.rounds
            * (larger * flows(least + 1) + (options.groups - larger) * flows(least));
        Choices.refuseIf(flows > MAX_FLOWS, "--rounds", options.rounds, "there would be more than " + MAX_FLOWS
            + " flows", "give fewer --rounds, --concurrent or --nodes");
        final Graph graph = new Graph(payloadBytes, bytes, new Draws(seed));
        for (int job = 0; job < options.jobs; job++) {
            final int[] order = graph.permutation(job, endpoints);
            for (int group = 0; group < options.groups; group++) {
                final int first = (int) ((long) endpoints * group / options.groups);
                final int end = (int) ((long) endpoints * (group + 1) / options.groups);
                collective(graph, Arrays.copyOfRange(order, first, end));
                graph.jobs++;
            }
        }
        return graph.finish();
    }

    /** Returns the number of flows in a group per round. */
    private double flows(final double nodes) {
        return switch (name) {
            case "ring-allreduce", "moe" -> 2 * nodes * (nodes - 1);
            case "tree-allreduce", "incast-rounds" -> 2 * (nodes - 1);
            default -> nodes * (nodes - 1);
        };
    }

    private void collective(final Graph graph, final int[] nodes) {
        switch (name) {
            case "ring-allreduce" -> ring(graph, nodes);
            case "tree-allreduce" -> tree(graph, nodes);
            case "moe" -> moe(graph, nodes);
            case "incast-rounds" -> incast(graph, nodes);
            default -> allToAll(graph, nodes);
        }
    }

    /**
     * Generates a ring: in each step, a node sends the part that it received last to the next node. Reduction and
     * distribution take n - 1 steps each.
     */
    private void ring(final Graph graph, final int[] nodes) {
        final int count = nodes.length;
        final long part = Math.ceilDiv(bytes, count);
        int[] before = null;
        for (long step = 0; step < 2L * (count - 1) * options.rounds; step++) {
            final int[] sent = new int[count];
            for (int i = 0; i < count; i++) {
                sent[i] = graph.add(nodes[i], nodes[(i + 1) % count], part);
                graph.waits(sent[i], before == null ? Graph.NONE : before[(i + count - 1) % count]);
            }
            before = sent;
        }
    }

    /**
     * Generates a tree: a node adds the data of its two children and sends the sum to its parent; the sum at the root
     * is distributed along the same paths.
     */
    private void tree(final Graph graph, final int[] nodes) {
        final int[] up = new int[nodes.length];
        final int[] down = new int[nodes.length];
        Arrays.fill(down, Graph.NONE);
        for (int round = 0; round < options.rounds; round++) {
            for (int i = nodes.length - 1; i > 0; i--) {
                up[i] = graph.add(nodes[i], nodes[(i - 1) / 2], bytes);
                graph.waits(up[i], down[i]);
                waitForChildren(graph, up[i], i, up);
            }
            for (int i = 1; i < nodes.length; i++) {
                final int parent = (i - 1) / 2;
                final int before = parent == 0 ? Graph.NONE : down[parent];
                down[i] = graph.add(nodes[parent], nodes[i], bytes);
                graph.waits(down[i], before);
                if (parent == 0) {
                    waitForChildren(graph, down[i], 0, up);
                }
            }
        }
    }

    private static void waitForChildren(final Graph graph, final int flow, final int of, final int[] up) {
        for (int child = 2 * of + 1; child <= 2 * of + 2 && child < up.length; child++) {
            graph.waits(flow, up[child]);
        }
    }

    /**
     * Generates an all-to-all: each node sends a flow to every other node in its group, and starts the next round when
     * it has received the flows of all other nodes.
     */
    private void allToAll(final Graph graph, final int[] nodes) {
        int[] received = null;
        for (int round = 0; round < options.rounds; round++) {
            final int[] receives = round + 1 < options.rounds ? graph.joins(nodes.length) : null;
            for (int turn = 1; turn < nodes.length; turn++) {
                for (int i = 0; i < nodes.length; i++) {
                    final int to = (i + turn) % nodes.length;
                    final int flow = graph.add(nodes[i], nodes[to], bytes);
                    graph.waits(flow, received == null ? Graph.NONE : received[i]);
                    if (receives != null) {
                        graph.waits(receives[to], flow);
                    }
                }
            }
            received = receives;
        }
    }

    /**
     * Generates layers with an expert at each node: the tokens of all nodes are sent to experts, and back when an
     * expert has all of its tokens. The share of the k-th expert is proportional to k^-skew; the order of the experts
     * is random in each round.
     */
    private void moe(final Graph graph, final int[] nodes) {
        final int count = nodes.length;
        final double[] share = new double[count];
        Arrays.setAll(share, expert -> StrictMath.pow(expert + 1, -options.skew));
        final double sum = Arrays.stream(share).sum();
        int[] back = null;
        for (int round = 0; round < options.rounds; round++) {
            final int[] rank = graph.permutation(Graph.DRAWN, count);
            final int[] gathered = graph.joins(count);
            final int[] returned = round + 1 < options.rounds ? graph.joins(count) : null;
            for (int turn = 1; turn < count; turn++) {
                for (int i = 0; i < count; i++) {
                    final int to = (i + turn) % count;
                    final int flow = graph.add(nodes[i], nodes[to], tokens(share[rank[to]] / sum));
                    graph.waits(flow, back == null ? Graph.NONE : back[i]);
                    graph.waits(gathered[to], flow);
                }
            }
            for (int turn = 1; turn < count; turn++) {
                for (int i = 0; i < count; i++) {
                    final int to = (i + turn) % count;
                    final int flow = graph.add(nodes[i], nodes[to], tokens(share[rank[i]] / sum));
                    graph.waits(flow, gathered[i]);
                    if (returned != null) {
                        graph.waits(returned[to], flow);
                    }
                }
            }
            back = returned;
        }
    }

    private long tokens(final double share) {
        return Math.max(1, Math.round(share * bytes));
    }

    /**
     * Generates an incast: the first node sends a request to every other node of its group, each one answers, and the
     * next request follows when all answers have arrived.
     */
    private void incast(final Graph graph, final int[] nodes) {
        int answered = Graph.NONE;
        for (int round = 0; round < options.rounds; round++) {
            final int answers = round + 1 < options.rounds ? graph.joins(1)[0] : Graph.NONE;
            for (int i = 1; i < nodes.length; i++) {
                final int request = graph.add(nodes[0], nodes[i], REQUEST_BYTES);
                graph.waits(request, answered);
                final int answer = graph.add(nodes[i], nodes[0], bytes);
                graph.waits(answer, request);
                if (answers != Graph.NONE) {
                    graph.waits(answers, answer);
                }
            }
            answered = answers;
        }
    }

    /** Flows and their waits during generation. Not thread-safe. */
    private static final class Graph {
        /** Value for no flow. */
        static final int NONE = -1;
        /** Value instead of a job, for which the permutation is always random. */
        static final int DRAWN = -1;
        /** Number of the first join; the following ones count down. */
        private static final int JOIN = -2;

        private final FlowSet flows = new FlowSet();
        private final IntArrayList before = new IntArrayList();
        private final IntArrayList after = new IntArrayList();
        private final int payloadBytes;
        private final long typedBytes;
        private final Draws draws;
        private final IntArrayList jobOf = new IntArrayList();
        private int jobs;
        private int joins;
        private long drawn;

        Graph(final int payloadBytes, final long typedBytes, final Draws draws) {
            Bounds.atLeast("payloadBytes", payloadBytes, 1);
            this.payloadBytes = payloadBytes;
            this.typedBytes = typedBytes;
            this.draws = draws;
        }

        int add(final int from, final int to, final long bytes) {
            final long cells = (bytes - 1) / payloadBytes + 1;
            Choices.refuseIf(cells >= FlowSet.ENDLESS, "--flow-bytes", typedBytes, "makes a flow of " + cells
                + " cells", "give fewer");
            flows.add(flows.size(), from, to, bytes, (int) cells, 0);
            jobOf.addInt(jobs);
            return flows.size() - 1;
        }

        /** Makes a flow or a join wait for another one; does nothing for {@link #NONE}. */
        void waits(final int waiting, final int awaited) {
            if (awaited != NONE) {
                before.addInt(awaited);
                after.addInt(waiting);
            }
        }

        int[] joins(final int count) {
            final int[] made = new int[count];
            Arrays.setAll(made, i -> JOIN - joins - i);
            joins += count;
            return made;
        }

        /** Returns the order of the nodes of a job: by id for the first job, random for the others. */
        int[] permutation(final int job, final int count) {
            final int[] order = new int[count];
            Arrays.setAll(order, i -> i);
            for (int i = count - 1; job != 0 && i > 0; i--) {
                final int j = draws.below(drawn++, 0, i + 1);
                final int chosen = order[j];
                order[j] = order[i];
                order[i] = chosen;
            }
            return order;
        }

        FlowSet finish() {
            flows.setWaits(new FlowWaits(numbers(before), numbers(after), before.size(),
                new long[flows.size() + joins], joins).inJobs(jobOf.toIntArray()));
            return flows;
        }

        private int[] numbers(final IntArrayList of) {
            return of.intStream().map(number -> number <= JOIN ? flows.size() + JOIN - number : number).toArray();
        }
    }

    /** The options of collectives; null if they were not typed. */
    public static final class Options {
        @Option(names = "--groups", paramLabel = "G",
            description = "Collectives: number of groups into which the nodes are divided. Each group runs its own "
                + "collective (default: 1).")
        Integer typedGroups;

        @Option(names = "--rounds", paramLabel = "R",
            description = "Collectives: number of repetitions; layers in moe, requests in incast-rounds. A node begins "
                + "a round when it has received its part of the previous one (default: 1).")
        Integer typedRounds;

        @Option(names = "--concurrent", paramLabel = "J",
            description = "Collectives: number of collectives that run at once over the same nodes. The first orders "
                + "the nodes by id, the others at random by --seed (default: 1).")
        Integer typedJobs;

        @Option(names = "--skew", paramLabel = "S",
            description = "moe: skew of the experts, 0 to 10. The k-th expert gets a share of the tokens proportional "
                + "to k^-S (default: 0, equal shares).")
        Double typedSkew;

        private int groups = 1;
        private int rounds = 1;
        private int jobs = 1;
        private double skew;

        /** Creates options with no values set. */
        public Options() {
        }

        /**
         * Returns the collective with a name; null if the name is not that of a collective.
         *
         * @param name      typed name; null if there is none.
         * @param flowBytes typed bytes: of a node's buffer in an all-reduce, of its tokens in moe, otherwise of a flow.
         * @param load      typed load, which does not apply to collectives.
         * @param senders   typed senders of an incast, which do not apply to collectives.
         * @throws dev.skerry.tools.input.InputException if an option is out of range or was typed without a collective.
         */
        public Workload collective(final String name, final Long flowBytes, final Double load, final Integer senders) {
            final boolean any = typedGroups != null || typedRounds != null || typedJobs != null;
            if (name == null || !NAMES.contains(name) || name.equals("all-to-all") && !any) {
                refuse("the workload is not a collective", "leave it out or use one of " + String.join(", ", NAMES));
                return null;
            }
            final String why = "the workload is the collective '" + name + "'";
            Choices.refuse("--load", load, why, "leave it out or use short, heavy or web");
            Choices.refuse("--incast-senders", senders, why, "leave it out or use --groups");
            Choices.refuseIf(typedSkew != null && !name.equals("moe"), "--skew", typedSkew,
                "only the experts of moe have a skew", "leave it out or add --workload moe");
            groups = Choices.inRange("--groups", typedGroups, 1, MAX_FLOWS, 1);
            rounds = Choices.inRange("--rounds", typedRounds, 1, MAX_FLOWS, 1);
            jobs = Choices.inRange("--concurrent", typedJobs, 1, MAX_FLOWS, 1);
            skew = typedSkew == null ? 0 : typedSkew;
            Choices.refuseIf(!(skew >= 0 && skew <= 10), "--skew", typedSkew, "not a number from 0 to 10",
                "give for example 1");
            final long bytes = flowBytes != null ? flowBytes : switch (name) {
                case "all-to-all" -> AllToAll.DEFAULT_FLOW_BYTES;
                case "incast-rounds" -> Incast.DEFAULT_FLOW_BYTES;
                default -> MEGABYTE;
            };
            Choices.refuseIf(bytes < 1, "--flow-bytes", bytes, "a flow has at least one byte", "give 1 or more");
            return new Collective(name, bytes, this);
        }

        /** Refuses all typed options. */
        public void refuse(final String why, final String advice) {
            Choices.refuse("--groups", typedGroups, why, advice);
            Choices.refuse("--rounds", typedRounds, why, advice);
            Choices.refuse("--concurrent", typedJobs, why, advice);
            Choices.refuse("--skew", typedSkew, why, advice);
        }

        /** Adds the options as they would be typed. */
        public void describe(final Map<String, String> settings) {
            Choices.put(settings, "groups", typedGroups);
            Choices.put(settings, "rounds", typedRounds);
            Choices.put(settings, "concurrent", typedJobs);
            Choices.put(settings, "skew", typedSkew);
        }
    }
}
