package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import dev.skerry.tools.run.NodeChoice;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code skerry sva}: writes the bind file that checks a device with assertions. */
@Command(name = "sva", description = {
        "Writes a SystemVerilog bind file that checks a Shale node with assertions.",
        "",
        "DESCRIPTION is one line, in the format for followers (docs/rtl.md). The file binds skerry_shale_laws "
            + "(tools/cosim/sv/skerry_shale_laws.sv) to each instance of a module and sets its parameters. Compile "
            + "both with your device and enable assertions.",
        ""
    },
    footer = {
        "",
        "Example, where the module has the words as signals sent_route, sent_cell and so on:",
        "  ./skerry sva 'shale-follower node=5 nodes=9 h=2 propagation=3' --bind my_nic > my_laws.sv"
    })
public final class SvaCommand extends ToolCommand {
    private static final long MOST_ENTRIES = 4096;
    private static final String KIND = "shale-follower";
    private static final Set<Setting> SETTINGS = EnumSet.of(Setting.RECEIVE_FIRST, Setting.TOKENS_A_SLOT,
        Setting.OWED_LATENCY, Setting.SCAN_DEPTH);
    private static final List<String> PORTS = List.of("clk", "rst", "sent_valid", "sent_route", "sent_cell",
        "sent_feedback", "received_valid", "received_route", "received_cell", "received_feedback", "registers_valid",
        "queue_length", "queue_outstanding", "queue_owed");

    @Parameters(paramLabel = "DESCRIPTION", description = "Device: shale-follower and its settings.")
    String description;

    @Option(names = "--bind", paramLabel = "MODULE", required = true, description = "Module to check.")
    String module;

    @Option(names = "--connect", paramLabel = "NAME=EXPRESSION",
        description = "Expression in the scope of the module for a port or parameter of skerry_shale_laws, such as "
            + "NODE=NODE; can be given several times (default: ports are connected to signals of their names, and "
            + "parameters follow from the description).")
    Map<String, String> connections = new LinkedHashMap<>();

    @Override
    public Integer call() {
        final Map<String, String> parameters;
        try {
            parameters = parameters(Description.of(description));
        } catch (final IllegalArgumentException e) {
            throw new InputException("description", description, e.getMessage(), "change it");
        }
        final Map<String, String> ports = new LinkedHashMap<>();
        connections.forEach((name, expression) -> {
            Choices.refuseIf(!PORTS.contains(name) && !parameters.containsKey(name), "--connect", name,
                "skerry_shale_laws has no such port or parameter", "give one of " + String.join(", ", PORTS) + ", "
                + String.join(", ", parameters.keySet()));
            (PORTS.contains(name) ? ports : parameters).put(name, expression);
        });
        out().print("""
            // Written by skerry sva for: %s
            bind %s skerry_shale_laws #(
                %s
            ) laws (
                %s.*
            );
            """.formatted(description, module, list(parameters, ",\n    "),
            ports.isEmpty() ? "" : list(ports, ",\n    ") + ",\n    "));
        out().flush();
        return 0;
    }

    private static String list(final Map<String, String> values, final String between) {
        return values.entrySet().stream().map(each -> "." + each.getKey() + "(" + each.getValue() + ")")
            .collect(Collectors.joining(between));
    }

    /** Returns the parameters of the assertions. */
    private static Map<String, String> parameters(final Description description) {
        refuseIf(!description.kind().equals(KIND), "assertions are for a " + KIND);
        final Map<String, String> left = new TreeMap<>(description.values());
        final int node = Description.number(left, "node", 0);
        final FollowRules rules = Description.ofFollower(left);
        final NodeChoice run = NodeChoice.of("shale", left);
        rules.settings().keySet().stream().filter(setting -> !SETTINGS.contains(setting)).findFirst()
            .ifPresent(setting -> refuseIf(true, "assertions have no setting " + setting.word()));
        refuseIf(rules.full() != Full.COUNT, "assertions have no setting full");
        if (!(run.fabric() instanceof final Shale shale) || !run.faults().isEmpty()
            || shale.population().endpoints() < shale.nodes()) {
            throw new IllegalArgumentException(
                "assertions are for one schedule without failures, with as many nodes as the schedule has");
        }
        final MechanismSet mechanisms = shale.mechanisms();
        refuseIf(mechanisms.control() != HopByHop.FACTORY || mechanisms.endToEnd() != null
            || mechanisms.order() != QueueOrder.ARRIVAL, "assertions are for hop-by-hop tokens and queues in order of "
            + "arrival: cc=" + mechanisms.label());
        // With h = 1, the bucket of a forwarded cell is that of a local one.
        refuseIf(shale.schedule().phases() < 2, "assertions are from h=2 on");
        refuseIf(node < 0 || node >= shale.nodes(), "there is no such node: node=" + node);
        return parameters(shale, node, rules);
    }

    private static Map<String, String> parameters(final Shale shale, final int node, final FollowRules rules) {
        final int phases = shale.schedule().phases();
        // Bounds of docs/spec/shale.md §5.5, limited by the size of the tables.
        final long owed = (long) shale.nodes() * (shale.firstHopTokens() + (phases - 1) * shale.tokens());
        final boolean shortest = shale.mechanisms().spraying() == SprayRule.SHORTEST_QUEUE;
        final Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("RADIX", String.valueOf(shale.schedule().linksPerPhase() + 1));
        parameters.put("PHASES", String.valueOf(phases));
        parameters.put("NODE", String.valueOf(node));
        parameters.put("TOKENS", String.valueOf(shale.tokens()));
        parameters.put("FIRST_HOP_TOKENS", String.valueOf(shale.firstHopTokens()));
        parameters.put("PROPAGATION", String.valueOf(shale.propagationSlots()));
        parameters.put("RECEIVE_FIRST", bit(rules.is(Setting.RECEIVE_FIRST)));
        parameters.put("TOKENS_A_SLOT", String.valueOf(rules.get(Setting.TOKENS_A_SLOT)));
        parameters.put("OWED_LATENCY", String.valueOf(rules.get(Setting.OWED_LATENCY)));
        parameters.put("SCAN_DEPTH", String.valueOf(rules.get(Setting.SCAN_DEPTH)));
        parameters.put("SHORTEST", bit(shortest));
        parameters.put("LOWEST", bit(shortest && shale.mechanisms().ties() == TieRule.LOWEST));
        parameters.put("CELLS", String.valueOf(Math.min(owed * shale.schedule().epochSlots(), MOST_ENTRIES)));
        parameters.put("OWED", String.valueOf(Math.min(owed, MOST_ENTRIES)));
        return parameters;
    }

    private static String bit(final boolean value) {
        return value ? "1'b1" : "1'b0";
    }

    private static void refuseIf(final boolean wrong, final String why) {
        if (wrong) {
            throw new IllegalArgumentException(why);
        }
    }
}
