package dev.skerry.tools.report;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/**
 * Tables in a format that the user asks for, beside the CSV files of a folder. Parts that bring a format are jars in
 * the folder that {@code SKERRY_PARTS} names, or on the class path. One thread.
 */
public final class TableFormats {
    private static final String OPTION = "--format";
    private static final String CSV = ".csv";

    /** Null for CSV alone. */
    private final TableFormat format;

    private TableFormats(final TableFormat format) {
        this.format = format;
    }

    /**
     * The format of a name.
     *
     * @param name {@code csv} or the name of a part's format.
     * @throws InputException if there is none.
     */
    public static TableFormats of(final String name) {
        if (name.equals("csv")) {
            return new TableFormats(null);
        }
        Choices.refuseIf(!name.equals("parquet"), OPTION, name, "there is no such format", "use csv or parquet");
        return new TableFormats(parts(System.getenv("SKERRY_PARTS")).stream().filter(part -> part.name().equals(name))
            .findFirst().orElseThrow(() -> new InputException(OPTION, name, "the part that writes it is not built",
                "build it once with mvn -Pparquet package, or use csv")));
    }

    private static List<TableFormat> parts(final String folder) {
        final List<TableFormat> parts = new ArrayList<>();
        ServiceLoader.load(TableFormat.class, loader(folder)).forEach(parts::add);
        return parts;
    }

    /** Closed by nobody: what is loaded is used until the process ends. */
    private static ClassLoader loader(final String folder) {
        final ClassLoader here = TableFormats.class.getClassLoader();
        if (folder == null || !Files.isDirectory(Path.of(folder))) {
            return here;
        }
        try (Stream<Path> files = Files.list(Path.of(folder))) {
            final List<URL> jars = new ArrayList<>();
            for (final Path jar : files.filter(file -> file.toString().endsWith(".jar")).sorted().toList()) {
                jars.add(jar.toUri().toURL());
            }
            return new URLClassLoader(jars.toArray(URL[]::new), here);
        } catch (final MalformedURLException e) {
            throw new IllegalStateException(e);
        } catch (final IOException e) {
            throw new InputException("SKERRY_PARTS", folder, "it cannot be read (" + e + ")",
                "name a folder with jars");
        }
    }

    /**
     * Writes every CSV file of a folder in this format too, beside it.
     *
     * @throws IOException if one cannot be written.
     */
    public void convert(final Path folder) throws IOException {
        if (format == null) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path csv : files.filter(file -> file.toString().endsWith(CSV)).sorted().toList()) {
                final String name = csv.getFileName().toString();
                format.write(csv, TableColumns.of(csv), csv.resolveSibling(name.substring(0, name.length()
                    - CSV.length() + 1) + format.name()));
            }
        }
    }
}
