package dev.skerry.tools.sweep;

import dev.skerry.tools.input.BuildVersion;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;

/** Names of runs: hashes of everything that decides a result. Any thread may call. */
public final class RunName {
    private static final int ID_BYTES = 12;

    private RunName() {
    }

    /**
     * Returns the name of a run.
     *
     * @param all every setting with its value, in the order of names, including the seed and the hashes of files.
     * @return 24 hexadecimal digits.
     */
    public static String of(final String version, final String command, final SortedMap<String, String> all) {
        final MessageDigest digest = BuildVersion.sha256();
        add(digest, version);
        add(digest, command);
        for (final Map.Entry<String, String> setting : all.entrySet()) {
            add(digest, setting.getKey());
            add(digest, setting.getValue());
        }
        return HexFormat.of().formatHex(digest.digest(), 0, ID_BYTES);
    }

    /** Returns the hash of a file's content. */
    public static String content(final Path file) throws IOException {
        final MessageDigest digest = BuildVersion.sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(java.io.OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns the hash of a text. */
    static String text(final String text) {
        final MessageDigest digest = BuildVersion.sha256();
        add(digest, text);
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Adds a text with its length first, so that no two lists of texts have the same bytes. */
    static void add(final MessageDigest digest, final String text) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
    }
}
