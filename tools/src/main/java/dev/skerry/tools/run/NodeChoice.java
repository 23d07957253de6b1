package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.spi.LinkWords;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The fabric and the flows of a run, from the settings that {@code skerry run} has as options, for stepping one node of
 * it. The same settings define the same run. Immutable.
 *
 * @param fabric the fabric.
 * @param flows  flows of all its nodes.
 * @param faults faults of the fabric.
 * @param words  layout of the words on its links.
 */
public record NodeChoice(CircuitFabric fabric, FlowSet flows, Faults faults, LinkWords words) {
    private static final int MOST_OFFERS = 1 << 24;
    private static final Pattern PAIR = Pattern.compile("(\\d{1,7})>(\\d{1,7})");
    private static final String PROPAGATION = "propagation";
    private static final String FAILURES = "failures";
    /** Options that apply only to runs of a whole fabric. */
    private static final Set<String> NOT_OF_A_PART = Set.of("--fabric", "--engine", "--mode", "--threads",
        "--nic-threads", "--switch-threads", "--idle", "--pin", "--check");

    /**
     * Creates the choice from settings.
     *
     * @param fabric   name of the kind of fabric.
     * @param settings values of options by their names in camel case without dashes, such as {@code firstHopTokens} for
     *     {@code --first-hop-tokens}; {@code propagation} is in slots. Defaults are those of {@code skerry run}. In
     *     addition, {@code pairs=0>1,1>2} defines endless flows instead of a workload, and {@code offers=K} reserves K
     *     flows that are added while the node runs. With {@code offers}, there are other flows only if {@code flows},
     *     {@code workload} or {@code pairs} is set. With {@code failures=1}, the node handles failures that are not in
     *     a script.
     * @throws IllegalArgumentException if there is no such option or run.
     */
    public static NodeChoice of(final String fabric, final Map<String, String> settings) {
        final Map<String, String> given = new TreeMap<>(settings);
        final String pairs = given.remove("pairs");
        final int open = offers(given.remove("offers"));
        final boolean guards = given.containsKey(FAILURES) && !"0".equals(given.remove(FAILURES));
        final Scenario scenario = scenario("a node", fabric, given);
        if (!(scenario.fabric() instanceof final CircuitFabric circuits)) {
            throw new IllegalArgumentException("no such model: nodes of a fabric of circuits are stepped alone: fabric="
                + fabric);
        }
        return new NodeChoice(circuits, pairs != null || open > 0
            ? flows(scenario, pairs, open, given) : scenario.flows(),
            guards ? scenario.faults().ofNode() : scenario.faults(), scenario.choice().words());
    }

    /**
     * Returns the run that settings define.
     *
     * @param what     part of the fabric to step, for errors.
     * @param fabric   name of the kind of fabric.
     * @param settings settings, as for {@link #of}.
     * @throws IllegalArgumentException if there is no such option or run.
     */
    public static Scenario scenario(final String what, final String fabric, final Map<String, String> settings) {
        final RunOptions options = new RunOptions();
        final CommandLine reader = options.reader();
        final List<String> arguments = new ArrayList<>(List.of("--fabric=" + fabric));
        settings.forEach((name, value) -> {
            final String option = option(name);
            if (NOT_OF_A_PART.contains(option) || reader.getCommandSpec().findOption(option) == null) {
                throw new IllegalArgumentException(what + " of " + fabric + " has no " + name);
            }
            arguments.add(option + "=" + value);
        });
        try {
            reader.parseArgs(arguments.toArray(String[]::new));
            return Scenario.of(options);
        } catch (final ParameterException | InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static int offers(final String text) {
        if (text == null) {
            return 0;
        }
        try {
            final int offers = Integer.parseInt(text);
            if (offers > 0 && offers <= MOST_OFFERS) {
                return offers;
            }
        } catch (final NumberFormatException e) {
            // Text that is not a number is refused below.
        }
        throw new IllegalArgumentException("offers must be 1 to " + MOST_OFFERS + ": offers=" + text);
    }

    /**
     * Returns the flows of pairs, or those of the run if a setting selects them, with room for flows that are added
     * later.
     */
    private static FlowSet flows(final Scenario scenario, final String pairs, final int open,
        final Map<String, String> given) {
        final String[] all = pairs == null ? new String[0] : pairs.split(",");
        final FlowSet ofRun = pairs == null && (given.containsKey("flows") || given.containsKey("workload"))
            ? scenario.flows() : new FlowSet();
        if (ofRun.waits() != null) {
            throw new IllegalArgumentException("a node alone does not know when flows of others end: flows wait");
        }
        final FlowSet flows = open == 0 ? new FlowSet() : FlowSet.open(all.length + ofRun.size() + open);
        for (final String pair : all) {
            addPair(flows, pair, scenario.choice().circuits().population().endpoints());
        }
        for (int flow = 0; flow < ofRun.size(); flow++) {
            flows.add(ofRun.id(flow), ofRun.source(flow), ofRun.destination(flow), ofRun.bytes(flow),
                ofRun.cells(flow), ofRun.startSlot(flow));
        }
        return flows;
    }

    private static void addPair(final FlowSet flows, final String pair, final int endpoints) {
        final Matcher of = PAIR.matcher(pair);
        if (!of.matches() || Integer.parseInt(of.group(1)) >= endpoints || Integer.parseInt(of.group(2)) >= endpoints
            || of.group(1).equals(of.group(2))) {
            throw new IllegalArgumentException("pairs are two of " + endpoints + " nodes each, as in 0>1,1>2: pair="
                + pair);
        }
        flows.add(flows.size(), Integer.parseInt(of.group(1)), Integer.parseInt(of.group(2)), Long.MAX_VALUE,
            FlowSet.ENDLESS, 0);
    }

    /**
     * Adds a flow while a node of the run is stepped; see {@code NodeModel.offer}.
     *
     * @param next next slot of the node.
     */
    public int offer(final long next, final long slot, final int source, final int destination, final int cells) {
        return flows.offer(fabric.population().endpoints(), next, slot, source, destination, cells);
    }

    private static String option(final String name) {
        return name.equals(PROPAGATION) ? "--propagation-slots"
            : "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
