package dev.skerry.options;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** What the processor makes no code of is an error where it stands; what it makes compiles. */
final class OptionsProcessorTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "@Option(names = \"--nodes\") int nodes;|",
        "@Option(names = {\"-n\", \"--nodes\"}, split = \",\") java.util.List<Integer> nodes;|",
        "@Option(names = \"--nodes\") private int nodes;| a private field",
        "@Option(names = \"--nodes\", interactive = true) int nodes;| interactive of an option",
        "@ParentCommand Object parent;| @ParentCommand",
        "@Option(names = \"--nodes\") void nodes(int count) { }| an annotation here",
        "@Mixin(name = \"part\") Object part;| values of @Mixin",
        "@Spec Model.CommandSpec spec;| a class without options",
        "static class Part { @Option(names = \"--nodes\") int nodes; }| a class in a class"
    })
    void shouldRefuseWhatItDoesNotKnow(final String members, final String why) {
        assertEquals(why == null ? List.of() : List.of("no code is made of " + why + ", see OptionsProcessor"),
            errors("package some; import picocli.CommandLine.*; final class Example { " + members + " }"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "name = \"example\", mixinStandardHelpOptions = true, description = {\"One\", \"\\\"two\\\"\"}|",
        "name = \"example\", helpCommand = true| helpCommand of a command"
    })
    void shouldRefuseOfACommandWhatItDoesNotKnow(final String values, final String why) {
        assertEquals(why == null ? List.of() : List.of("no code is made of " + why + ", see OptionsProcessor"),
            errors("package some; import picocli.CommandLine.*; @Command(" + values + ") final class Example { "
            + "@Option(names = \"--nodes\") int nodes; }"));
    }

    @Test
    void shouldRefuseWhatIsSpreadOverClasses() {
        assertEquals(List.of("no code is made of a class that extends another, see OptionsProcessor"),
            errors("package some; import picocli.CommandLine.*; final class Example extends Thread { "
            + "@Option(names = \"--nodes\") int nodes; }"));
        assertEquals(List.of("no code is made of a command that asks for its mixee, see OptionsProcessor"),
            errors("package some; import picocli.CommandLine.*; @Command(name = \"example\") final class Example { "
            + "@Option(names = \"--nodes\") int nodes; @Spec(Spec.Target.MIXEE) Model.CommandSpec spec; }"));
    }

    private List<String> errors(final String source) {
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
        final JavaCompiler.CompilationTask task = compiler.getTask(null, null, said,
            List.of("-d", folder.toString(), "-proc:full"), null, List.of(new Source(source)));
        task.setProcessors(List.of(new OptionsProcessor()));
        task.call();
        return said.getDiagnostics().stream().filter(one -> one.getKind() == Diagnostic.Kind.ERROR)
            .map(one -> one.getMessage(Locale.ROOT)).toList();
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(final String text) {
            super(URI.create("string:///some/Example.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(final boolean ignored) {
            return text;
        }
    }
}
