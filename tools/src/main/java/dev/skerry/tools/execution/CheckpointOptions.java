package dev.skerry.tools.execution;

import dev.skerry.nic.fault.Fault;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.Scenario;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The options of {@code skerry run} that write checkpoints and go on from one (docs/checkpoints.md). */
public final class CheckpointOptions {
    private static final String EVERY = "--checkpoint-every";
    private static final Pattern PERIOD = Pattern.compile("([1-9][0-9]{0,11})(s|min|h|slots)");

    @Option(names = "--checkpoint", paramLabel = "DIR",
        description = "Write the state of the run into this folder when it is asked to stop (SIGTERM, Ctrl-C), and end "
            + "with code 75. --resume DIR goes on from there.")
    private Path folder;

    @Option(names = EVERY, paramLabel = "T",
        description = "With --checkpoint: also every so often: a number and s, min, h or slots, as 10min or 5000slots.")
    private String every;

    @Option(names = "--resume", paramLabel = "DIR",
        description = "Go on from the checkpoint in this folder; all other options as in the run that wrote it. If "
            + "--checkpoint names the same folder and nothing is in it yet, begin at slot 0.")
    private Path from;

    /**
     * Checks the options; null if there is nothing to write or to go on from.
     *
     * @param scenario to run.
     * @param out      whether there are result files.
     * @param limited  whether the run stops after some flows, which takes a run before it.
     * @throws InputException if they are wrong, mean nothing, or name no checkpoint of this run.
     */
    public Checkpoints checkpoints(final Scenario scenario, final boolean out, final boolean limited) {
        if (folder == null) {
            Choices.refuse(EVERY, every, "there is no folder for checkpoints", "add --checkpoint DIR");
        }
        if (folder == null && from == null) {
            return null;
        }
        final String option = folder == null ? "--resume" : "--checkpoint";
        final String named = folder == null ? from.toString() : folder.toString();
        if (scenario.engine().threading() != null) {
            throw new InputException(option, named, "checkpoints are written between slots, and with --mode threads "
                + "no slot is over everywhere at once", "leave out --mode threads, the result is the same");
        }
        if (limited) {
            throw new InputException(option, named, "--max-flows finds its last slot in a run of its own",
                "leave out --max-flows");
        }
        if (scenario.faults().plan().faults().stream().anyMatch(CheckpointOptions::isLate)) {
            throw new InputException(option, named, "a clock of the script is whole slots late, and what is under way "
                + "from such a node is not written", "leave out the option, or late-slots of the script");
        }
        final Matcher period = every == null ? null : PERIOD.matcher(every);
        if (period != null && !period.matches()) {
            throw new InputException(EVERY, every, "not a period",
                "give a number from 1 on and s, min, h or slots, for example 10min");
        }
        if (folder != null && Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new InputException("--checkpoint", folder.toString(), "not a folder", "name a folder");
        }
        final Checkpoints.Period written = new Checkpoints.Period(nanos(period), slots(period));
        return Checkpoints.of(scenario, out, folder, written, from);
    }

    private static boolean isLate(final Fault fault) {
        return fault instanceof final Fault.Clock clock && clock.lateSlots() > 0;
    }

    private static long slots(final Matcher period) {
        return period != null && period.group(2).equals("slots") ? Long.parseLong(period.group(1)) : Long.MAX_VALUE;
    }

    private static long nanos(final Matcher period) {
        if (period == null) {
            return Long.MAX_VALUE;
        }
        final long number = Long.parseLong(period.group(1));
        return switch (period.group(2)) {
            case "s" -> TimeUnit.SECONDS.toNanos(number);
            case "min" -> TimeUnit.MINUTES.toNanos(number);
            case "h" -> TimeUnit.HOURS.toNanos(number);
            default -> Long.MAX_VALUE;
        };
    }
}
