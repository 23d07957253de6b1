package dev.skerry.tools.members;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SecretFile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;

/** The secret that members on several addresses share: what comes over the network without it is dropped. */
public final class MemberKey {
    private static final String OPTION = "--member-key";
    private static final String ADVICE = "write one with: (umask 077; head -c 32 /dev/urandom >FILE)";
    private static final String FILE = "member.key";
    private static final int LEAST_BYTES = 16;
    private static final int BYTES = 32;

    private final byte[] bytes;

    /** A key that was read or made. */
    MemberKey(final byte[] bytes) {
        this.bytes = bytes.clone();
    }

    /** The secret. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Reads a file that only this user can read.
     *
     * @throws InputException if it can't be read, others can read it, or it is too short.
     */
    static MemberKey read(final Path file) {
        try {
            final byte[] bytes = SecretFile.bytes(file);
            if (bytes.length < LEAST_BYTES) {
                throw new IOException(file + ": it has less than " + LEAST_BYTES + " bytes");
            }
            return new MemberKey(bytes);
        } catch (final IOException e) {
            throw new InputException(OPTION, file.toString(), e.getMessage().replaceFirst("^.*?: ", ""), ADVICE);
        }
    }

    /** The key of this user's members on this machine; the first one makes it, and it lasts until the next boot. */
    static MemberKey ofUser() {
        final Path folder = PrivateFiles.userFolder();
        final Path file = folder.resolve(FILE);
        try {
            PrivateFiles.folder(folder);
            if (!Files.exists(file)) {
                final Path made = folder.resolve(FILE + "." + ProcessHandle.current().pid());
                final byte[] random = new byte[BYTES];
                new SecureRandom().nextBytes(random);
                try (OutputStream out = Channels.newOutputStream(PrivateFiles.create(made))) {
                    out.write(random);
                }
                // Whole or not at all, and the first one counts.
                try {
                    Files.createLink(file, made);
                } catch (final FileAlreadyExistsException another) {
                    assert another != null;
                } finally {
                    Files.delete(made);
                }
            }
            return read(file);
        } catch (final IOException e) {
            throw InputException.notWritten("--members", file, e, "give a key with " + OPTION);
        }
    }

    /** Two keys are equal if their bytes are. */
    @Override
    public boolean equals(final Object other) {
        return other instanceof final MemberKey key && MessageDigest.isEqual(bytes, key.bytes);
    }

    @Override
    public int hashCode() {
        return 0;
    }

    @Override
    public String toString() {
        return "...";
    }
}
