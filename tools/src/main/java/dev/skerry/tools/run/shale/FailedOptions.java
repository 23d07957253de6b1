package dev.skerry.tools.run.shale;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The options of Shale that select failed nodes, and the population without these nodes. */
public final class FailedOptions {
    static final String IDS = "--failed-ids";
    static final String EXCHANGE = "--exchange-coordinates";
    private static final Pattern RANGE = Pattern.compile("(\\d{1,7})(?:-(\\d{1,7}))?");

    @Option(names = IDS, paramLabel = "LIST",
        description = "Shale: ids of the nodes that are down, for example 0-15,40. Replaces --failed-nodes; node ids "
            + "in a trace count the other nodes only.")
    public String ids;

    @Option(names = EXCHANGE,
        description = "Shale: spread the nodes of --failed-ids evenly. Before the run they exchange coordinates with "
            + "other nodes, so that the failed nodes are spread evenly over the phase groups.")
    public boolean exchange;

    @Option(names = "--fill",
        description = "Shale: let the surplus nodes forward cells if N is not r^H. The authors' simulator does the "
            + "same; by default these nodes are marked as failed.")
    public boolean fill;

    @Option(names = "--respray-last-hop",
        description = "Shale, with --faults: reroute cells whose last link has failed. They start again with "
            + "spraying hops; in the paper they are dropped.")
    boolean resprayLastHop;
    /** Tells whether no node was selected. */
    boolean isEmpty() {
        return ids == null && !exchange;
    }

    /**
     * Returns the nodes of a fabric without the failed ones.
     *
     * @param remarks receives a line on how evenly the failed nodes are distributed.
     * @throws InputException if the options contradict each other or the fabric.
     */
    Population population(final RunOptions options, final Phased schedule, final List<String> remarks) {
        if (ids == null) {
            Choices.refuse(EXCHANGE, exchange ? true : null, "nodes that the fabric chooses are already spread evenly",
                "leave it out or name the nodes with " + IDS);
            return Population.of(schedule, options.nodes, options.failedNodes);
        }
        Choices.refuse("--failed-nodes", options.failedNodes == 0 ? null : options.failedNodes, IDS + " is given too",
            "leave one of them out");
        Choices.refuse("--fill", fill ? true : null, IDS + " is given too", "leave one of them out");
        final String interleave = options.own.of(ShaleOptions.class).interleave;
        Choices.refuse(EXCHANGE, exchange && interleave != null ? true : null,
            "each of the schedules that share the slots has coordinates of its own", "leave out "
                + "--exchange-coordinates or --interleave");
        final BitSet failed = failed(options.nodes);
        try {
            final Population population = Population.failing(schedule, options.nodes, failed, exchange);
            remark(schedule, options.nodes, failed, population, remarks);
            return population;
        } catch (final IllegalArgumentException e) {
            throw new InputException(IDS, ids, e.getMessage(), exchange ? "let fewer nodes fail"
                : "let fewer nodes fail or add " + EXCHANGE);
        }
    }

    private void remark(final Phased schedule, final int nodes, final BitSet failed, final Population population,
        final List<String> remarks) {
        final int lacks = population.mostAbsentOfGroup();
        final String says = String.format(Locale.ROOT, "%,d nodes have failed, at most %d per phase group",
            failed.cardinality(), lacks);
        if (exchange) {
            remarks.add(says + ", after failed nodes have exchanged their coordinates with others");
            return;
        }
        final int even = Population.failing(schedule, nodes, failed, true).mostAbsentOfGroup();
        remarks.add(even < lacks ? says + "; with " + EXCHANGE + " it would be " + even : says);
    }

    private BitSet failed(final int nodes) {
        final BitSet failed = new BitSet();
        for (final String part : ids.split(",", -1)) {
            final Matcher range = RANGE.matcher(part.strip());
            Choices.refuseIf(!range.matches(), IDS, ids, "'" + part + "' is neither a node nor a range of nodes",
                "write for example 0-15,40");
            final int from = Integer.parseInt(range.group(1));
            final int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
            Choices.refuseIf(to < from || to >= nodes, IDS, ids, "'" + part + "' is not a range of existing "
                + "nodes", "give nodes of 0 to "
                + (nodes - 1) + ", the lower one first");
            failed.set(from, to + 1);
        }
        Choices.refuseIf(failed.cardinality() > nodes - 2, IDS, ids, "fewer than two nodes are left",
            "let fewer nodes fail");
        return failed;
    }

    /** Adds the options as they would be typed. */
    void describe(final Map<String, String> settings) {
        if (ids != null) {
            settings.put(IDS.substring(2), ids);
            settings.put(EXCHANGE.substring(2), Boolean.toString(exchange));
        }
    }
}
