package dev.skerry.tools.input;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Standard output that records whether it was written completely. The streams of the JVM do not report a full disk. One
 * thread writes.
 */
public final class StandardOutput extends OutputStream {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private String failure = "";

    private StandardOutput() {
    }

    /** Replaces {@link System#out}. */
    public static StandardOutput install() {
        final StandardOutput output = new StandardOutput();
        System.setOut(new PrintStream(new BufferedOutputStream(output), false, System.out.charset()));
        return output;
    }

    @Override
    public void write(final int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (final IOException e) {
            if (failure.isEmpty() && !isPipe()) {
                failure = e.getMessage() == null ? e.toString() : e.getMessage();
            }
            throw e;
        }
    }

    /**
     * Tells whether output goes to a pipe, whose reader may have read enough, like {@code head}: then nothing is wrong.
     */
    private static boolean isPipe() {
        try {
            return Files.readSymbolicLink(DESCRIPTOR).toString().matches("(pipe|socket):.*");
        } catch (final IOException e) {
            // Other systems have no such folder.
            return !Files.exists(DESCRIPTOR.getParent());
        }
    }

    /** Returns the reason why something could not be written; empty if all was, or if its reader has gone. */
    public String failure() {
        System.out.flush();
        return failure;
    }
}
