import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes a Java runtime of the modules that Skerry's jars need, and for Linux a folder with the files of the C library
 * that it loads, for a container image without a system. Run by Maven as one source file, with the JDK of the build:
 * {@code java Image.java TARGET}, where TARGET holds {@code skerry.jar}, {@code lib} and
 * {@code parts}. Writes {@code TARGET/image}.
 */
final class Image {
    private static final Pattern LOADED = Pattern.compile("(/\\S+) \\(0x");

    private Image() {
    }

    public static void main(final String[] args) throws IOException, InterruptedException {
        final Path target = Path.of(args[0]);
        final Path image = target.resolve("image");
        delete(image);
        Files.createDirectories(image);
        final Path runtime = image.resolve("runtime");
        run("jlink", "--add-modules", modules(target), "--strip-java-debug-attributes", "--no-header-files",
            "--no-man-pages", "--compress", "zip-6", "--output", runtime.toString());
        if (System.getProperty("os.name").equals("Linux")) {
            copyLibraries(runtime, image.resolve("system"));
        }
    }

    /** Modules of the JDK that classes of the jars name; module descriptors of ours name jars that have none. */
    private static String modules(final Path target) throws IOException {
        final String feature = Integer.toString(Runtime.version().feature());
        final List<String> jars = new ArrayList<>(List.of(target.resolve("skerry.jar").toString(),
            target.resolve("parts").resolve("skerry-papers.jar").toString()));
        try (Stream<Path> libraries = Files.list(target.resolve("lib"))) {
            libraries.map(Path::toString).sorted().forEach(jars::add);
        }
        final List<String> arguments = new ArrayList<>(List.of("--print-module-deps", "--ignore-missing-deps",
            "--multi-release", feature, "--module-path", target.resolve("lib").toString()));
        arguments.addAll(jars);
        final Set<String> jdk = ModuleFinder.ofSystem().findAll().stream().map(module -> module.descriptor().name())
            .collect(Collectors.toSet());
        return Arrays.stream(run("jdeps", arguments.toArray(String[]::new)).strip().split(","))
            .filter(jdk::contains).sorted().collect(Collectors.joining(","));
    }

    private static void copyLibraries(final Path runtime, final Path system) throws IOException, InterruptedException {
        final Map<Path, Path> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(runtime)) {
            for (final Path file : all.filter(Image::isNative).toList()) {
                final Process ldd = new ProcessBuilder("ldd", file.toString()).redirectErrorStream(true).start();
                final Matcher loaded = LOADED.matcher(new String(ldd.getInputStream().readAllBytes()));
                while (loaded.find()) {
                    final Path name = Path.of(loaded.group(1));
                    if (!name.startsWith(runtime.toAbsolutePath())) {
                        files.put(name, name.toRealPath());
                    }
                }
                ldd.waitFor();
            }
        }
        if (files.isEmpty()) {
            throw new IllegalStateException(runtime + ": ldd names no library");
        }
        for (final Map.Entry<Path, Path> file : files.entrySet()) {
            final Path copy = system.resolve(Path.of("/").relativize(file.getKey()));
            Files.createDirectories(copy.getParent());
            Files.copy(file.getValue(), copy);
        }
        Files.createDirectories(system.resolve("tmp"));
        Files.write(system.resolve("system-files.txt"), files.keySet().stream().map(Path::toString).toList());
    }

    private static boolean isNative(final Path file) {
        return file.endsWith("bin/java") || file.toString().endsWith(".so");
    }

    private static String run(final String tool, final String... arguments) {
        final StringWriter out = new StringWriter();
        final PrintWriter writer = new PrintWriter(out);
        final int code = ToolProvider.findFirst(tool).orElseThrow(() -> new IllegalStateException(
            tool + ": the JDK has none")).run(writer, writer, arguments);
        if (code != 0) {
            throw new IllegalStateException(tool + " ended with " + code + ": " + out);
        }
        return out.toString();
    }

    private static void delete(final Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> all = Files.walk(folder)) {
                for (final Path file : all.toList().reversed()) {
                    Files.delete(file);
                }
            }
        }
    }
}
