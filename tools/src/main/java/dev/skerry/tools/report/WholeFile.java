package dev.skerry.tools.report;

import dev.skerry.dataplane.memory.PrivateFiles;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Files that are whole or not there, however the process ends: written beside their names, forced to the disk, renamed.
 * Any thread may call, one for a file.
 */
public final class WholeFile {
    private WholeFile() {
    }

    /** Writes what is in a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of it. */
        void write(OutputStream out) throws IOException;
    }

    /**
     * Writes a file; what was there before is replaced.
     *
     * @throws IOException if it cannot be written; the file is as it was.
     */
    public static void write(final Path file, final Content content) throws IOException {
        final Path beside = file.resolveSibling("." + file.getFileName() + "." + ProcessHandle.current().pid());
        try {
            try (FileChannel channel = PrivateFiles.createShared(beside)) {
                final OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel));
                content.write(out);
                out.flush();
                channel.force(true);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** The same for a text. */
    public static void write(final Path file, final String text) throws IOException {
        write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }
}
