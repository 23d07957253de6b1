package dev.skerry.tools.input;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars in the folder of {@code SKERRY_PARTS}, by default {@code parts} next to the program. The services in them
 * (fabrics, congestion controls, table formats) are found like those on the class path.
 */
public final class Parts {
    private Parts() {
    }

    /**
     * Makes the services of the parts visible to this thread and those that it starts. Called once, before any lookup.
     */
    public static void join() {
        final List<URL> urls = new ArrayList<>();
        try {
            for (final Path jar : jars()) {
                urls.add(jar.toUri().toURL());
            }
        } catch (final MalformedURLException e) {
            throw new IllegalStateException(e);
        }
        if (!urls.isEmpty()) {
            // Never closed: loaded classes are used until the process ends.
            Thread.currentThread().setContextClassLoader(new URLClassLoader(urls.toArray(URL[]::new),
                Parts.class.getClassLoader()));
        }
    }

    /** Returns the jars that are not built with the program, in the order of their names. */
    static List<Path> foreign() {
        return jars().stream().filter(jar -> !jar.getFileName().toString().startsWith("skerry-")).toList();
    }

    private static List<Path> jars() {
        final String folder = System.getenv("SKERRY_PARTS");
        if (folder == null || !Files.isDirectory(Path.of(folder))) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (final IOException e) {
            throw new InputException("SKERRY_PARTS", folder, "it cannot be read (" + e + ")",
                "name a folder with jars");
        }
    }
}
