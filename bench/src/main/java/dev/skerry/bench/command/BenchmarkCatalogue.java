package dev.skerry.bench.command;

import dev.skerry.bench.Compare;
import dev.skerry.tools.input.Choices;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** All benchmark classes by their simple names. */
final class BenchmarkCatalogue {
    private final SortedMap<String, Class<?>> classes = new TreeMap<>();

    BenchmarkCatalogue() {
        for (final BenchmarkListEntry entry : BenchmarkList.defaultList()
            .getAll(OutputFormatFactory.createFormatInstance(System.err, VerboseMode.SILENT), List.of())) {
            final Class<?> type = load(entry.getUserClassQName());
            classes.put(type.getSimpleName(), type);
        }
    }

    private static Class<?> load(final String name) {
        try {
            return Class.forName(name);
        } catch (final ClassNotFoundException e) {
            throw new IllegalStateException("listed and not there: class=" + name, e);
        }
    }

    /** Returns the classes whose simple names contain one of {@code names}; all classes if there are no names. */
    List<Class<?>> named(final List<String> names) {
        for (final String name : names) {
            Choices.refuseIf(classes.keySet().stream().noneMatch(known -> contains(known, name)), "bench", name,
                "there is no such benchmark", "use one of " + String.join(", ", classes.keySet()));
        }
        return classes.entrySet().stream()
            .filter(entry -> names.isEmpty() || names.stream().anyMatch(name -> contains(entry.getKey(), name)))
            .<Class<?>>map(Map.Entry::getValue).toList();
    }

    /** Returns the class with this simple name; null if there is none. */
    Class<?> exactly(final String name) {
        return classes.get(name);
    }

    private static boolean contains(final String known, final String name) {
        return known.toLowerCase(Locale.ROOT).contains(name.toLowerCase(Locale.ROOT));
    }

    static Compare compare(final Class<?> type) {
        final Compare compare = type.getAnnotation(Compare.class);
        if (compare == null) {
            throw new IllegalStateException("a benchmark says what it compares: class=" + type.getName());
        }
        return compare;
    }
}
