package dev.skerry.tools.execution;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.fault.Fault;
import dev.skerry.tools.execution.Checkpoints.CheckpointFiles;
import dev.skerry.tools.execution.FlowLimit.SearchFolder;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.run.Scenario;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The options of {@code skerry run} for writing checkpoints and for resuming from one (docs/checkpoints.md). */
public final class CheckpointOptions {
    private static final String EVERY = "--checkpoint-every";
    private static final String RESUME = "--resume";
    private static final String TRUST = "--trust-checkpoint";
    private static final Pattern SLOTS = Pattern.compile("([1-9][0-9]{0,11})slots");

    @Option(names = "--checkpoint", paramLabel = "DIR",
        description = "Write the state of the run to this folder when it is stopped (SIGTERM, Ctrl-C), and exit with "
            + "code 75. Continue with --resume DIR.")
    Path folder;

    @Option(names = EVERY, paramLabel = "T",
        description = "With --checkpoint: also write a checkpoint periodically. T is a number and s, min, h or "
            + "slots, for example 10min or 5000slots (default: only when stopped).")
    String every;

    @Option(names = RESUME, paramLabel = "DIR",
        description = "Continue from the checkpoint in this folder; all other options must be those of the run that "
            + "wrote it. If --checkpoint names the same folder and it has no checkpoint yet, start at slot 0.")
    Path from;

    @Option(names = TRUST,
        description = "With --resume: accept checkpoints of other users and skip the index checks, which otherwise "
            + "cost about 20 %% CPU time. A maliciously modified checkpoint can then run with your privileges.")
    boolean trusts;

    /**
     * Checks the options, but not the contents of the folder.
     *
     * @return whether there are checkpoints to write or to resume from.
     * @throws InputException if the options are invalid or have no effect.
     */
    public boolean check(final Scenario scenario) {
        if (folder == null) {
            Choices.refuse(EVERY, every, "there is no folder for checkpoints", "add --checkpoint DIR");
        }
        if (from == null) {
            Choices.refuse(TRUST, trusts ? true : null, "there is no checkpoint to continue from", "add --resume DIR");
        }
        if (folder == null && from == null) {
            return false;
        }
        final String option = folder == null ? RESUME : "--checkpoint";
        final String named = folder == null ? from.toString() : folder.toString();
        Choices.refuseIf(hasLateClocks(scenario), option, named, "the script makes a clock one or more slots late, "
            + "and checkpoints do not include the cells in flight from such a node", "leave out the option, or the "
            + "late clock of the script");
        period();
        if (from != null && !trusts) {
            checkOwners();
        }
        Choices.refuseIf(folder != null && Files.exists(folder) && !Files.isDirectory(folder), "--checkpoint", folder,
            "not a folder", "name a folder");
        return true;
    }

    /**
     * Returns the checkpoints of a run; null if there are none to write or to resume from.
     *
     * @param scenario the run.
     * @param out      whether there are result files.
     * @throws InputException if the options are invalid, have no effect, or do not name a checkpoint of this run.
     */
    public Checkpoints checkpoints(final Scenario scenario, final boolean out) {
        if (!check(scenario)) {
            return null;
        }
        // If the run was stopped during the search for its last slot, there is only the state of the search.
        final boolean begun = from != null && !CheckpointFiles.isIn(from) && SearchFolder.isIn(from);
        return Checkpoints.of(scenario.identity(out), new CheckpointFiles(folder, null), period(), begun ? null : from);
    }

    /** Returns the checkpoints of a member's part. All members must call this. */
    public Checkpoints checkpoints(final Scenario scenario, final boolean out, final MemberGroup group) {
        return !check(scenario) ? null : Checkpoints.of(scenario.identity(out) + "\nmembers=" + group.size()
            + "\nmember=" + group.self(), new CheckpointFiles(folder, group), period(), from);
    }

    /** Returns the folder from which the run can resume if this member ends now; null if nothing has been written. */
    public Path written(final MemberGroup group) {
        return folder != null && Files.exists(new CheckpointFiles(folder, group).latest()) ? folder : null;
    }

    /**
     * Returns the state of the search for the last slot of a run that ends after a number of flows; null if the state
     * is not stored.
     *
     * @param scenario the run, with the number of flows among its settings.
     * @throws InputException for the reasons given at {@link #checkpoints(Scenario, boolean)}.
     */
    SearchFolder search(final Scenario scenario) {
        if (!check(scenario)) {
            return null;
        }
        if (from != null && !SearchFolder.isIn(from)) {
            // Refuse a folder without data of this run before the search starts.
            Checkpoints.of(scenario.identity(false), new CheckpointFiles(folder, null), period(), from);
        }
        return SearchFolder.of(scenario, folder, period(), from);
    }

    private Checkpoints.Period period() {
        if (every == null) {
            return Checkpoints.Period.NEVER;
        }
        final Matcher slots = SLOTS.matcher(every);
        if (slots.matches()) {
            return new Checkpoints.Period(Long.MAX_VALUE, Long.parseLong(slots.group(1)));
        }
        final Duration time = Choices.time(every);
        Choices.refuseIf(time == null, EVERY, every, "not a period",
            "give a number from 1 on and s, min, h or slots, for example 10min");
        return new Checkpoints.Period(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE);
    }

    /**
     * Enables bounds checks of memory accesses if a command line resumes from a checkpoint that it does not declare as
     * trusted. Call this before any part of a fabric exists.
     */
    public static void guard(final List<String> words) {
        if (words.stream().anyMatch(word -> word.equals(RESUME) || word.startsWith(RESUME + "="))
            && !words.contains(TRUST)) {
            System.setProperty(Region.BOUNDS, "true");
        }
    }

    /** Refuses checkpoints that other users wrote or can write. */
    private void checkOwners() {
        try (Stream<Path> files = Files.isDirectory(from) ? Files.list(from) : Stream.of()) {
            for (final Path file : (Iterable<Path>) Stream.concat(Stream.of(from), files)::iterator) {
                Choices.refuseIf(!PrivateFiles.isOwn(file), RESUME, file, "it belongs to another user, and a "
                    + "checkpoint is as powerful as a program", "copy it and resume from the copy, which is checked, "
                    + "or add " + TRUST);
                Choices.refuseIf(PrivateFiles.isWritableByAll(file), RESUME, file, "every user can write it, and a "
                    + "checkpoint is as powerful as a program", "remove this permission with chmod o-w, or "
                    + "add " + TRUST);
            }
        } catch (final NoSuchFileException e) {
            // Nothing has been written yet; the caller handles this case.
            assert e != null;
        } catch (final IOException e) {
            throw new InputException(RESUME, from.toString(), "it cannot be read: " + e, "check its permissions");
        }
    }

    /**
     * Tells whether a clock is late by whole slots. What such a node has sent is kept outside the links, and
     * checkpoints do not include it.
     */
    static boolean hasLateClocks(final Scenario scenario) {
        return scenario.faults().plan().faults().stream().anyMatch(fault ->
            fault instanceof final Fault.Clock clock && clock.lateSlots() > 0);
    }
}
