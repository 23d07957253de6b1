package dev.skerry.tools.run;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The fabric and the flows of a run by the settings that {@code skerry run} has as options, to step one node of
 * it alone: with the same settings it is the same run. Immutable.
 *
 * @param fabric the fabric.
 * @param flows  of all its nodes.
 */
public record NodeChoice(CircuitFabric fabric, FlowSet flows) {
    private static final String PROPAGATION = "propagation";
    /** Options that only a run of all nodes has. */
    private static final Set<String> NOT_OF_A_NODE = Set.of("--fabric", "--mode", "--threads", "--nic-threads",
        "--switch-threads", "--idle", "--pin", "--clos-ports", "--check", "--faults");

    /**
     * Makes sense of settings.
     *
     * @param fabric   shale or shoal.
     * @param settings values of options by their names, without dashes: {@code firstHopTokens} for
     *                 {@code --first-hop-tokens}; {@code propagation} is in slots. What is left out is as in
     *                 {@code skerry run}.
     * @throws IllegalArgumentException if there is no such option or run.
     */
    public static NodeChoice of(final String fabric, final Map<String, String> settings) {
        final RunOptions options = new RunOptions();
        final CommandLine reader = new CommandLine(options);
        final List<String> arguments = new ArrayList<>(List.of("--fabric=" + fabric));
        settings.forEach((name, value) -> {
            final String option = option(name);
            if (NOT_OF_A_NODE.contains(option) || reader.getCommandSpec().findOption(option) == null) {
                throw new IllegalArgumentException("a node of " + fabric + " has no " + name);
            }
            arguments.add(option + "=" + value);
        });
        try {
            reader.parseArgs(arguments.toArray(String[]::new));
            final Scenario scenario = Scenario.of(options);
            if (scenario.flows().classes() > 1) {
                throw new IllegalArgumentException("a node alone has one traffic class: classes="
                    + scenario.flows().classes());
            }
            return new NodeChoice(scenario.choice().circuits(), scenario.flows());
        } catch (final ParameterException | InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static String option(final String name) {
        return name.equals(PROPAGATION) ? "--propagation-slots"
            : "--" + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }
}
