package dev.skerry.tools.input;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.schedule.Schedule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The version of the running program: a hash of its classes, so that a changed program repeats its runs. Any thread.
 */
public final class BuildVersion {
    /** The version of the release as printed. */
    public static final String TEXT = "0.1.0";
    private static final int BYTES = 6;

    private BuildVersion() {
    }

    /** Returns the version of the classes of all modules and parts that decide a result. */
    public static String here() {
        return of(Stream.concat(Stream.of(Schedule.class, CellFormat.class, Pieo.class, Fabric.class,
            BuildVersion.class), PartCommand.all().map(ServiceLoader.Provider::type)));
    }

    /** Returns the version of the classes of fabrics and their engines, without flows and reports. */
    public static String engines() {
        return of(Stream.of(Schedule.class, CellFormat.class, Pieo.class, Fabric.class));
    }

    /** Returns the hash, including foreign jars, which may contain a fabric or a congestion control. */
    private static String of(final Stream<Class<?>> inModules) {
        final MessageDigest digest = sha256();
        try {
            for (final Path jar : Parts.foreign()) {
                jar(digest, jar);
            }
            for (final URL where : inModules.map(one -> one.getProtectionDomain().getCodeSource().getLocation())
                .distinct().toList()) {
                final Path place = Path.of(where.toURI());
                if (Files.isDirectory(place)) {
                    folder(digest, place);
                } else {
                    jar(digest, place);
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final URISyntaxException e) {
            throw new IllegalStateException(e);
        }
        return HexFormat.of().formatHex(digest.digest(), 0, BYTES);
    }

    /** Adds names and checksums, but not the times of the build. */
    private static void jar(final MessageDigest digest, final Path jar) throws IOException {
        try (ZipFile in = new ZipFile(jar.toFile())) {
            in.stream().filter(entry -> entry.getName().endsWith(".class"))
                .sorted(Comparator.comparing(ZipEntry::getName))
                .forEach(entry -> add(digest, entry.getName() + ' ' + entry.getCrc()));
        }
    }

    private static void add(final MessageDigest digest, final String line) {
        digest.update((line + '\n').getBytes(UTF_8));
    }

    /** Returns the hash function for the names of builds and runs. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void folder(final MessageDigest digest, final Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (final Path file : files.filter(file -> file.toString().endsWith(".class")).sorted().toList()) {
                add(digest, folder.relativize(file).toString());
                digest.update(Files.readAllBytes(file));
            }
        }
    }
}
