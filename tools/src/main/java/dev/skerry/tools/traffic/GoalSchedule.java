package dev.skerry.tools.traffic;

import dev.skerry.tools.input.InputException;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.LongArrayList;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a GOAL schedule in its text form: the sends, receives and computations of the ranks of a job, with their
 * dependencies.
 *
 * <pre>
 *   num_ranks 2
 *   rank 0 {
 *   l1: calc 100                    100 ns
 *   l2: send 1000b to 1 tag 3
 *   l2 requires l1                  l2 begins when l1 is over; irequires: when it has begun
 *   }
 *   rank 1 {
 *   l1: recv 1000b from 0 tag 3
 *   }
 * </pre>
 *
 * <p>A send is a flow and is complete when the flow has been delivered. A receive is complete when its flow has been
 * delivered and the receive has begun. Sends and receives between two ranks are matched by tag, in the order of the
 * file. Operations wait for others directly or through joins. A computation is a join with a delay; if no flow precedes
 * it, it delays the start of the flows that require it. {@code cpu} and {@code nic} are ignored. Not thread-safe.
 */
final class GoalSchedule {
    /** Possible beginnings of a schedule: its first line, or a comment. */
    static final List<String> BEGINNINGS = List.of("num_ranks", "//", "/*");
    private static final int NONE = -1;
    /** Offset of the numbers of receives, which distinguishes them from flows. */
    private static final long RECEIVE = 1L << 40;
    /** Maximum total duration of all computations. */
    private static final long MOST_NS = 1L << 53;
    private static final String USUAL = "write for example l1: send 100b to 1 tag 0, l2: recv 100b from 1 tag 0, l3: "
        + "calc 100, or l3 requires l2";

    private final String what;
    private final LineReader lines;
    private final int endpoints;
    private final IntHashSet closed = new IntHashSet();
    private final Map<Channel, Ends> channels = new LinkedHashMap<>();
    /** Properties of flows. */
    private final IntArrayList sources = new IntArrayList();
    private final IntArrayList destinations = new IntArrayList();
    private final LongArrayList bytes = new LongArrayList();
    private final LongArrayList startNs = new LongArrayList();
    /** Delays of joins. */
    private final LongArrayList joinNs = new LongArrayList();
    /** Dependencies: a flow, join or receive, and the flow or join that waits for it. */
    private final LongArrayList before = new LongArrayList();
    private final LongArrayList after = new LongArrayList();
    private long ranks = NONE;
    private long receives;
    private long computedNs;
    private boolean namesPlaces;
    private boolean inComment;
    /** The current rank; null between ranks. */
    private Rank rank;

    /** The messages from one rank to another with the same tag. */
    private record Channel(long from, long to, long tag) {
    }

    /** Flows and receives of a channel in order, and the sizes of the receives. */
    private record Ends(LongArrayList flows, LongArrayList receives, LongArrayList receivedBytes) {
    }

    /** Creates an empty schedule, which {@link #read} extends line by line; error messages begin with {@code what}. */
    GoalSchedule(final String what, final LineReader lines, final int endpoints) {
        this.what = what;
        this.lines = lines;
        this.endpoints = endpoints;
    }

    /** Reads the current line. */
    void read() {
        final List<String> words = words();
        if (words.isEmpty()) {
            return;
        }
        switch (words.getFirst()) {
            case "num_ranks" -> {
                refuseIf(ranks != NONE, "num_ranks is given twice", "leave one out");
                ranks = words.size() == 2 ? number(words.get(1)) : NONE;
                refuseIf(ranks < 1, "num_ranks needs a whole number", "write for example num_ranks 16");
                refuseIf(ranks > endpoints, "the schedule has " + ranks + " ranks and the fabric " + endpoints
                    + " nodes", "add --nodes " + ranks);
            }
            case "rank" -> {
                final long number = words.size() == 3 && words.get(2).equals("{") ? number(words.get(1)) : NONE;
                refuseIf(rank != null || number < 0 || number >= ranks, "no rank of the schedule begins here",
                    "write rank 0 { to rank " + Math.max(0, ranks - 1) + " { after num_ranks, and } after each");
                refuseIf(!closed.add((int) number), "rank " + number + " is defined twice", "leave one out");
                rank = new Rank((int) number);
            }
            case "}" -> {
                refuseIf(rank == null || words.size() > 1, "there is no rank to end here", USUAL);
                rank.close();
                rank = null;
            }
            default -> {
                refuseIf(rank == null, InputException.quoted(words.getFirst()) + " is outside of any rank",
                    "write rank 0 { before it");
                rank.read(words);
            }
        }
    }

    /** Returns the words of the line, without comments. */
    private List<String> words() {
        final List<String> words = new ArrayList<>();
        for (int field = 0; field < lines.fields(); field++) {
            final String word = lines.text(field);
            if (!inComment && word.startsWith("//")) {
                break;
            }
            if (inComment || word.startsWith("/*")) {
                inComment = !word.endsWith("*/");
            } else {
                words.add(word);
            }
        }
        return words;
    }

    /** Parses a whole number from 0 to 2^53; returns -1 for other text. */
    private static long number(final String text) {
        try {
            final long number = text.startsWith("+") ? NONE : Long.parseLong(text);
            return number > MOST_NS ? NONE : Math.max(NONE, number);
        } catch (final NumberFormatException e) {
            return NONE;
        }
    }

    /** Returns the number of flows that have been read. */
    int flows() {
        return sources.size();
    }

    int source(final int flow) {
        return sources.getInt(flow);
    }

    int destination(final int flow) {
        return destinations.getInt(flow);
    }

    long bytes(final int flow) {
        return bytes.getLong(flow);
    }

    /** Returns the earliest start of a flow. */
    long startNs(final int flow) {
        return startNs.getLong(flow);
    }

    /** Tells whether an operation names a cpu or nic other than 0. */
    boolean namesPlaces() {
        return namesPlaces;
    }

    /**
     * Completes the schedule and adds the waits of its flows.
     *
     * @throws InputException if a rank is not closed, or sends and receives do not match.
     */
    void apply(final TraceWaits waits, final double slotNs) {
        refuseIf(rank != null || inComment, "the last rank or comment is not closed", "add } or */");
        final long[] received = new long[(int) receives];
        channels.forEach((channel, ends) -> {
            refuseIf(ends.flows.size() != ends.receives.size(), "sends and receives from rank "
                + channel.from + " to rank " + channel.to + " with tag " + channel.tag + " do not match: "
                + ends.flows.size() + " and " + ends.receives.size(), "give as many of both");
            for (int i = 0; i < ends.flows.size(); i++) {
                final long sent = bytes((int) ends.flows.getLong(i));
                refuseIf(ends.receivedBytes.getLong(i) != sent, "message " + (i + 1) + " from rank " + channel.from
                    + " to rank " + channel.to + " with tag " + channel.tag + " has " + sent + " bytes, its receive "
                    + ends.receivedBytes.getLong(i), "give both the same size");
                received[(int) ends.receives.getLong(i)] = ends.flows.getLong(i);
            }
        });
        // Dependencies on a join come after those of the join itself.
        final long[] number = new long[joinNs.size()];
        long joins = 0;
        for (int pair = before.size() - 1; pair >= 0; pair--) {
            final long waiting = after.getLong(pair);
            final long awaited = before.getLong(pair);
            if (awaited < 0 && (waiting >= 0 || number[joinOf(waiting)] != 0) && number[joinOf(awaited)] == 0) {
                number[joinOf(awaited)] = TraceWaits.FIRST_JOIN - joins++;
                waits.delay(number[joinOf(awaited)], Math.round(joinNs.getLong(joinOf(awaited)) / slotNs));
            }
        }
        for (int pair = 0; pair < before.size(); pair++) {
            final long awaited = before.getLong(pair);
            final long waiting = after.getLong(pair);
            if (waiting >= 0 || number[joinOf(waiting)] != 0) {
                waits.add(waiting < 0 ? number[joinOf(waiting)] : waiting, awaited < 0 ? number[joinOf(awaited)]
                    : awaited >= RECEIVE ? received[(int) (awaited - RECEIVE)] : awaited);
            }
        }
    }

    private static int joinOf(final long number) {
        return (int) (TraceWaits.FIRST_JOIN - number);
    }

    private void pair(final long awaited, final long waiting) {
        before.addLong(awaited);
        after.addLong(waiting);
    }

    private long join(final long delayNs) {
        joinNs.addLong(delayNs);
        return TraceWaits.FIRST_JOIN - (joinNs.size() - 1);
    }

    private void refuseIf(final boolean isWrong, final String why, final String advice) {
        if (isWrong) {
            throw new InputException(what, lines.where(), why, advice);
        }
    }

    /** A rank with its operations. */
    private final class Rank {
        private final int number;
        private final Map<String, Integer> labels = new HashMap<>();
        /** Kind of each operation, and its flow, receive or time. */
        private final List<Kind> kinds = new ArrayList<>();
        private final LongArrayList values = new LongArrayList();
        /**
         * Dependencies: an operation, and the one that it requires; its complement if that one must only have begun.
         */
        private final IntArrayList waiting = new IntArrayList();
        private final IntArrayList awaited = new IntArrayList();
        /**
         * For each operation, what it waits for or {@link #NONE}, and its earliest start; set when the rank is closed.
         */
        private long[] ready;
        private long[] readyNs;
        private boolean[] hasJoin;

        private enum Kind { SEND, RECEIVE, COMPUTE }

        Rank(final int number) {
            this.number = number;
        }

        void read(final List<String> words) {
            if (words.size() == 3 && words.get(1).endsWith("requires")) {
                final boolean begun = words.get(1).equals("irequires");
                refuseIf(!begun && !words.get(1).equals("requires"), InputException.quoted(words.get(1))
                    + " is not an operation", USUAL);
                waiting.addInt(labelled(words.getFirst()));
                awaited.addInt(begun ? ~labelled(words.get(2)) : labelled(words.get(2)));
                return;
            }
            final boolean hasLabel = words.getFirst().endsWith(":");
            if (hasLabel) {
                final String label = words.getFirst().substring(0, words.getFirst().length() - 1);
                refuseIf(labels.put(label, kinds.size()) != null, "the label " + InputException.quoted(label)
                    + " is used twice", "give another one");
            }
            operation(hasLabel ? words.subList(1, words.size()) : words);
        }

        private int labelled(final String label) {
            final Integer operation = labels.get(label);
            refuseIf(operation == null, "no operation above has the label " + InputException.quoted(label), USUAL);
            return operation;
        }

        private void operation(final List<String> words) {
            final String name = words.isEmpty() ? "" : words.getFirst();
            final boolean isSend = name.equals("send");
            if (isSend || name.equals("recv")) {
                refuseIf(words.size() < 4 || !words.get(1).endsWith("b")
                    || !words.get(2).equals(isSend ? "to" : "from"),
                    InputException.quoted(name) + " needs bytes and a rank", USUAL);
                message(isSend, words);
            } else {
                refuseIf(!name.equals("calc") || words.size() < 2, InputException.quoted(name) + " is not an operation",
                    USUAL);
                final long ns = number(words.get(1));
                computedNs += Math.max(0, ns);
                refuseIf(ns < 0 || computedNs > MOST_NS, InputException.quoted(words.get(1)) + " is not a time, or the "
                    + "computations add up to more than 2^53 ns", "give whole ns");
                places(words, 2);
                kinds.add(Kind.COMPUTE);
                values.addLong(ns);
            }
        }

        private void message(final boolean isSend, final List<String> words) {
            final long size = number(words.get(1).substring(0, words.get(1).length() - 1));
            final long peer = number(words.get(3));
            refuseIf(!isSend && words.get(3).equals("-1"), "which flow is received from any rank depends on the run",
                "name the rank");
            refuseIf(size < 0, InputException.quoted(words.get(1)) + " is not a size", "write for example 100b");
            refuseIf(peer < 0 || peer >= ranks || peer == number, InputException.quoted(words.get(3))
                + " is not another rank", "give 0 to " + (ranks - 1));
            final long tag = places(words, 4);
            final Ends ends = channels.computeIfAbsent(isSend ? new Channel(number, peer, tag)
                : new Channel(peer, number, tag),
                _ -> new Ends(new LongArrayList(), new LongArrayList(), new LongArrayList()));
            kinds.add(isSend ? Kind.SEND : Kind.RECEIVE);
            values.addLong(isSend ? flows() : receives);
            if (isSend) {
                ends.flows.addLong(flows());
                sources.addInt(number);
                destinations.addInt((int) peer);
                bytes.addLong(Math.max(1, size));
                startNs.addLong(0);
            } else {
                ends.receives.addLong(receives++);
                ends.receivedBytes.addLong(Math.max(1, size));
            }
        }

        /** Parses the cpu, nic and tag of an operation; returns the tag. */
        private long places(final List<String> words, final int from) {
            long tag = 0;
            for (int at = from; at < words.size(); at += 2) {
                final boolean isTag = words.get(at).equals("tag") && from == 4;
                refuseIf(!isTag && !List.of("cpu", "nic").contains(words.get(at)) || at + 1 == words.size(),
                    InputException.quoted(words.get(at)) + " is not part of an operation or has no value", USUAL);
                final long value = number(words.get(at + 1));
                refuseIf(isTag && words.get(at + 1).equals("-1"), "which flow is received with any tag depends on the "
                    + "run", "name the tag");
                refuseIf(value < 0, InputException.quoted(words.get(at + 1)) + " is not a whole number", USUAL);
                tag = isTag ? value : tag;
                namesPlaces |= !isTag && value > 0;
            }
            return tag;
        }

        /** Resolves the operations of the rank, in topological order. */
        void close() {
            final int count = kinds.size();
            ready = new long[count];
            Arrays.fill(ready, NONE);
            readyNs = new long[count];
            hasJoin = new boolean[count];
            final int[] left = new int[count];
            final int[] first = new int[count];
            final int[] next = new int[waiting.size()];
            Arrays.fill(first, NONE);
            for (int pair = 0; pair < next.length; pair++) {
                final int of = awaited.getInt(pair) < 0 ? ~awaited.getInt(pair) : awaited.getInt(pair);
                next[pair] = first[of];
                first[of] = pair;
                left[waiting.getInt(pair)]++;
            }
            final IntArrayList order = new IntArrayList();
            for (int operation = 0; operation < count; operation++) {
                if (left[operation] == 0) {
                    order.addInt(operation);
                }
            }
            for (int i = 0; i < order.size(); i++) {
                final int operation = order.getInt(i);
                final long overNs = readyNs[operation]
                    + (kinds.get(operation) == Kind.COMPUTE ? values.getLong(operation) : 0);
                final long over = over(operation);
                for (int pair = first[operation]; pair != NONE; pair = next[pair]) {
                    final boolean begun = awaited.getInt(pair) < 0;
                    final int behind = waiting.getInt(pair);
                    readyNs[behind] = Math.max(readyNs[behind], begun ? readyNs[operation] : overNs);
                    awaits(behind, begun ? ready[operation] : over);
                    if (--left[behind] == 0) {
                        order.addInt(behind);
                    }
                }
            }
            refuseIf(order.size() < count, "operations of rank " + number + " require each other",
                "remove one of these lines");
        }

        /**
         * Returns the flow, receive or join with which an operation is complete; {@link #NONE} if its end depends only
         * on time.
         */
        private long over(final int operation) {
            final long waitsFor = ready[operation];
            final long value = values.getLong(operation);
            switch (kinds.get(operation)) {
                case SEND -> {
                    startNs.setLong((int) value, readyNs[operation]);
                    if (waitsFor != NONE) {
                        pair(waitsFor, value);
                    }
                    return value;
                }
                case RECEIVE -> {
                    return waitsFor == NONE ? RECEIVE + value : joined(0, waitsFor, RECEIVE + value);
                }
                default -> {
                    return waitsFor == NONE || value == 0 ? waitsFor : joined(value, waitsFor);
                }
            }
        }

        private long joined(final long delayNs, final long... of) {
            final long join = join(delayNs);
            for (final long one : of) {
                pair(one, join);
            }
            return join;
        }

        /** Adds a dependency to an operation. */
        private void awaits(final int operation, final long of) {
            if (of == NONE) {
                return;
            }
            if (ready[operation] == NONE) {
                ready[operation] = of;
                return;
            }
            if (!hasJoin[operation]) {
                hasJoin[operation] = true;
                ready[operation] = joined(0, ready[operation]);
            }
            pair(of, ready[operation]);
        }
    }
}
