package dev.skerry.tools.execution;

import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.engine.Resumable.EngineState;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.RunIdentity;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The checkpoints of a run: the time of the next one, their files, and the one from which the run resumes. Used by the
 * thread that owns the engine.
 */
public final class Checkpoints {
    /** Exit code of a process whose run was stopped and can be resumed. */
    public static final int STOPPED = 75;

    private final String identity;
    private final CheckpointFiles files;
    private final Period period;
    private final Checkpoint from;
    private final Path fromFile;
    private double secondsBefore;
    private long nextSlot;
    private long lastNs;
    private boolean stopped;
    /** Number of complete flows at the last check. */
    private long done;

    /**
     * Interval between two checkpoints.
     *
     * @param nanos wall time; {@link Long#MAX_VALUE} for no limit.
     * @param slots slots of the fabric; {@link Long#MAX_VALUE} for no limit.
     */
    record Period(long nanos, long slots) {
        static final Period NEVER = new Period(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    private Checkpoints(final String identity, final CheckpointFiles files, final Period period, final Checkpoint from,
        final Path fromFile) {
        this.identity = identity;
        this.files = files;
        this.period = period;
        this.from = from;
        this.fromFile = fromFile;
        this.nextSlot = period.slots();
    }

    /** Returns an object for a run that starts at slot 0 and writes no checkpoints. */
    static Checkpoints none() {
        return new Checkpoints("", new CheckpointFiles(null, null), Period.NEVER, null, null);
    }

    /**
     * Opens the checkpoint from which a run, or a member's part of it, resumes.
     *
     * @param identity identity of the run.
     * @param files    files of checkpoints; without a folder, none are written.
     * @param from     folder to resume from; null to start at slot 0.
     * @throws InputException if there is no checkpoint of this run, or it is damaged.
     */
    static Checkpoints of(final String identity, final CheckpointFiles files, final Period period, final Path from) {
        if (from == null) {
            return new Checkpoints(identity, files, period, null, null);
        }
        final Path file = files.newest(from);
        try {
            final Checkpoint checkpoint = Checkpoint.open(file);
            // The first line contains the progress and is not compared.
            final String of = checkpoint.identity().substring(checkpoint.identity().indexOf('\n') + 1);
            final String differs = RunIdentity.difference(of, identity);
            if (differs != null) {
                throw wrong(file, "it belongs to another run: " + differs, "give the options of the run that wrote it");
            }
            return new Checkpoints(identity, files, period, checkpoint, file);
        } catch (final NoSuchFileException e) {
            if (from.equals(files.folder())) {
                return new Checkpoints(identity, files, period, null, null);
            }
            throw wrong(file, "there is none", "name the folder that --checkpoint named");
        } catch (final IllegalArgumentException e) {
            throw wrong(file, e.getMessage(), "use another checkpoint, or start again without --resume");
        } catch (final IOException e) {
            throw wrong(file, "cannot be read: " + e.getMessage(), "name the folder that --checkpoint named");
        }
    }

    /**
     * Runs until the end, until enough flows are complete, or until the user stops the run. The run is split into parts
     * with a checkpoint after each.
     *
     * @param enough number of complete flows that ends the run; {@link Long#MAX_VALUE} for no limit.
     * @param shown  counters of the run for other processes; null for none.
     * @return duration in seconds, including that before the run was resumed, but excluding checkpoints.
     */
    double run(final Engine engine, final long slotLimit, final long enough, final ProgressLine progress,
        final RunGauges shown, final StopSignal stop, final PrintWriter err) {
        final EngineState state = files.folder() == null && from == null ? null : ((Resumable) engine).state();
        restore(state, err);
        double seconds = secondsBefore;
        while (true) {
            final long start = System.nanoTime();
            engine.run(slotLimit, (slot, delivered, completed) -> {
                progress.show(slot, completed);
                RunGauges.tick(shown, engine, slot, delivered, completed);
                done = completed;
                return completed < enough && !stop.requested() && !isDue(slot);
            });
            seconds += (System.nanoTime() - start) / 1e9;
            final boolean last = files.anyAsks(stop.requested());
            if (files.folder() == null || state.isOver() || done >= enough) {
                return seconds;
            }
            progress.clear();
            write(state, seconds, last, err);
            if (last) {
                return seconds;
            }
        }
    }

    /** Restores the state from which the run resumes, in an engine at slot 0. */
    private void restore(final EngineState state, final PrintWriter err) {
        lastNs = System.nanoTime();
        if (from == null) {
            return;
        }
        try {
            state.restore(from);
        } catch (final IllegalArgumentException e) {
            throw wrong(fromFile, e.getMessage(), "use another checkpoint, or start again without --resume");
        } catch (final IOException e) {
            throw wrong(fromFile, "cannot be read: " + e.getMessage(), "use another checkpoint, or start again "
                + "without --resume");
        }
        final String[] progress = from.identity().substring(0, from.identity().indexOf('\n')).split(" ");
        final long slot = Long.parseLong(progress[0]);
        secondsBefore = Double.parseDouble(progress[1]);
        nextSlot = period.slots() == Long.MAX_VALUE ? Long.MAX_VALUE : (slot / period.slots() + 1) * period.slots();
        err.printf(Locale.ROOT, "skerry: resumed at slot %d from %s%n", slot, fromFile);
        err.flush();
    }

    /** Tells whether a checkpoint is due. */
    private boolean isDue(final long slot) {
        return files.folder() != null && (slot >= nextSlot || period.nanos() != Long.MAX_VALUE
            && System.nanoTime() - lastNs >= period.nanos());
    }

    /** Tells whether the run was stopped, with a checkpoint to resume from. */
    public boolean isStopped() {
        return stopped;
    }

    /**
     * Writes a checkpoint.
     *
     * @param seconds total duration of the run.
     * @param last    whether the run ends here.
     */
    private void write(final EngineState state, final double seconds, final boolean last, final PrintWriter err) {
        final long slot = state.slots();
        final Path folder = files.folder();
        final Path file = files.file(slot);
        final long begin = System.nanoTime();
        try {
            Files.createDirectories(folder);
            state.save(file, slot + " " + seconds + "\n" + identity);
            files.prune();
            lastNs = System.nanoTime();
            err.printf(Locale.ROOT, "skerry: checkpoint at slot %d: %s, %,.1f MiB in %.2f s%s%n", slot, file,
                Files.size(file) / (double) (1 << 20), (lastNs - begin) / 1e9,
                last ? ", continue with --resume " + folder : "");
            err.flush();
        } catch (final IOException e) {
            throw InputException.notWritten("--checkpoint", file, e, "name a folder with room that you may write to");
        }
        while (nextSlot <= slot) {
            nextSlot += period.slots();
        }
        stopped = last;
    }

    private static InputException wrong(final Path file, final String why, final String advice) {
        return new InputException("--resume", file.toString(), why, advice);
    }

    /**
     * The checkpoint files of a run. A single process has one file, which each checkpoint replaces. A member of a group
     * writes its part to a file with the slot in its name, and keeps the last two. When it writes one, all other
     * members have written the previous one, so there is always a slot for which all parts exist.
     *
     * @param folder folder for new files; null if none are written.
     * @param group  the members; null for a single process.
     */
    record CheckpointFiles(Path folder, MemberGroup group) {
        private static final String ONE = "checkpoint.skerry";
        private static final int KEPT = 2;

        /** Tells whether a folder contains a checkpoint of a run in a single process. */
        static boolean isIn(final Path folder) {
            return Files.exists(folder.resolve(ONE));
        }

        /** Returns the file of a checkpoint at a slot. */
        Path file(final long slot) {
            return group == null ? folder.resolve(ONE) : folder.resolve(prefix() + slot + ".skerry");
        }

        /**
         * Returns this process's file of the newest checkpoint in a folder that has all parts; a name without a file if
         * there is none. All members must call this.
         */
        Path newest(final Path in) {
            return group == null ? in.resolve(ONE) : in.resolve(prefix() + group.greatestOfAll(slots(in)) + ".skerry");
        }

        /** Returns the newest file of this process in the folder; a name without a file if there is none. */
        Path latest() {
            return group == null ? folder.resolve(ONE)
                : file(slots(folder).stream().max(Comparator.naturalOrder()).orElse(-1L));
        }

        /** Tells whether at least one member wants to stop. All members must call this. */
        boolean anyAsks(final boolean mine) {
            return group == null ? mine : group.any(mine);
        }

        /** Removes the parts of older checkpoints. */
        void prune() throws IOException {
            if (group == null) {
                return;
            }
            for (final long slot : slots(folder).stream().sorted(Comparator.reverseOrder()).skip(KEPT).toList()) {
                Files.deleteIfExists(file(slot));
            }
        }

        private String prefix() {
            return "member-" + group.self() + "-of-" + group.size() + "-slot-";
        }

        /** Returns the slots of this member's parts in a folder. */
        private List<Long> slots(final Path in) {
            final Pattern part = Pattern.compile(Pattern.quote(prefix()) + "([0-9]{1,18})\\.skerry");
            if (!Files.isDirectory(in)) {
                return List.of();
            }
            try (Stream<Path> all = Files.list(in)) {
                return all.map(file -> part.matcher(file.getFileName().toString())).filter(Matcher::matches)
                    .map(name -> Long.parseLong(name.group(1))).toList();
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
