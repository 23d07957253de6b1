package dev.skerry.tools.score;

import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.List;

/** The fabric of a recorded trace of Shoal, as options. */
final class ShoalOfTrace {
    /** What a trace of another fabric refuses. */
    static final List<String> OPTIONS = List.of("--channels", "--shoal-rule", "--shoal-schedule");

    @Option(names = "--channels", paramLabel = "C",
        description = "Shoal: channels of a node, each with its own circuit (default: 1).")
    Integer channels;

    @Option(names = "--shoal-rule", paramLabel = "NAME",
        description = "Shoal: when a cell may be released to a relay: exact or paper-literal (default: exact).")
    String rule;

    @Option(names = "--shoal-schedule", paramLabel = "NAME",
        description = "Shoal: order of the round robin: plain, or delay to hide a propagation delay (default: plain).")
    String schedule;

    /** Orders of the round robin. */
    private enum Order {
        PLAIN, DELAY
    }

    Shoal fabric(final int nodes, final int propagation) {
        final int count = channels == null ? 1 : Choices.inRange("--channels", channels, 1, nodes - 1);
        final ReleaseRule released = rule();
        final boolean isPlain = Choices.of("--shoal-schedule", schedule, Order.PLAIN, Order.values()) == Order.PLAIN;
        try {
            return Shoal.of(isPlain ? RoundRobin.plain(nodes, count)
                : RoundRobin.rearranged(nodes, count, propagation), released, true, propagation);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--fabric", "shoal", e.getMessage(), "check --nodes, --channels, --shoal-schedule "
                + "and --propagation-slots");
        }
    }

    private ReleaseRule rule() {
        return switch (rule) {
            case null -> ReleaseRule.EXACT;
            case "exact" -> ReleaseRule.EXACT;
            case "paper-literal" -> ReleaseRule.PAPER_LITERAL;
            default -> throw new InputException("--shoal-rule", rule, "only devices with two of the rules can be "
                + "followed", "use exact or paper-literal");
        };
    }
}
