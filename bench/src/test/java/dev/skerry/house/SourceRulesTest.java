package dev.skerry.house;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Comments cite only what is in the repository, and documents name only what is in the code. */
final class SourceRulesTest {
    private static final Path HOUSE = Path.of("..");
    private static final List<String> MODULES = List.of("schedule", "cell-codec", "dataplane", "nic-pipeline", "tools",
        "tools/papers", "bench");

    private static final Pattern COMMENT = Pattern.compile("/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);
    private static final Pattern BREAK = Pattern.compile("\\s*\\n\\s*(?:\\*|//)?\\s*");
    private static final Pattern CITED = Pattern.compile("\\b(docs/[a-zA-Z0-9_/-]+\\.md)(?: §(\\d+(?:\\.\\d+)*))?");
    private static final Pattern ELSEWHERE = Pattern.compile("(?i)(?<!docs/)\\bspec/|\\bdesign decisions? \\d"
        + "|\\bstyle §|\\bissue #?\\d+|\\bhouse\\.md|\\bshared/|\\boracle/");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|record|interface|enum) ([A-Z]\\w+)");
    private static final Pattern NAMED = Pattern.compile("`(?:([A-Z][a-z]\\w*)\\.(?!bsv)([a-z]\\w+)"
        + "|([A-Z][a-z]+[A-Z]\\w*))`");
    private static final Set<String> OF_LIBRARIES = Set.of("ArrayBlockingQueue", "IllegalArgumentException",
        "IllegalStateException", "InternalError", "PriorityQueue", "ServiceLoader", "SpscArrayQueue");

    private record Comment(Path file, String text) {
        @Override
        public String toString() {
            return HOUSE.relativize(file) + ": " + text.strip();
        }
    }

    @Test
    void shouldCiteWhatIsInTheRepository() {
        final Map<String, String> texts = new HashMap<>();
        final List<String> wrong = new ArrayList<>();
        int citations = 0;
        for (final Comment comment : comments(MODULES)) {
            if (ELSEWHERE.matcher(comment.text).find()) {
                wrong.add("cites what is not here: " + comment);
            }
            final Matcher cited = CITED.matcher(comment.text);
            while (cited.find()) {
                citations++;
                final String text = texts.computeIfAbsent(cited.group(1), SourceRulesTest::textOf);
                if (text.isEmpty()) {
                    wrong.add("no such document: " + cited.group() + ": " + comment);
                } else if (cited.group(2) != null && !hasSection(text, cited.group(2))) {
                    wrong.add("no such section: " + cited.group() + ": " + comment);
                }
            }
        }
        assertTrue(citations > 0, "no citation was found, so none was checked");
        assertEquals(List.of(), wrong);
    }

    @Test
    void shouldNameWhatIsInTheCode() throws IOException {
        final Map<String, String> sourceOf = new HashMap<>();
        final List<Path> files = sources(MODULES);
        files.addAll(sources(List.of("tools/members", "tools/parquet")));
        for (final Path file : files) {
            final String source = read(file);
            DECLARED.matcher(source).results().forEach(declared -> sourceOf.merge(declared.group(1), source,
                String::concat));
        }
        final List<String> wrong = new ArrayList<>();
        for (final Path page : documents()) {
            NAMED.matcher(read(page)).results().filter(name -> {
                final boolean isMethod = name.group(3) == null;
                final String source = sourceOf.getOrDefault(name.group(isMethod ? 1 : 3), "");
                return isMethod ? !declares(source, name.group(2))
                    : source.isEmpty() && !OF_LIBRARIES.contains(name.group(3));
            }).forEach(name -> wrong.add(HOUSE.relativize(page) + ": " + name.group()));
        }
        assertEquals(List.of(), wrong);
    }

    /** A method, or a component of a record. */
    private static boolean declares(final String source, final String name) {
        return Pattern.compile("\n {4,8}(?!return|throw)[\\w<][^=;\n]* " + name + "\\(|\\w " + name + "[,)]")
            .matcher(source).find();
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> docs = Files.walk(HOUSE.resolve("docs")); Stream<Path> top = Files.list(HOUSE)) {
            return Stream.concat(docs, top).filter(file -> file.toString().endsWith(".md"))
                .filter(file -> !file.endsWith("CHANGELOG.md")).toList();
        }
    }

    private static boolean hasSection(final String text, final String number) {
        return Pattern.compile("(?m)^#+ (?:§)?" + Pattern.quote(number) + "\\b").matcher(text).find();
    }

    private static String textOf(final String document) {
        final Path file = HOUSE.resolve(document);
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Comment> comments(final List<String> modules) {
        final List<Comment> comments = new ArrayList<>();
        for (final Path file : sources(modules)) {
            final Matcher comment = COMMENT.matcher(read(file));
            while (comment.find()) {
                comments.add(new Comment(file, BREAK.matcher(comment.group()).replaceAll(" ")));
            }
        }
        return comments;
    }

    private static List<Path> sources(final List<String> modules) {
        final List<Path> files = new ArrayList<>();
        for (final String module : modules) {
            try (Stream<Path> all = Files.walk(HOUSE.resolve(module).resolve("src"))) {
                all.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return files;
    }

    private static String read(final Path file) {
        try {
            return Files.readString(file);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
