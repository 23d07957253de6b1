package dev.skerry.bench;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Both annotation processors ran: without them the build is green, and JMH and jcstress find nothing to run and
 * succeed.
 */
final class GeneratedListsTest {
    private static final Path CLASSES = Path.of("target", "classes");

    @ParameterizedTest
    @CsvSource({"META-INF/BenchmarkList, Benchmark", "META-INF/TestList, Stress"})
    void shouldListEveryClassOfItsKind(final String list, final String suffix) throws IOException {
        final String listed = Files.readString(CLASSES.resolve(list));
        final List<String> names;
        try (Stream<Path> files = Files.walk(CLASSES)) {
            names = files.map(file -> CLASSES.relativize(file).toString().replace('/', '.').replace('\\', '.'))
                .filter(name -> name.endsWith(suffix + ".class") && !name.contains("generated"))
                .map(name -> name.substring(0, name.length() - ".class".length()))
                .toList();
        }
        assertFalse(names.isEmpty(), "no class named *" + suffix);
        for (final String name : names) {
            assertTrue(listed.contains(name), list + " lacks " + name);
        }
    }
}
