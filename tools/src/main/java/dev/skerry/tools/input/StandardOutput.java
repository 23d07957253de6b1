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
 * Standard output that knows whether it was written whole. The streams of the JVM keep silent when a disk is full. One
 * thread writes.
 */
public final class StandardOutput extends OutputStream {
    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/1");

    private final FileOutputStream out = new FileOutputStream(FileDescriptor.out);
    private String failure = "";

    private StandardOutput() {
    }

    /** Takes the place of {@link System#out}. */
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

    /** Whether what reads may have read enough, as {@code head} does: then nothing is wrong. */
    private static boolean isPipe() {
        try {
            return Files.readSymbolicLink(DESCRIPTOR).toString().matches("(pipe|socket):.*");
        } catch (final IOException e) {
            // There is no such folder on other systems.
            return !Files.exists(DESCRIPTOR.getParent());
        }
    }

    /** Why something could not be written; empty if all was, or if what read it has gone. */
    public String failure() {
        System.out.flush();
        return failure;
    }
}
