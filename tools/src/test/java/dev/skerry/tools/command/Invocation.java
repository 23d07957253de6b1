package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One call of the command line inside the test's own process: its exit code and what it printed where. */
public record Invocation(int code, String out, String err) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** Runs a command to its end. */
    public static Invocation of(final String... arguments) {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final int code = Skerry.execute(new PrintWriter(out), new PrintWriter(err), arguments);
        return new Invocation(code, out.toString(), err.toString());
    }

    /** Runs a command given as one line; arguments are separated by blanks. */
    public static Invocation ofLine(final String line) {
        return of(line.strip().split(" +"));
    }

    /** The summary of a run given as one line, which has to end well. */
    public static JsonNode summary(final String line) {
        return ofLine(line.strip() + " --json").ok().json();
    }

    /**
     * The summary of a run that has one result however it is carried out: with each of the options, its digest and all
     * that it counts are the same.
     */
    public static JsonNode same(final String line, final String... hows) {
        final JsonNode one = summary(line);
        for (final String how : hows) {
            final JsonNode other = summary(line + " " + how);
            assertEquals(one.get("digest"), other.get("digest"), line + " " + how);
            assertEquals(counts(one), counts(other), line + " " + how);
        }
        return one;
    }

    public static JsonNode digest(final String line) {
        return summary(line).get("digest");
    }

    /** A command that is refused: exit 2, nothing on standard output, one line on standard error with these parts. */
    public static void refuses(final String line, final String... parts) {
        ofLine(line).refused(parts);
    }

    /** Refused as a command that {@link #refuses}. */
    public Invocation refused(final String... parts) {
        exits(2);
        assertEquals(1, errors().size(), err);
        assertTrue(err.startsWith("skerry: "), err);
        assertEquals("", out, err);
        return says(parts);
    }

    public Invocation exits(final int expected) {
        assertEquals(expected, code, () -> err + out);
        return this;
    }

    public Invocation ok() {
        return exits(0);
    }

    /** Has these parts on standard error. */
    public Invocation says(final String... parts) {
        return has(err, parts);
    }

    /** Has these parts on standard output. */
    public Invocation prints(final String... parts) {
        return has(out, parts);
    }

    private Invocation has(final String text, final String... parts) {
        for (final String part : parts) {
            assertTrue(text.contains(part), () -> part + " in " + text);
        }
        return this;
    }

    /** What it printed, as JSON with nothing after it. */
    public JsonNode json() {
        try {
            return JSON.readTree(out);
        } catch (final IOException e) {
            throw new UncheckedIOException(out, e);
        }
    }

    /** The command of a report that gives the same result, without the name of the program. */
    public String command() {
        final String printed = out.substring(out.indexOf("./skerry run") + "./skerry ".length());
        return printed.substring(0, printed.indexOf("\n\n")).replaceAll("\\\\\\s+", "").replaceAll("\\s+", " ");
    }

    /** The digest in a report. */
    public String printedDigest() {
        return out.lines().filter(line -> line.startsWith("Digest")).findFirst().orElseThrow();
    }

    /** The events of a summary that a run repeats in every engine: not seconds of waiting, memory or threads. */
    public static Map<String, Long> counts(final JsonNode summary) {
        return summary.get("events").properties().stream().filter(event -> event.getValue().isInt())
            .filter(event -> !Set.of("memoryBytesPerNode", "threadsRun").contains(event.getKey()))
            .collect(Collectors.toMap(Map.Entry::getKey, event -> event.getValue().asLong()));
    }

    /** A command in a process of its own. */
    public static Process start(final String line) throws IOException {
        return new ProcessBuilder(command(line)).redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
    }

    /** Words that start a process of its own with a command and with options of Java. */
    static List<String> command(final String line, final String... options) {
        return Stream.of(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "-cp", classPath()), Stream.of(options),
            Stream.of(Skerry.class.getName()), Stream.of(line.split(" "))).flatMap(words -> words).toList();
    }

    /** Classes of this test and all they need, whether they were given as a class path or as modules. */
    private static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path").map(System::getProperty)
            .filter(path -> path != null && !path.isEmpty()).collect(Collectors.joining(File.pathSeparator));
    }

    /** Lines on standard error. */
    public List<String> errors() {
        return err.lines().toList();
    }
}
