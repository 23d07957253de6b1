package dev.skerry.tools.execution;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.WholeFile;
import dev.skerry.tools.run.Scenario;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a run's checkpoints. One process has one file, replaced by the next. A member of a group writes its
 * part, named after its slot, and keeps the last two: all others have the one before when it writes the next, so there
 * always is a slot of which every part is there.
 *
 * @param folder for new ones; null if none are written.
 * @param group  the members; null for one process.
 */
record CheckpointFiles(Path folder, MemberGroup group) {
    private static final String ONE = "checkpoint.skerry";
    private static final int KEPT = 2;

    /** Whether one of a run in one process is in a folder. */
    static boolean isIn(final Path folder) {
        return Files.exists(folder.resolve(ONE));
    }

    /** The file of a checkpoint at a slot. */
    Path file(final long slot) {
        return group == null ? folder.resolve(ONE) : folder.resolve(prefix() + slot + ".skerry");
    }

    /** The newest file in a folder that has all its parts, a name without a file if there is none. All members ask. */
    Path newest(final Path in) {
        return group == null ? in.resolve(ONE) : in.resolve(prefix() + group.greatestOfAll(slots(in)) + ".skerry");
    }

    /** The last file of this process in the folder, a name without a file if there is none. */
    Path latest() {
        return group == null ? folder.resolve(ONE)
            : file(slots(folder).stream().max(Comparator.naturalOrder()).orElse(-1L));
    }

    /** Whether a member asks to stop. All members ask. */
    boolean anyAsks(final boolean mine) {
        return group == null ? mine : group.any(mine);
    }

    /** Removes parts that nobody needs any more. */
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

    /** The slots of this member's parts in a folder. */
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

    /**
     * What is kept of the search for the slot in which enough flows are done: its checkpoints while it is under way,
     * then the slot. One thread.
     */
    public static final class SearchFolder {
        private static final String FILE = "max-flows.txt";
        private static final String SEARCH = "search";
        private static final long NOT_FOUND = -1;

        private final Path folder;
        private final String identity;
        private final Checkpoints checkpoints;
        private final long slot;

        private SearchFolder(final Path folder, final String identity, final Checkpoints checkpoints, final Path from) {
            this.folder = folder;
            this.identity = identity;
            this.checkpoints = checkpoints;
            this.slot = from == null ? NOT_FOUND : read(from.resolve(FILE));
        }

        /**
         * Opens it.
         *
         * @param folder for checkpoints of the run; null for none.
         * @param from   folder to go on from; null to begin anew.
         * @throws InputException if what is there is of another run, or damaged.
         */
        static SearchFolder of(final Scenario scenario, final Path folder, final Checkpoints.Period period,
            final Path from) {
            final Path under = from == null ? null : from.resolve(SEARCH);
            return new SearchFolder(folder, scenario.identity(false), Checkpoints.of(scenario, false,
                folder == null ? null : folder.resolve(SEARCH), period,
                under != null && CheckpointFiles.isIn(under) ? under : null), from);
        }

        /** Whether a folder has anything of a search. */
        static boolean isIn(final Path folder) {
            return CheckpointFiles.isIn(folder.resolve(SEARCH)) || Files.exists(folder.resolve(FILE));
        }

        private long read(final Path file) {
            try {
                final String text = Files.readString(file);
                final int end = text.indexOf('\n');
                Choices.refuseIf(end < 0 || !text.substring(end + 1).equals(identity), "--resume", file,
                    "it is of another run", "give the options of the run that wrote it");
                return Long.parseLong(text.substring(0, end));
            } catch (final NoSuchFileException e) {
                return NOT_FOUND;
            } catch (final IOException | NumberFormatException e) {
                throw new InputException("--resume", file.toString(), "cannot be read: " + e.getMessage(),
                    "remove it, and the slot is looked for anew");
            }
        }

        /** The slot, if it was found before; else -1. */
        long slot() {
            return slot;
        }

        Checkpoints checkpoints() {
            return checkpoints;
        }

        /** Keeps the slot in place of the search. */
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
