package dev.skerry.tools.sweep;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a sweep runs, and what it asks of Slurm. */
final class SlurmOptions {
    static final String ENGINE = "--engine";
    private static final String LOCAL = "local";
    private static final String SLURM = "slurm";
    private static final Pattern PERIOD = Pattern.compile("([1-9][0-9]{0,5})(s|min|h)");

    @Option(names = ENGINE, paramLabel = "local|slurm", defaultValue = LOCAL,
        description = "Where to execute runs: as processes on this machine, or as Slurm job arrays submitted by "
            + "sbatch; all machines of Slurm must see the folder of the sweep and the program at the same path "
            + "(default: local).")
    String engine;

    @Option(names = "--time", paramLabel = "T",
        description = "Slurm: the time limit of a run, as 30min or 4h (default: three times what a probe of two "
            + "seconds forecasts, 5min at least). A run that can be resumed writes a checkpoint a minute before and is "
            + "queued again.")
    String time;

    @Option(names = "--checkpoint-every", paramLabel = "T",
        description = "Slurm: how often runs write a checkpoint, for machines that are lost (default: 10min).")
    String every;

    @Option(names = "--sbatch", paramLabel = "OPTION",
        description = "Slurm: one more option of sbatch, as --sbatch=--partition=long. May be given several times.")
    List<String> more = new ArrayList<>();

    @Option(names = "--detach", description = "Slurm: do not wait for the runs; see sweep status.")
    boolean detached;

    /** Whether runs go to Slurm; refuses what means nothing where they run. */
    boolean isSlurm(final String memory) {
        if (engine.equals(SLURM)) {
            Choices.refuse("--memory", memory, "each run asks Slurm for what it takes", "leave it out");
            limit();
            seconds("--checkpoint-every", every());
            return true;
        }
        if (!engine.equals(LOCAL)) {
            throw new InputException(ENGINE, engine, "there is no such choice", "use local or slurm");
        }
        Choices.refuse("--time", time, "runs of this machine have no limit", "leave it out or add --engine slurm");
        Choices.refuse("--checkpoint-every", every, "runs of this machine write no checkpoints",
            "leave it out or add --engine slurm");
        Choices.refuse("--sbatch", more.isEmpty() ? null : more.getFirst(), "this machine runs the sweep",
            "leave it out or add --engine slurm");
        Choices.refuse("--detach", detached ? "" : null, "runs of this machine end with the sweep",
            "leave it out or add --engine slurm");
        return false;
    }

    /** The time limit that was given; null if a probe has to tell. */
    Duration limit() {
        return time == null ? null : seconds("--time", time);
    }

    /** Time between two checkpoints of a run, as {@code run} reads it. */
    String every() {
        return every == null ? "10min" : every;
    }

    List<String> more() {
        return more;
    }

    boolean isDetached() {
        return detached;
    }

    private static Duration seconds(final String option, final String typed) {
        final Matcher period = PERIOD.matcher(typed);
        if (!period.matches()) {
            throw new InputException(option, typed, "it is no time",
                "give a number and s, min or h, for example 30min");
        }
        final long number = Long.parseLong(period.group(1));
        return switch (period.group(2)) {
            case "s" -> Duration.ofSeconds(number);
            case "min" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }
}
