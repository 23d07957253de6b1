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
 * Writes files that are either complete or absent, even if the process is killed: they are written under another name
 * in the same folder, flushed to the disk and renamed. Thread-safe for different files.
 */
public final class WholeFile {
    private WholeFile() {
    }

    /** The writer of the content of a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes all of the content. */
        void write(OutputStream out) throws IOException;
    }

    /**
     * Writes a file and replaces an existing one.
     *
     * @throws IOException if it cannot be written; then an existing file is unchanged.
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

    /** Writes a text to a file. */
    public static void write(final Path file, final String text) throws IOException {
        write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }
}
