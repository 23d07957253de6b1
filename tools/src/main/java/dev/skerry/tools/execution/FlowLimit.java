package dev.skerry.tools.execution;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.tools.execution.Checkpoints.CheckpointFiles;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.StopSignal;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.run.Scenario;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The end of a run after a number of flows: it stops after the slot in which this number is complete. Finding the slot
 * requires a run in lock step, in which all nodes stop in the same slot.
 *
 * @param flows  number of flows that must be complete.
 * @param search state of the search for the slot; null if it is not stored.
 */
public record FlowLimit(long flows, SearchFolder search) {
    private static final String NAME = "max-flows";

    /**
     * Creates the limit of a run.
     *
     * @param options options of the run's checkpoints.
     * @throws dev.skerry.tools.input.InputException for the reasons given at {@link CheckpointOptions#checkpoints}.
     */
    static FlowLimit of(final long flows, final Scenario scenario, final CheckpointOptions options) {
        return new FlowLimit(flows, options.search(scenario.upTo(scenario.slotLimit(), NAME, Long.toString(flows))));
    }

    /**
     * Returns the scenario with this slot as its end; the same scenario if fewer flows complete.
     *
     * @return null if the search was stopped, with a checkpoint to resume from.
     */
    public Scenario limited(final Scenario scenario, final StopSignal stop, final PrintWriter err) {
        if (search != null && search.slot() >= 0) {
            return until(scenario, search.slot());
        }
        final Checkpoints kept = search == null ? Checkpoints.none() : search.checkpoints();
        final long slot = slot(scenario, kept, stop, err);
        if (kept.isStopped()) {
            return null;
        }
        if (search != null && !stop.requested()) {
            search.found(slot);
        }
        return until(scenario, slot);
    }

    private Scenario until(final Scenario scenario, final long slots) {
        return scenario.upTo(slots, NAME, Long.toString(flows));
    }

    private long slot(final Scenario scenario, final Checkpoints kept, final StopSignal stop, final PrintWriter err) {
        final Outcome outcome;
        try (Engine engine = scenario.choice().engine(scenario.engine().inLockStep(), scenario.flows(),
            scenario.faults(), false, null)) {
            final ProgressLine progress = ProgressLine.on(err, scenario);
            kept.run(engine, scenario.slotLimit(), flows, progress, null, stop, err);
            progress.clear();
            outcome = engine.outcome();
        }
        final long[] completedIn = outcome.completedIn();
        final long after = scenario.fabric() instanceof CircuitFabric ? scenario.fabric().propagationSlots() : 0;
        return completedIn.length < flows ? scenario.slotLimit() : completedIn[(int) flows - 1] + 1 - after;
    }

    /**
     * The stored state of the search for the slot in which enough flows are complete: checkpoints during the search,
     * and finally the slot. Not thread-safe.
     *
     * @param folder      folder for checkpoints of the run; null for none.
     * @param identity    identity of the run.
     * @param checkpoints checkpoints of the search.
     * @param slot        the slot, if it was found before; otherwise -1.
     */
    record SearchFolder(Path folder, String identity, Checkpoints checkpoints, long slot) {
        private static final String FILE = "max-flows.txt";
        private static final String SEARCH = "search";
        private static final long NOT_FOUND = -1;

        /**
         * Opens the state of a search.
         *
         * @param folder folder for checkpoints of the run; null for none.
         * @param from   folder to resume from; null to start at slot 0.
         * @throws InputException if the state belongs to another run, or is damaged.
         */
        static SearchFolder of(final Scenario scenario, final Path folder, final Checkpoints.Period period,
            final Path from) {
            final Path under = from == null ? null : from.resolve(SEARCH);
            final String identity = scenario.identity(false);
            return new SearchFolder(folder, identity, Checkpoints.of(identity,
                new CheckpointFiles(folder == null ? null : folder.resolve(SEARCH), null), period,
                under != null && CheckpointFiles.isIn(under) ? under : null),
                from == null ? NOT_FOUND : read(from.resolve(FILE), identity));
        }

        /** Tells whether a folder contains the state of a search. */
        static boolean isIn(final Path folder) {
            return CheckpointFiles.isIn(folder.resolve(SEARCH)) || Files.exists(folder.resolve(FILE));
        }

        private static long read(final Path file, final String identity) {
            try {
                final String text = Files.readString(file);
                final int end = text.indexOf('\n');
                Choices.refuseIf(end < 0 || !text.substring(end + 1).equals(identity), "--resume", file,
                    "it belongs to another run", "give the options of the run that wrote it");
                return Long.parseLong(text.substring(0, end));
            } catch (final NoSuchFileException e) {
                return NOT_FOUND;
            } catch (final IOException | NumberFormatException e) {
                throw new InputException("--resume", file.toString(), "cannot be read: " + e.getMessage(),
                    "remove it to search for the slot again");
            }
        }

        /** Stores the slot as the result of the search. */
        void found(final long lastSlot) {
            if (folder == null) {
                return;
            }
            final Path file = folder.resolve(FILE);
            try {
                Files.createDirectories(folder);
                WholeFile.write(file, lastSlot + "\n" + identity);
            } catch (final IOException e) {
                throw InputException.notWritten("--checkpoint", file, e,
                    "name a folder with room that you may write to");
            }
        }
    }
}
