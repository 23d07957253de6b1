package dev.skerry.tools.execution;

import dev.skerry.tools.members.MemberGroup;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
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
        return group == null ? in.resolve(ONE)
            : in.resolve(prefix() + group.greatestOfAll(slots(in)) + ".skerry");
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
}
