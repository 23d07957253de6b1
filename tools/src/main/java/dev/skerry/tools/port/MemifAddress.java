package dev.skerry.tools.port;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.dataplane.port.MemifRing;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SecretFile;
import dev.skerry.tools.port.MemifConnection.MemfdRegion;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * A memif port of the command line: {@code
 * memif:PATH,server|client[,id=N][,ring=LOG2][,buffer=BYTES][,secret=@FILE|env:NAME|TEXT][,line=64|128]
 * [,abstract]}, for example {@code memif:/run/x.sock,server,id=0,ring=10,buffer=2048}.
 *
 * @param path        path of the socket, or its name if abstract.
 * @param isAbstract  whether the name is in Linux's abstract namespace, testpmd's default.
 * @param role        server or client.
 * @param id          interface id on that socket, unsigned.
 * @param ringLog2    log2 of the slots of a ring, 1 to 14. A server offers it as the maximum; since its HELLO precedes
 *                    the peer's choice of a port, the largest of all its ports counts.
 * @param bufferBytes size of the buffers that a client allocates, 64 to 65,536.
 * @param secret      secret that both sides share, at most 23 bytes, or where it is, see {@link #withSecret}; empty for
 *                    none.
 * @param lineBytes   cache line of the peer's build, 64 or 128 (docs/spec/memif.md §5); for a server.
 */
public record MemifAddress(
    String path, boolean isAbstract, MemifRole role, int id, int ringLog2, int bufferBytes, String secret, int lineBytes
) {
    private static final String PREFIX = "memif:";
    private static final String WHAT = "memif";
    private static final int RING_LOG2 = 10;
    private static final int BUFFER_BYTES = 2048;

    /** Checks the bounds of every component. */
    public MemifAddress {
        final int room = UnixSocket.MAX_PATH - (isAbstract ? 1 : 0);
        if (path.isEmpty() || path.getBytes(StandardCharsets.UTF_8).length > room || path.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("path must be 1 to " + room + " bytes: path=" + path);
        }
        if (path.startsWith("@")) {
            throw new IllegalArgumentException("'" + path + "' looks like an abstract socket, which is written "
                + PREFIX + path.substring(1) + (role == MemifRole.SERVER ? ",server" : ",client") + ",abstract");
        }
        Bounds.require("ring", ringLog2, 1, MemifRing.MAX_LOG2_SLOTS);
        Bounds.require("buffer", bufferBytes, 64, 1 << 16);
        if (MemifRing.regionBytes(ringLog2, bufferBytes) > MemfdRegion.MAX_BYTES) {
            throw new IllegalArgumentException("ring and buffer make a region of more than 1 GiB: ring=" + ringLog2
                + " buffer=" + bufferBytes);
        }
        if (!SecretFile.isElsewhere(secret)) {
            checkSecret(secret);
        }
        if (lineBytes != 64 && lineBytes != 128) {
            throw new IllegalArgumentException("line must be 64 or 128: line=" + lineBytes);
        }
    }

    private static void checkSecret(final String secret) {
        if (secret.length() >= MemifMessage.SECRET_BYTES
            || !StandardCharsets.ISO_8859_1.newEncoder().canEncode(secret)) {
            throw new IllegalArgumentException("secret must be at most 23 bytes: secret.length=" + secret.length());
        }
    }

    /** Whether a text has this kind. */
    public static boolean isOne(final String text) {
        return text.startsWith(PREFIX);
    }

    /**
     * Parses an address. Its secret is looked at, unless it can be read only once, and stays where it is.
     *
     * @throws InputException if it is wrong.
     */
    public static MemifAddress parse(final String text) {
        if (!isOne(text)) {
            throw wrong(text, "it does not start with " + PREFIX);
        }
        final String[] parts = text.substring(PREFIX.length()).split(",", -1);
        MemifRole role = null;
        boolean isAbstract = false;
        int id = 0;
        int ring = RING_LOG2;
        int buffer = BUFFER_BYTES;
        String secret = "";
        int line = MemifRing.LINE_BYTES;
        final Set<String> seen = new HashSet<>();
        for (int i = 1; i < parts.length; i++) {
            final int equals = parts[i].indexOf('=');
            final String key = equals < 0 ? parts[i] : parts[i].substring(0, equals);
            final String value = equals < 0 ? "" : parts[i].substring(equals + 1);
            final boolean isRole = equals < 0 && (key.equals("server") || key.equals("client"));
            if (!seen.add(isRole ? "role" : key)) {
                throw wrong(text, "'" + parts[i] + "' repeats an earlier setting");
            }
            if (isRole) {
                role = key.equals("server") ? MemifRole.SERVER : MemifRole.CLIENT;
            } else if (parts[i].equals("abstract")) {
                isAbstract = true;
            } else if (equals < 0) {
                throw wrong(text, "there is no such part: '" + parts[i] + "'");
            } else {
                switch (key) {
                    case "id" -> id = number(text, key, value);
                    case "ring" -> ring = number(text, key, value);
                    case "buffer" -> buffer = number(text, key, value);
                    case "line" -> line = number(text, key, value);
                    case "secret" -> secret = value;
                    default -> throw wrong(text, "there is no such part: '" + parts[i] + "'");
                }
            }
        }
        if (role == null) {
            throw wrong(text, "it says neither server nor client");
        }
        try {
            if (seen.contains("secret") && !SecretFile.isReadOnce(secret)) {
                read(secret);
            }
            return new MemifAddress(parts[0], isAbstract, role, id, ring, buffer, secret, line);
        } catch (final IllegalArgumentException e) {
            throw wrong(text, e.getMessage());
        }
    }

    /**
     * The address with the secret itself, read from where it is. Call it once, for the port that is opened.
     *
     * @throws InputException if it cannot be read.
     */
    MemifAddress withSecret() {
        try {
            return secret.isEmpty() ? this
                : new MemifAddress(path, isAbstract, role, id, ringLog2, bufferBytes, read(secret), lineBytes);
        } catch (final IllegalArgumentException e) {
            throw wrong(toString(), e.getMessage());
        }
    }

    private static String read(final String option) {
        try {
            final String secret = SecretFile.text(option);
            checkSecret(secret);
            return secret;
        } catch (final IOException e) {
            throw new IllegalArgumentException("its secret can't be read: " + e.getMessage(), e);
        }
    }

    private static int number(final String text, final String key, final String value) {
        try {
            return Integer.parseUnsignedInt(value);
        } catch (final NumberFormatException e) {
            throw wrong(text, key + " must be a number: " + key + "=" + value);
        }
    }

    private static InputException wrong(final String text, final String why) {
        return new InputException(WHAT, text.replaceAll("secret=[^,]*", "secret=..."), why,
            "write memif:PATH,server or memif:PATH,client and after it id=N, ring=LOG2, buffer=BYTES, secret=@FILE, "
            + "secret=env:NAME, line=64|128 or abstract as needed");
    }

    /** Text that {@link #parse} accepts, without the secret. */
    @Override
    public String toString() {
        return PREFIX + path + (role == MemifRole.SERVER ? ",server" : ",client") + ",id="
            + Integer.toUnsignedString(id) + ",ring=" + ringLog2 + ",buffer=" + bufferBytes
            + (isAbstract ? ",abstract" : "");
    }

    /** Which side allocates the shared memory; independent of the direction of packets. */
    public enum MemifRole {
        /** Listens, and maps the client's memory. */
        SERVER,
        /** Connects, and allocates the memory. */
        CLIENT
    }
}
