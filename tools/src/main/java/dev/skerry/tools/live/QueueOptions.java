package dev.skerry.tools.live;

import dev.skerry.nic.edge.EdgeConfig;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What happens to packets where more come than can go. One thread. */
final class QueueOptions {
    private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(us|ms|s)");
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_S = 1e9;
    private static final long MOST_NS = 3_600_000_000_000L;

    @Option(names = "--queue-target", paramLabel = "TIME", defaultValue = "1ms",
        description = "How long packets should take at most where more come than can go, for example 500us: a "
            + "destination has as many cells of a port as the fabric carries in this time. off: as many as "
            + "--buffer-cells allow (default: ${DEFAULT-VALUE}).")
    String target;

    @Option(names = "--ecn", description = "Mark IP packets whose hosts understand it (ECN) when they have taken "
        + "longer than --queue-target.")
    boolean isMarking;

    @Mixin
    ClassOptions classes = new ClassOptions();

    /** Creates options for picocli, which then sets them. */
    QueueOptions() {
    }

    /** The same sizes and limits with these choices. */
    EdgeConfig over(final EdgeConfig config) {
        final long ns = targetNs();
        if (isMarking && ns == 0) {
            throw new InputException("--ecn", "on", "--queue-target is off: nothing says which packets to mark",
                "give a target or leave --ecn out");
        }
        return new EdgeConfig(config.format(), config.bufferCells(), config.stallNs(), config.slotsPerSecond(),
            config.whenFull(), ns, isMarking, classes.classes());
    }

    /** Number of traffic classes. */
    int classes() {
        return classes.classes().count();
    }

    private long targetNs() {
        if (target.equals("off")) {
            return 0;
        }
        final Matcher time = TIME.matcher(target);
        final double ns = !time.matches() ? 0 : Double.parseDouble(time.group(1)) * switch (time.group(2)) {
            case "us" -> NS_PER_US;
            case "ms" -> NS_PER_MS;
            default -> NS_PER_S;
        };
        if (!(ns >= 1 && ns <= MOST_NS)) {
            throw new InputException("--queue-target", target, "must be a time in us, ms or s, above 0, at most 3600s, "
                + "or off",
                "write for example 500us, 1ms or 0.1s");
        }
        return (long) ns;
    }
}
