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
 * A folder of results, which is written once and never overwrites an existing one. While it is written, it is called
 * {@code NAME.partial} and is in the parent folder of its final place. Complete results are renamed to {@code NAME};
 * results of an interrupted run keep the suffix. Thread-safe for different folders.
 */
public final class OutFolder {
    private static final String OPTION = "--out";
    private static final String PARTIAL = ".partial";

    private OutFolder() {
    }

    /** The writer of the files of a folder. */
    @FunctionalInterface
    public interface Content {
        /** Writes all files. */
        void write(Path folder) throws IOException;
    }

    /**
     * Checks that a folder can be created for a result. Also called before a run, which may take hours.
     *
     * @param out folder to write.
     * @throws InputException if the name is taken, or the folder cannot be created.
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
            + " is not a writable folder", "choose another folder");
    }

    /**
     * Writes a folder.
     *
     * @param out         folder to write; missing parents are created.
     * @param interrupted whether the content is incomplete.
     * @param content     writer of the files.
     * @return the folder written: {@code out}, with the suffix {@code .partial} if interrupted.
     * @throws InputException if the folder exists or cannot be written; then nothing is left on the disk.
     */
    public static Path write(final Path out, final boolean interrupted, final Content content) {
        return write(out, () -> interrupted, content);
    }

    /** Writes a folder whose completeness is known only after its content is written. */
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
                    // The remaining files keep the suffix .partial.
                    e.addSuppressed(left);
                }
                throw e;
            }
        } catch (final IOException e) {
            throw InputException.notWritten(OPTION, out, e, "choose a writable folder on a disk with free space");
        }
    }

    /** Creates a folder next to the final one; the folder of an earlier interrupted run is kept. */
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

    /** Deletes a folder with its contents; does nothing if it does not exist. */
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
