package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.input.SettingsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What all commands share: help, suggestions, settings files, completion, and silence. */
final class CommandLineTest {
    private static final int SCREEN = 52;

    @TempDir
    private Path folder;

    /** The help of every command fits a screen, or says how to see the rest. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "compare", "sweep", "live", "stat", "pieo", "trace", "cosim", "coverage", "header",
        "sva", "resources", "figures", "completion"})
    void shouldHelpOnOneScreen(final String command) {
        final Invocation help = Invocation.of(command, "--help");
        assertEquals(0, help.code(), help.err());
        assertTrue(help.out().lines().count() <= SCREEN, command + " has " + help.out().lines().count() + " lines");
        assertTrue(help.out().lines().allMatch(line -> line.length() <= 100), help.out());
        assertEquals("", help.err());
    }

    /** With a fabric, the short help has all options of this fabric, and none of another one. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "live", "trace"})
    void shouldHelpWithTheOptionsOfAFabric(final String command) {
        final CommandSpec spec = Skerry.withAllCommands().getSubcommands().get(command).getCommandSpec();
        for (final FabricKind kind : FabricKind.all()) {
            final String help = Invocation.ofLine(command + " --help --fabric " + kind.name()).ok().out();
            assertTrue(help.lines().allMatch(line -> line.length() <= 100), help);
            FabricKind.all().forEach(other -> other.options().stream()
                .flatMap(group -> CommandSpec.forAnnotatedObject(group.options()).options().stream())
                .map(OptionSpec::longestName).forEach(option -> assertEquals(
                kind.optionNames().contains(option) && spec.findOption(option) != null
                    && !spec.findOption(option).hidden(),
                help.lines().anyMatch(line -> line.matches("  " + option + "[= ].*")), kind.name() + " " + option)));
            assertEquals(kind.shared().contains("--channels"), help.contains("  --channels="), kind.name());
        }
        Invocation.refuses(command + " --help --fabric nosuch", "--fabric: nosuch: there is no such fabric");
    }

    /** {@code --help-all} has every option once, under the heading of its group; the short help only options of it. */
    @ParameterizedTest
    @ValueSource(strings = {"run", "live", "trace"})
    void shouldHelpWithAllOptionsInGroups(final String name) {
        final CommandLine command = Skerry.withAllCommands().getSubcommands().get(name);
        final List<String> lines = Invocation.of(name, "--help-all").out().lines().toList();
        // An option that is hidden is there to be refused in one line.
        final List<OptionSpec> shown = command.getCommandSpec().options().stream().filter(option -> !option.hidden())
            .toList();
        for (final OptionSpec option : shown) {
            final long times = lines.stream().filter(line -> line.matches(" {2,6}(-[hV], )?"
                + option.longestName() + "([=\\[ ].*|)")).count();
            assertEquals(1, times, option.longestName());
        }
        assertTrue(lines.containsAll(List.of("Fabric", "Shale", "Stardust", "Engine", "Common")), lines::toString);
        for (final String option : HelpPages.SHORT.get(name)) {
            assertNotEquals(null, command.getCommandSpec().findOption(option), option + " is no option of " + name);
        }
        for (final OptionSpec option : shown) {
            assertTrue(name.equals("trace") || !HelpPages.group(option.longestName()).equals(HelpPages.OWN),
                option.longestName() + " is in no group");
        }
    }

    /** picocli formats descriptions, so that a lone percent sign makes it print a warning of its own. */
    @Test
    void shouldEscapePercentSignsInHelp() {
        assertFormats(Skerry.withAllCommands());
    }

    private static void assertFormats(final CommandLine command) {
        final CommandSpec spec = command.getCommandSpec();
        // The annotations: what a specification returns is formatted already.
        final Stream<String[]> options = spec.options().stream().map(option -> (AnnotatedElement) option.userObject())
            .filter(field -> field.isAnnotationPresent(Option.class))
            .map(field -> field.getAnnotation(Option.class).description());
        final UsageMessageSpec help = spec.usageMessage();
        Stream.concat(options, Stream.of(help.header(), help.description(), help.footer())).flatMap(Arrays::stream)
            .forEach(text -> assertDoesNotThrow(() -> String.format(text), text));
        command.getSubcommands().values().forEach(CommandLineTest::assertFormats);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run --nodse 16            | --nodes",
        "rnu                       | run",
        "run --fabric shaol        | ; did you mean shoal?",
        "run --workload sohrt      | ; did you mean short?",
        "run --mode thread         | ; did you mean threads?",
        "run --cc hbh+spray-shrot  | ; did you mean spray-short?",
        "run --spray-ties lowset   | ; did you mean lowest?",
        "run --fabric stardust --topology scald | ; did you mean scaled?",
        "run --fabric shoal --shoal-rule exakt  | ; did you mean exact?",
        "figures shale-fgi10       | ; did you mean shale-fig10?",
        "completion fsih           | ; did you mean fish?",
    })
    void shouldSuggestWhatAMistypedWordMeans(final String line, final String suggestion) {
        Invocation.refuses(line, suggestion);
    }

    @Test
    void shouldSuggestNothingForAWordThatIsLikeNone() {
        final Invocation run = Invocation.ofLine("run --fabric infiniband");
        assertFalse(run.err().contains("did you mean"), run.err());
    }

    @Test
    void shouldTakeOptionsFromASettingsFile() throws IOException {
        final Path settings = Files.writeString(folder.resolve("small"), """
            # A small fabric.
            --nodes 16

            --slots=500
            --cc hbh+spray
            --check
            """);
        assertEquals(Invocation.summary("run --nodes 16 --slots 500 --cc hbh+spray --check").get("options"),
            Invocation.summary("run @" + settings).get("options"));
        assertEquals(7, Invocation.summary("run @" + settings + " --seed 7").get("seed").intValue());
    }

    /** What is typed counts, before the file or behind it; what may be repeated adds up; twice is an error. */
    @Test
    void shouldOverrideOptionsOfASettingsFile() throws IOException {
        final Path settings = Files.writeString(folder.resolve("small"), "--nodes 16\n--slots=500\n");
        for (final String line : List.of("run @" + settings + " --nodes 27 --h 3",
            "run --nodes=27 --h 3 @" + settings)) {
            final JsonNode summary = Invocation.summary(line);
            assertEquals(27, summary.get("options").get("nodes").intValue());
            assertEquals(500, summary.get("options").get("slots").intValue());
        }
        Invocation.refuses("run @" + settings + " --nodes 27 --nodes 64", "--nodes");
        final Set<String> repeatable = new TreeSet<>();
        everyCommand(Skerry.withAllCommands()).flatMap(command -> command.getCommandSpec().options().stream())
            .filter(option -> option.isMultiValue() && option.splitRegex().isEmpty())
            .forEach(option -> repeatable.add(option.longestName()));
        assertTrue(repeatable.stream().allMatch(SettingsFile::isRepeatable), repeatable.toString());
        assertTrue(repeatable.contains("--port") && repeatable.contains("--set"), repeatable.toString());
    }

    private static Stream<CommandLine> everyCommand(final CommandLine line) {
        return Stream.concat(Stream.of(line), line.getSubcommands().values().stream()
            .flatMap(CommandLineTest::everyCommand));
    }

    @Test
    void shouldBeQuietWhileAllGoesWell() {
        final Invocation run = Invocation.ofLine("run --nodes 16 --slots 500 --quiet");
        assertEquals("", run.err());
        assertTrue(run.out().contains("Digest"), run.out());
        final String timed = "Speed.*|.* s of CPU time.*";
        assertEquals(Invocation.ofLine("run --nodes 16 --slots 500").out().replaceAll(timed, ""),
            run.out().replaceAll(timed, ""));
        Invocation.refuses("run --nodes 1 --quiet", "--nodes");
        assertTrue(Invocation.ofLine("--quiet run --nodes 16 --slots 9").err().isEmpty());
    }

    @Test
    void shouldTakeHelpAsACommand() {
        assertEquals(Invocation.of("run", "--help").out(), Invocation.of("help", "run").out());
        assertEquals(Invocation.of("--help").out(), Invocation.of("help").out());
        Invocation.refuses("help rnu", "did you mean run?");
        Invocation.refuses("help run live", "help: live: run has no such command");
        assertEquals(Invocation.of("sweep", "report", "--help").out(), Invocation.ofLine("help sweep report").out());
        assertFalse(Invocation.ofLine("help nosuch").err().contains("did you mean"));
    }

    /** What bash offers after the words typed so far. */
    @Test
    void shouldCompleteInBash() throws IOException, InterruptedException {
        final Path script = Files.writeString(folder.resolve("completion"), Invocation.of("completion", "bash").out());
        assertEquals("run", completed(script, "skerry", "ru"));
        assertEquals("--propagation-ns --propagation-slots", completed(script, "skerry", "run", "--propagation"));
        assertEquals("shoal shale stardust fattree", completed(script, "skerry", "run", "--fabric", ""));
        assertEquals("ndp", completed(script, "skerry", "run", "--cc", "nd"));
        assertEquals(Invocation.of("completion", "bash").out(), Invocation.of("completion", "zsh").out());
    }

    @Test
    void shouldCompleteEveryOptionInFish() {
        final String script = Invocation.of("completion", "fish").out();
        Skerry.withAllCommands().getSubcommands().forEach((name, command) -> command.getCommandSpec().options()
            .forEach(option -> assertTrue(script.contains("'__fish_seen_subcommand_from " + name + "' -l "
                + option.longestName().substring(2) + " "), name + " " + option.longestName())));
        assertTrue(script.lines().allMatch(line -> line.startsWith("complete -c skerry -f -n ")
            || line.startsWith("complete -c skerry -n ")), script);
    }

    private static String completed(final Path script, final String... words) throws IOException, InterruptedException {
        final String line = "source " + script + "; COMP_WORDS=(" + String.join(" ", words) + "); COMP_CWORD="
            + (words.length - 1) + "; COMP_LINE='" + String.join(" ", words) + "'; COMP_POINT=${#COMP_LINE}; "
            + "_complete_skerry; echo ${COMPREPLY[*]}";
        final Process bash = new ProcessBuilder("bash", "-c", line)
            .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        final String out = new String(bash.getInputStream().readAllBytes()).strip();
        assertTrue(bash.waitFor(60, TimeUnit.SECONDS), "bash does not end");
        return out;
    }

    /** A value of the wrong type is refused in the user's words, and no word is proposed for itself. */
    @Test
    void shouldRefuseInWordsOfTheUser() {
        Invocation.refuses("run --nodes abc", "skerry: command line: --nodes: 'abc' is not a whole number");
        Invocation.refuses("run --slots 100k", "skerry: command line: --slots: '100k' is not a whole number");
        Invocation.refuses("run --load 80%", "skerry: command line: --load: '80%' is not a number");
        final Invocation twice = Invocation.ofLine("sweep sweep --nodes 16 --out " + "nowhere");
        assertEquals(2, twice.code(), twice.err());
        assertFalse(twice.err().contains("did you mean sweep?"), twice.err());
    }
}
