package dev.skerry.tools.report;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A folder of results, written once and never over another one. While it is written it is called {@code NAME.partial},
 * beside its final place; what is complete is renamed to {@code NAME}, what was interrupted keeps the suffix. Calls for
 * different folders may run on different threads.
 */
public final class OutFolder {
    private static final String OPTION = "--out";
    private static final String PARTIAL = ".partial";

    private OutFolder() {
    }

    /** Writes files into a folder. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of them. */
        void write(Path folder) throws IOException;
    }

    /**
     * Refuses a folder that cannot take a result. To be called before a run as well, which may last for hours.
     *
     * @param out folder to be.
     * @throws InputException when something of that name exists or its parent is no folder one may write to.
     */
    public static void checkFree(final Path out) {
        final Path place = out.toAbsolutePath().normalize();
        Choices.refuseIf(Files.exists(place, LinkOption.NOFOLLOW_LINKS), OPTION, out, "already exists and is never "
            + "overwritten", "choose another folder or remove it first");
        Path parent = place.getParent();
        while (parent != null && !Files.exists(parent)) {
            parent = parent.getParent();
        }
        Choices.refuseIf(parent == null || !Files.isDirectory(parent) || !Files.isWritable(parent), OPTION, out, parent
            + " is not a folder one may write to", "choose another folder");
    }

    /**
     * Writes a folder.
     *
     * @param out         folder to be; missing parents are made.
     * @param interrupted whether the content is not all there was to be.
     * @param content     writes the files.
     * @return the folder written: {@code out}, or with a {@code .partial} suffix if interrupted.
     * @throws InputException when the folder exists or cannot be written; then nothing is left behind.
     */
    public static Path write(final Path out, final boolean interrupted, final Content content) {
        return write(out, () -> interrupted, content);
    }

    /** Writes a folder of which it shows after the content only whether it is all there was to be. */
    public static Path write(final Path out, final BooleanSupplier interrupted, final Content content) {
        checkFree(out);
        final Path place = out.toAbsolutePath().normalize();
        try {
            Files.createDirectories(place.getParent());
            final Path folder = createPartial(place);
            try {
                content.write(folder);
                if (interrupted.getAsBoolean()) {
                    return folder;
                }
                return Files.move(folder, place, StandardCopyOption.ATOMIC_MOVE);
            } catch (final IOException | RuntimeException | Error e) {
                try {
                    deleteAll(folder);
                } catch (final IOException left) {
                    // What remains keeps its .partial suffix.
                    e.addSuppressed(left);
                }
                throw e;
            }
        } catch (final IOException e) {
            throw InputException.notWritten(OPTION, out, e, "choose a folder on a disk with room that you can write");
        }
    }

    /** A new folder beside the final one; an earlier interrupted run keeps its own. */
    private static Path createPartial(final Path place) throws IOException {
        for (int attempt = 1;; attempt++) {
            final String number = attempt == 1 ? "" : "-" + attempt;
            try {
                return Files.createDirectory(place.resolveSibling(place.getFileName() + number + PARTIAL));
            } catch (final FileAlreadyExistsException e) {
                if (attempt == 1_000) {
                    throw e;
                }
            }
        }
    }

    /** Deletes a folder with all that is in it; nothing if there is none. */
    public static void deleteAll(final Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (final Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
