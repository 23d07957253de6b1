package dev.skerry.tools.input;

import dev.skerry.dataplane.memory.PrivateFiles;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Secrets that processes share. Every user of the machine can read a command line, but only the owner can read a file.
 */
public final class SecretFile {
    private static final String FILE = "@";
    private static final String VARIABLE = "env:";
    private static final int MOST_BYTES = 4_096;

    private SecretFile() {
    }

    /**
     * Returns the secret of an option: the first line of a file, {@code @FILE}, the value of an environment variable,
     * {@code env:NAME}, or else the text itself.
     *
     * @throws IOException if there is none or it is empty; the message, without the secret, is part of a line for the
     *                     user.
     */
    public static String text(final String option) throws IOException {
        final String secret = read(option);
        if (secret.isEmpty()) {
            throw new IOException("it is empty");
        }
        return secret;
    }

    /** Tells whether an option names a file that can be read only once, such as a FIFO. */
    public static boolean isReadOnce(final String option) {
        final Path file = option.startsWith(FILE) ? Path.of(option.substring(FILE.length())) : null;
        return file != null && Files.exists(file) && !Files.isRegularFile(file);
    }

    /** Tells whether an option contains only the place of its secret. */
    public static boolean isElsewhere(final String option) {
        return option.startsWith(FILE) || option.startsWith(VARIABLE);
    }

    private static String read(final String option) throws IOException {
        if (option.startsWith(FILE)) {
            // ISO 8859-1: a secret is bytes.
            return new String(bytes(Path.of(option.substring(FILE.length()))), StandardCharsets.ISO_8859_1)
                .lines().findFirst().orElse("");
        }
        if (option.startsWith(VARIABLE)) {
            final String value = System.getenv(option.substring(VARIABLE.length()));
            if (value == null) {
                throw new IOException("the environment lacks the variable " + option.substring(VARIABLE.length()));
            }
            return value;
        }
        return option;
    }

    /**
     * Returns the content of a file that only this user, or root, can read.
     *
     * @throws IOException if it cannot be read, is empty or too long, or other users can read it; the message is part
     *                     of a line for the user.
     */
    public static byte[] bytes(final Path file) throws IOException {
        if (!Files.isReadable(file)) {
            throw new IOException(file + ": there is no such file, or you may not read it");
        }
        if (!PrivateFiles.isSecret(file)) {
            throw new IOException(file + ": other users may read it, use chmod 600");
        }
        try (InputStream in = Files.newInputStream(file)) {
            final byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length == 0 || bytes.length > MOST_BYTES) {
                throw new IOException(file + ": " + (bytes.length == 0 ? "it is empty"
                    : "it has more than " + MOST_BYTES + " bytes"));
            }
            return bytes;
        }
    }
}
