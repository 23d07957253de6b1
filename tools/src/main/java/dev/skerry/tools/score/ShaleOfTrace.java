package dev.skerry.tools.score;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;

/** The fabric of a recorded trace of Shale, as options. */
final class ShaleOfTrace {
    /** What a trace of another fabric refuses. */
    static final List<String> OPTIONS = List.of("--state", "--h", "--cc", "--tokens", "--first-hop-tokens", "--ties",
        "--from", "--settle", "--free-order", "--tokens-a-slot", "--owed-fifo", "--queue-cells", "--full",
        "--register-bits", "--faults", "--miss-limit");

    @Option(names = "--h", paramLabel = "H", defaultValue = "2",
        description = "Phases, 1 to 8 (default: ${DEFAULT-VALUE}).")
    int phases;

    @Option(names = "--cc", paramLabel = "PARTS", defaultValue = "hbh+spray",
        description = "hbh+spray, a spraying hop takes a shortest queue; hbh+spray-bucket, a link with the least of "
            + "its bucket, and of these a shortest queue; hbh, any; each with +priority, which needs --free-order "
            + "(default: ${DEFAULT-VALUE}).")
    String control;

    @Option(names = "--tokens", paramLabel = "T", defaultValue = "1",
        description = "Budget of a bucket on a link, 1 to 255 (default: ${DEFAULT-VALUE}).")
    int tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF",
        description = "Budget of first hops, at least T (default: T).")
    Integer firstHopTokens;

    @Option(names = "--ties", paramLabel = "RULE",
        description = "Which of equally short links a cell has to take: lowest; rotating, the next after the one the "
            + "node took last in the phase; drawn or any, whichever (default: any).")
    String ties;

    @Option(names = "--miss-limit", paramLabel = "K",
        description = "With --faults: cells in a row that a link must fail to bring before it is down (default: 1).")
    Integer missLimit;

    /** What binds the device among equally short links. */
    private enum Ties {
        ANY(TieRule.DRAWN), DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

        private final TieRule rule;

        Ties(final TieRule rule) {
            this.rule = rule;
        }
    }

    /** The script of failures. */
    Faults faults(final Path file, final Shale of) {
        final Faults faults = new Faults(FaultReader.read(file, of.population(), 0), 1);
        if (faults.plan().faults().stream().anyMatch(Fault.Clock.class::isInstance)) {
            throw new InputException("--faults", file.toString(), "clocks that are off cannot be followed",
                "leave them out");
        }
        return faults;
    }

    /** @param freeOrder whether the order of the cells of a link is not judged. */
    Shale fabric(final int nodes, final int propagation, final boolean freeOrder) {
        Choices.inRange("--h", phases, 1, Phased.MAX_PHASES);
        Choices.inRange("--tokens", tokens, 1, Shale.MAX_TOKENS);
        final int first = firstHopTokens == null ? tokens
            : Choices.inRange("--first-hop-tokens", firstHopTokens, tokens, Shale.MAX_TOKENS);
        final int radix = Population.radixFor(phases, nodes);
        if (Math.round(Math.pow(radix, phases)) != nodes) {
            throw new InputException("--nodes", Integer.toString(nodes), "it is not r^" + phases + " for any r",
                "check --nodes and --h");
        }
        final Phased schedule = new Phased(phases, radix);
        return new Shale(schedule, Population.complete(schedule), mechanisms(freeOrder), tokens, first, propagation, 1,
            new FailureRules(missLimit == null ? 1 : Choices.inRange("--miss-limit", missLimit, 1,
                FailureRules.MAX_MISSES), false));
    }

    private MechanismSet mechanisms(final boolean freeOrder) {
        final Ties rule = Choices.of("--ties", ties, Ties.ANY, Ties.values());
        return switch (control) {
            case "hbh" -> {
                Choices.refuse("--ties", ties, "--cc hbh lets a cell take any link", "leave it out");
                yield Mechanisms.HBH;
            }
            case "hbh+spray-bucket" -> {
                Choices.refuse("--ties", ties, "with bucket spray any of the least links is accepted", "leave it out");
                yield Mechanisms.of(control);
            }
            case "hbh+priority", "hbh+spray+priority", "hbh+spray-short+priority", "hbh+spray-bucket+priority" -> {
                Choices.refuse("--ties", ties, "with priority any tie is accepted", "leave it out");
                if (!freeOrder) {
                    throw new InputException("--cc", control, "a trace has no ranks, so the order in which cells leave "
                        + "a queue cannot be judged", "add --free-order");
                }
                yield Mechanisms.of(control);
            }
            case "hbh+spray", "hbh+spray-short" -> Mechanisms.HBH_SPRAY.with(rule.rule);
            default -> throw new InputException("--cc", control, "only devices with hop-by-hop tokens can be followed",
                "use hbh, hbh+spray or hbh+spray-bucket, and +priority");
        };
    }
}
