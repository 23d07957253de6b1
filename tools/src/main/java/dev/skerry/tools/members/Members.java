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
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The members of a fabric, as seen by one of them.
 *
 * @param all      members in order; the same list at each member.
 * @param self     index of this member.
 * @param cluster  name of the cluster, the same at each member; traffic of other clusters is refused.
 * @param patience time for which a member may be silent while another one waits for it.
 * @param key      shared secret; null if all members are on one host.
 */
public record Members(List<MemberAddress> all, int self, String cluster, Duration patience, MemberKey key) {
    /** Returns the name of a member for messages to the user. */
    public String name(final int member) {
        return "member " + member + " (" + all.get(member) + ")";
    }

    /** Tells whether a member is on the same machine as this member. */
    public boolean isNear(final int member) {
        return all.get(member).host().equals(all.get(self).host());
    }

    /** Returns the first member on this machine, which runs the services that its members share. */
    public int leader() {
        return IntStream.range(0, all.size()).filter(this::isNear).findFirst().orElse(self);
    }

    /** Tells whether there are members on other machines. */
    public boolean isSpread() {
        return IntStream.range(0, all.size()).anyMatch(member -> !isNear(member));
    }

    /**
     * The address of a member.
     *
     * @param host name or address; members with the same host are on the same machine.
     * @param port port for members on other machines, 1 to 65535.
     */
    public record MemberAddress(String host, int port) {
        private static final Pattern TEXT = Pattern.compile("(?:([^:\\s,]+):)?([0-9]{1,5})");
        private static final Pattern LOOPBACKS = Pattern.compile("127(\\.[0-9]{1,3}){3}");
        private static final String LOOPBACK = "127.0.0.1";
        private static final int MAX_PORT = 65_535;

        /** Parses {@code host:port}; a port alone is on the loopback address. */
        static MemberAddress of(final String list, final String text) {
            final Matcher matcher = TEXT.matcher(text.strip());
            if (!matcher.matches() || Integer.parseInt(matcher.group(2)) < 1
                || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
                throw new InputException("--members", list, "'" + text + "' is not host:port", "write for example "
                    + "node1:40123,node2:40123");
            }
            return new MemberAddress(matcher.group(1) == null ? LOOPBACK : matcher.group(1),
                Integer.parseInt(matcher.group(2)));
        }

        /** Tells whether the host is written as a loopback address. */
        boolean isLoopback() {
            return host.equals("localhost") || LOOPBACKS.matcher(host).matches();
        }

        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** The secret that members on several hosts share. Messages from the network without it are dropped. */
    public static final class MemberKey {
        private static final String OPTION = "--member-key";
        private static final String ADVICE = "write one with: (umask 077; head -c 32 /dev/urandom >FILE)";
        private static final String FILE = "member.key";
        private static final int LEAST_BYTES = 16;
        private static final int BYTES = 32;

        private final byte[] bytes;

        /** Creates a key from its bytes. */
        MemberKey(final byte[] bytes) {
            this.bytes = bytes.clone();
        }

        /** Returns the secret. */
        public byte[] bytes() {
            return bytes.clone();
        }

        /**
         * Reads a file that only this user can read.
         *
         * @throws InputException if the file cannot be read, other users can read it, or it is too short.
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

        /**
         * Returns the key of this user's members on this machine. The first member creates it; it exists until the next
         * boot.
         */
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
                    // A link is created atomically, and the first member that creates it wins.
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

        /** Keys are equal if their bytes are equal. */
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
}
