package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.StreamSupport;

/** The build makes the same commands of annotations as picocli does by reflection. */
final class GeneratedSpecTest {
    /** More than half of all options there are: the comparison has not run empty. */
    private static final int MANY = 150;

    private int compared;

    @Test
    void shouldBeWhatPicocliReadsFromTheAnnotations() {
        compare(Skerry.withAllCommands());
        assertTrue(compared >= MANY, compared + " options");
    }

    private void compare(final CommandLine made) {
        final CommandSpec spec = made.getCommandSpec();
        final CommandSpec read = CommandSpec.forAnnotatedObject(spec.userObject());
        final String name = spec.qualifiedName();
        assertEquals(read.name(), spec.name());
        assertEquals(List.of(read.version()), List.of(spec.version()), name);
        assertEquals(read.mixinStandardHelpOptions(), spec.mixinStandardHelpOptions(), name);
        assertEquals(read.mixins().keySet(), spec.mixins().keySet(), name);
        assertEquals(help(read.usageMessage()), help(spec.usageMessage()), name);
        assertEquals(read.unmatchedArgsBindings().size(), spec.unmatchedArgsBindings().size(), name);
        compare(name, read.options(), spec.options().stream().filter(option -> !option.inherited()).toList());
        compare(name, read.positionalParameters(), spec.positionalParameters());
        assertTrue(made.getSubcommands().keySet().containsAll(read.subcommands().keySet()), name);
        made.getSubcommands().values().forEach(this::compare);
    }

    private static List<?> help(final UsageMessageSpec help) {
        return List.of(List.of(help.header()), List.of(help.description()), List.of(help.footer()), help.sortOptions(),
            help.synopsisSubcommandLabel());
    }

    private void compare(final String command, final List<? extends ArgSpec> read, final List<? extends ArgSpec> made) {
        assertEquals(read.size(), made.size(), command);
        for (int i = 0; i < made.size(); i++) {
            assertEquals(what(read.get(i)), what(made.get(i)), command);
            compareField(command + " " + made.get(i).paramLabel(), read.get(i), made.get(i));
            compared++;
        }
    }

    private static Map<String, String> what(final ArgSpec arg) {
        final Map<String, String> own = arg instanceof final OptionSpec option
            ? Map.of("names", List.of(option.names()).toString(), "order", option.order() + "",
                "help", option.usageHelp() + " " + option.versionHelp(), "fallback", option.fallbackValue(),
                "negatable", option.negatable() + "")
            : Map.of("index", ((PositionalParamSpec) arg).index().toString());
        return Map.of("own", own.toString(), "description", Arrays.toString(arg.description()),
            "label", arg.paramLabel(), "default", arg.defaultValue() + " " + arg.initialValue(),
            "required", arg.required() + " " + arg.hidden(),
            "arity", arg.arity().toString(), "split", arg.splitRegex(), "type", arg.type() + " "
            + Arrays.toString(arg.auxiliaryTypes()), "scope", arg.scopeType() + "",
            "candidates", arg.completionCandidates() == null ? "none"
            : StreamSupport.stream(arg.completionCandidates().spliterator(), false).toList().toString());
    }

    /** What is set by the one is got by the other, which holds the same field; that of help has no field. */
    private static void compareField(final String name, final ArgSpec read, final ArgSpec made) {
        if (made instanceof final OptionSpec option && (option.usageHelp() || option.versionHelp())) {
            return;
        }
        final Object before = read.getValue();
        final Object value = sample(made.type());
        made.setValue(value);
        assertEquals(value, read.getValue(), name);
        read.setValue(before);
        assertEquals(before, made.<Object>getValue(), name);
    }

    private static Object sample(final Class<?> type) {
        return type == boolean.class || type == Boolean.class ? (Object) true
            : type == int.class || type == Integer.class ? (Object) 7
            : type == long.class || type == Long.class ? (Object) 7L
            : type == double.class || type == Double.class ? (Object) 7.5
            : type == Path.class ? Path.of("seven")
            : type == SortedSet.class ? new TreeSet<>(List.of("seven"))
            : Collection.class.isAssignableFrom(type) ? List.of("seven")
            : type == Map.class ? Map.of("seven", 7)
            : type.isArray() ? Array.newInstance(type.getComponentType(), 1)
            : type.isEnum() ? type.getEnumConstants()[type.getEnumConstants().length - 1]
            : "seven";
    }
}
