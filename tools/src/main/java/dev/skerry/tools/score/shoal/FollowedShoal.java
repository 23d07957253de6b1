package dev.skerry.tools.score.shoal;

import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalFabricFollower;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.shoal.ShoalWords;
import dev.skerry.tools.score.FollowedKind;
import picocli.CommandLine.Option;

/** Options and followers for recorded Shoal nodes. Not thread-safe. */
public final class FollowedShoal implements FollowedKind {
    @Option(names = "--channels", paramLabel = "C",
        description = "Shoal: number of channels per node, each with its own circuit (default: 1).")
    Integer channels;

    @Option(names = "--shoal-rule", paramLabel = "NAME",
        description = "Shoal: rule by which cells are released to relays: exact or paper-literal (default: exact).")
    String rule;

    @Option(names = "--shoal-schedule", paramLabel = "NAME",
        description = "Shoal: order of the round robin: plain, or delay, which hides a propagation delay (default: "
            + "plain).")
    String schedule;

    private Shoal fabric(final int nodes, final int propagation) {
        final int count = Choices.inRange("--channels", channels, 1, nodes - 1, 1);
        final ReleaseRule released = released();
        final boolean isPlain = Choices.oneOf("--shoal-schedule", schedule, "plain", "delay").equals("plain");
        try {
            return Shoal.of(isPlain ? RoundRobin.plain(nodes, count)
                : RoundRobin.rearranged(nodes, count, propagation), released, true, propagation);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--fabric", "shoal", e.getMessage(),
                "check --nodes, --channels, --shoal-schedule "
                + "and --propagation-slots");
        }
    }

    private ReleaseRule released() {
        return switch (rule) {
            case null -> ReleaseRule.EXACT;
            case "exact" -> ReleaseRule.EXACT;
            case "paper-literal" -> ReleaseRule.PAPER_LITERAL;
            default -> throw new InputException("--shoal-rule", rule, "only devices with two of the rules can be "
                + "followed", "use exact or paper-literal");
        };
    }

    @Override
    public String name() {
        return "shoal";
    }

    @Override
    public LinkWords words() {
        return new ShoalWords();
    }

    @Override
    public FabricFollower follower(final Recording of, final FindingLog log) {
        return new ShoalFabricFollower(fabric(of.nodes(), of.propagationSlots()), of.names(),
            FollowRules.STRICT.with(Setting.SILENCE, of.silence()), log);
    }
}
