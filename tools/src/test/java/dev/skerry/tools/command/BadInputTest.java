package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.refuses;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Wrong input ends in exit code 2 and one line that says what, where, why and what to do; nothing else happens. */
final class BadInputTest {
    private static final String HELP = ", see 'skerry run --help'";

    @TempDir
    private Path folder;

    /** Checks the manners of a refusal and returns its line without the {@code skerry: }. */
    private static String refusal(final String... arguments) {
        final Invocation run = Invocation.of(arguments);
        final String said = "exit code " + run.code() + ": " + run.err();
        assertEquals(2, run.code(), said);
        assertEquals("", run.out(), said);
        assertEquals(1, run.errors().size(), said);
        final String line = run.errors().getFirst();
        assertTrue(line.matches("skerry: (--[a-z-]+|\\S[^:]*: \\S.*): \\S.*, \\S.*"), said);
        assertFalse(line.contains("Exception") || line.contains("java.") || line.contains("null"), said);
        return line.substring("skerry: ".length());
    }

    private static String refusalOf(final String line) {
        return refusal(line.split(" "));
    }

    private Path file(final String name, final String text) throws IOException {
        return Files.writeString(folder.resolve(name), text, UTF_8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        pie             | pie: there is no such option or command; did you mean pieo?, see 'skerry --help'
        qqq             | qqq: there is no such option or command, see 'skerry --help'
        --nods          | --nods: there is no such option or command, see 'skerry --help'
        run fast        | fast: there is no such option or command
        run --node 3    | --node: there is no such option or command; did you mean --nodes?
        run -x 3        | -x: there is no such option or command
        run --nodes     | skerry run: Missing required parameter for option '--nodes' (N)
        run --out       | skerry run: Missing required parameter for option '--out' (DIR)
        run --h 2 --h 3 | skerry run: option '--h' (H) should be specified only once
        run --json=5    | --json: '5' is not a boolean
        """)
    void shouldRefuseWhatIsNoCommandLine(final String line, final String said) {
        assertEquals("command line: " + said + (said.contains("see '") ? "" : HELP), refusalOf(line));
    }

    @Test
    void shouldAskForACommandAndRefuseHelpOnAFabricThatIsNot() {
        assertEquals("command line: skerry: Missing command, see 'skerry --help'", refusal());
        assertTrue(refusalOf("run --help-all --fabric nosuch").startsWith("--fabric: nosuch: there is no such fabric"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nodes", "h", "tokens", "first-hop-tokens", "load", "incast-senders", "flow-bytes",
        "slots", "slot-ns", "cell-bytes", "header-bytes", "propagation-ns", "propagation-slots", "failed-nodes",
        "seed", "threads", "nic-threads", "switch-threads", "clos-ports"})
    void shouldRefuseWhatIsNoNumber(final String option) {
        final List<String> wrong = option.endsWith("-ns") || "load".equals(option)
            ? List.of("many", "", "1,5", "0.5.1") : List.of("many", "", "1.5", "1e3", "0x10", "99999999999999999999");
        for (final String value : wrong) {
            final String line = refusal("run", "--" + option + "=" + value);
            assertTrue(line.startsWith("command line: --" + option + ": ") && line.contains("'" + value + "'")
                && line.endsWith(HELP), line);
        }
    }

    /** Each value of each option by itself: the line names the option. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run | --nodes 1 0 -16 1048576 1048575; --h 0 -1 9; --tokens 0 -1 256; --first-hop-tokens 0 256
        run | --failed-nodes -1 255 256; --threads 0 1025; --propagation-slots -1 1048577
        run | --slots -1 9007199254740993 9223372036854775807 9007199254740992
        run | --slot-ns NaN 0.0 -0.0 -5.632 Infinity 1.0E9; --propagation-ns NaN -1.0 Infinity 1.0E12
        run | --load 0.0 -0.5 1.01 NaN; --cell-bytes 12 0 -256; --header-bytes 11 0 -12; --fabric ethernet
        run | --mode fast; --cc tcp priority+ priority+priority; --priority-of log; --priority-order cell
        run | --workload mail; --priority-factor 1; --spray-ties first; --isd-rate 0.3; --idle spin; --pin 0
        run | --nic-threads 2; --switch-threads 2; --clos-ports 4; --flow-bytes 9; --incast-senders 3; --channels 2
        run | --shoal-rule exact; --shoal-schedule plain; --shoal-age-rule on; --flow-order shortest
        run | --class-bytes 1000; --lower-class-cells 8
        run --cc priority | --priority-factor 0 NaN 10001; --priority-of bytes; --priority-order node
        run --cc hbh | --spray-ties lowest
        run --cc isd | --isd-rate 0 NaN 5
        run --mode threads | --threads 0; --nic-threads 0; --switch-threads 1025; --idle sleep; --pin x -1
        run --mode threads | --clos-ports 4
        run --workload permutation | --slots 0; --load 0.5; --flow-bytes 0
        run --workload incast | --load 0.5; --flow-bytes -1 9e; --incast-senders 0 256
        run --workload all-to-all | --load 0.5
        run --workload web | --flow-bytes 9
        run --nodes 16 | --failed-nodes 15
        run --nodes 2 | --failed-nodes 1
        run --fabric shoal | --nodes 1 1025; --channels 0 many; --shoal-rule fair; --shoal-schedule best
        run --fabric shoal | --shoal-age-rule maybe; --slot-ns 0; --propagation-slots 1048577; --propagation-ns -1
        run --fabric shoal | --cell-bytes 100 0; --header-bytes 7; --h 2; --cc hbh; --tokens 1; --priority-factor 2
        run --fabric shoal | --spray-ties lowest; --isd-rate 1; --priority-of log; --priority-order cell
        run --fabric shoal | --first-hop-tokens 1; --failed-nodes 255; --flow-order longest; --miss-limit 2
        run --fabric shoal | --class-bytes x 10, 0 10,10 1,2,3,4; --lower-class-cells 9; --load 1.5
        run --fabric shoal --nodes 4 | --channels 4
        run --fabric shoal --nodes 255 | --shoal-schedule delay
        run --fabric shoal --nodes 252 | --shoal-schedule delay
        run --fabric shoal --workload permutation | --slots 300000000000 0
        run --fabric shoal --faults none.txt | --miss-limit 0
        run --fabric shoal --class-bytes 9 | --lower-class-cells 0; --shoal-rule authors-simulator paper-one-report
        run --fabric shoal --faults x | --shoal-rule basic authors-simulator
        pieo | --size 0 65537 x
        run --fabric stardust | --nodes 60; --topology x; --ports 0; --speed-up 0.5; --packing some; --requests some
        run --fabric stardust | --give-up-ms 0; --voq-bytes 9000; --adapter-bytes 1; --top-elements 0
        run --fabric stardust | --weights 1,0 1,x 1,2,200; --class-bytes 9,9; --hosts some; --control some
        run --fabric stardust | --device-ns -1 900000; --reachability some; --tokens 2; --channels 3
        run --fabric stardust --topology n432 | --nodes 99
        run --fabric stardust --class-bytes 9000 | --low-latency 2
        run --fabric stardust --class-bytes 9000 --weights 1,1 | --low-latency 0.1
        run --fabric stardust --voq-bytes 30000 | --adapter-bytes 20000
        run --fabric stardust --radix 7 | --topology clos
        run --fabric stardust --topology clos | --tiers 0
        run --fabric stardust --up-links 9 | --topology clos
        run --fabric stardust --hosts dctcp | --mark-bytes 0
        run --fabric stardust --mode threads | --nic-threads 0; --idle sleep
        run --fabric stardust --mode threads --nic-threads 2 | --threads 2
        compare | --gbps 0 NaN; --cell-bytes 100 64; --time-us -1 0; --slots 0 -5; --warm-up-us -1; --nodes 20 2048
        compare | --load 1.5; --workload x; --threads 0; --h 9; --propagation-ns -1
        compare --time-us 50 | --warm-up-us 50
        compare --workload incast | --warm-up-us 5; --load 0.1
        compare --fabrics shoal | --h 3
        """)
    void shouldRefuseAValue(final String command, final String options) {
        for (final String option : options.split("; ")) {
            final String[] values = option.split(" ");
            for (int i = 1; i < values.length; i++) {
                assertNames(values[0], refusalOf(command + " " + values[0] + " " + values[i]));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run --flows no/such/file.csv                                             | trace
        run --cc isd --mode threads                                              | --cc
        run --mode threads --threads 2 --nic-threads 1                           | --threads
        run --mode threads --threads 2 --pin 0                                   | --pin
        run --mode threads --fabric shoal --clos-ports 5                         | --clos-ports
        run --mode threads --fabric shoal --nodes 512 --clos-ports 8             | --clos-ports
        run --propagation-slots 3 --propagation-ns 3                             | --propagation-slots
        run --nodes 2 --h 8                                                      | --nodes
        run --nodes 17 --h 4                                                     | --nodes
        run --nodes 40000 --h 1                                                  | --nodes
        run --nodes 1000000 --h 8                                                | --nodes
        run --nodes 32 --h 5 --header-bytes 12                                   | --header-bytes
        run --nodes 32 --h 5 --cell-bytes 16                                     | --cell-bytes
        run --header-bytes 300                                                   | --cell-bytes
        run --nodes 15 --fill --failed-nodes 1                                   | --fill
        run --slot-ns 1e-9                                                       | --propagation-ns
        run --fabric shoal --shoal-schedule delay --propagation-slots 32         | --shoal-schedule
        run --fabric shoal --shoal-rule authors-simulator --channels 2           | --shoal-rule
        run --fabric shoal --shoal-rule authors-simulator --shoal-schedule delay | --shoal-rule
        run --fabric shoal --shoal-rule authors-simulator --propagation-ns 1     | --shoal-rule
        run --fabric shoal --header-bytes 64                                     | --cell-bytes
        run --fabric shoal --fill                                                | --fill
        run --fabric shoal --failed-nodes 1 --class-bytes 9                      | --failed-nodes
        run --fabric shoal --failed-nodes 1 --faults x                           | --failed-nodes
        run --fabric shoal --respray-last-hop                                    | --respray-last-hop
        pieo --replay no/such                                                    | pieo trace
        pieo trace.txt                                                           | trace.txt
        """)
    void shouldRefuseOptionsThatDoNotFitEachOther(final String line, final String option) {
        assertNames(option, refusalOf(line));
    }

    private static void assertNames(final String option, final String line) {
        assertTrue(line.replaceFirst("^command line: ", "").startsWith(option + ": "), option + ": " + line);
    }

    @Test
    void shouldRefuseAFabricLargerThanTheMemory() {
        final String line = refusalOf("run --nodes 1000000 --propagation-slots 1048576 --workload permutation");
        assertTrue(line.matches("--nodes: 1000000: the fabric needs [0-9,]+ MiB and the machine has [0-9,]+ MiB, "
            + "choose fewer nodes or a larger --h"), line);
        final String shoal = refusalOf("run --fabric shoal --nodes 1024 --channels 1023 --propagation-slots 1048576"
            + " --workload permutation");
        assertTrue(shoal.matches("--nodes: 1024: the fabric needs [0-9,]+ MiB and the machine has [0-9,]+ MiB, choose "
            + "fewer nodes or a shorter delay"), shoal);
    }

    @Test
    void shouldRefuseATraceTogetherWithAWorkload() throws IOException {
        final Path trace = file("flows.csv", "0,0,1,100,0\n");
        for (final String more : List.of("--workload=short", "--load=0.1", "--incast-senders=3", "--flow-bytes=9")) {
            assertEquals("--flows: " + trace + ": a trace defines its flows completely, leave out --workload, --load, "
                + "--incast-senders and --flow-bytes", refusal("run", "--flows", trace.toString(), more));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        2,0,1,100       | 5 fields are needed and 4 found, write
        2,0,1,100,0,0,0 | 5 fields are needed and 7 found, write
        2,0,1,100,0,4   | there is no traffic class '4', give 0 to 3
        2,0,1,100,0,    | there is no traffic class '', give 0 to 3
        x,0,1,100,0     | flow id 'x' is not a whole number, give
        1,0,1,100,0     | flow id 1 occurs a second time, give
        2,16,1,100,0    | source '16' is not a node, give 0 to 15 or a larger --nodes
        2,-1,1,100,0    | source '-1' is not a node, give
        2,0,99,100,0    | destination '99' is not a node, give
        2,0,1,1.5,0     | size '1.5' is not a whole number of bytes, give
        2,0,1,100,-1e-9 | start '-1e-9' is not a time, give
        2,0,1,100,NaN   | start 'NaN' is not a time, give
        2,0,1,100,soon  | start 'soon' is not a time, give
        2,0,1,100,1e30  | start '1e30' lies beyond slot 2^53, give
        """)
    void shouldNameTheLineOfATrace(final String wrong, final String said) throws IOException {
        final Path trace = file("flows.csv",
            "id,source,destination,bytes,start\n1,0,1,100,0\n# fine so far\n" + wrong + "\n");
        final String line = refusal("run", "--nodes", "16", "--flows", trace.toString());
        assertTrue(line.startsWith("trace: " + trace + ":4: " + said), line);
    }

    @Test
    void shouldRefuseATraceThatIsNone() throws IOException {
        assertEquals("trace: " + folder + ": is a folder, give the path of a file",
            refusal("run", "--flows", folder.toString()));
        assertEquals("trace: '': is a folder, give the path of a file", refusal("run", "--flows", ""));
        final Path empty = file("empty.csv", "# nothing\n");
        assertTrue(refusal("run", "--flows", empty.toString()).startsWith("trace: " + empty + ": holds no flow, "));
        final Path torn = file("torn.csv.gz", "1,0,1,100,0\n");
        assertEquals("trace: " + torn + ": is named .gz but holds no gzip data, compress it or rename it",
            refusal("run", "--flows", torn.toString()));
    }

    @Test
    void shouldRefuseAResultFolderThatCannotBeAndLeaveNothingBehind() throws IOException {
        final Path file = file("file", "mine");
        final Path taken = Files.createDirectory(folder.resolve("taken"));
        final Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        // Longer than anyone would wait: it only ends if it never starts.
        for (final Path there : List.of(file, taken)) {
            assertEquals("--out: " + there + ": already exists and is never overwritten, choose another folder or "
                + "remove it first", refusalOf("run --workload permutation --slots 9007199254740992 --out " + there));
        }
        assertTrue(refusal("run", "--out", link.toString()).startsWith("--out: " + link + ": already exists"));
        assertEquals("--out: " + file.resolve("x") + ": " + file + " is not a writable folder, choose another "
            + "folder", refusal("run", "--out", file.resolve("x").toString()));
        assertTrue(refusal("run", "--out", "").startsWith("--out: '': already exists"));
        refusal("run", "--nodes", "1", "--out", folder.resolve("new").toString());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(file, link, taken), left.sorted().toList());
            assertEquals("mine", Files.readString(file));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--fabric", "--cc", "--mode", "--workload", "--flows", "--nodes", "--no\n\u001b[1msuch\r"})
    void shouldKeepToOneLineWhateverWasTyped(final String option) {
        final Invocation run = Invocation.of("run", option + "=first\r\nsecond\u001b[2J\u0007").refused();
        assertTrue(run.err().strip().chars().noneMatch(Character::isISOControl), run.err());
        run.says("first second");
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --nodes 1", "run --nodes x", "run --nonsense", "nonsense", "run --flows none.csv",
        "pieo --size 0", ""})
    void shouldAddTheTraceWhenAsked(final String line) {
        final String[] plain = line.isEmpty() ? new String[0] : line.split(" ");
        final String[] verbose = Arrays.copyOf(plain, plain.length + 1);
        verbose[plain.length] = "--verbose";
        final String said = "skerry: " + refusal(plain);
        final Invocation run = Invocation.of(verbose).exits(2);
        assertEquals(said, run.errors().getFirst());
        assertTrue(run.errors().stream().anyMatch(at -> at.startsWith("\tat dev.skerry.")
            || at.startsWith("\tat picocli.")), run.err());
    }

    @Test
    void shouldRaiseFirstHopTokensAndSaySo() {
        final Invocation run = Invocation.ofLine("run --nodes 16 --tokens 5 --first-hop-tokens 2 --slots 100").ok();
        assertTrue(run.errors().contains("skerry: --first-hop-tokens raised to 5, the value of --tokens"), run.err());
    }

    @Test
    void shouldNameThePartOfACommandThatIsMissingAndHelpWithoutIt() {
        for (final String line : List.of("figures", "figures --json", "figures --help", "help figures",
            "sweep figures shoal-rates --out " + folder.resolve("out"))) {
            refuses(line, "figures: the jar that brings this command is missing, ");
        }
        final Invocation help = Invocation.ofLine("--help").ok().prints("  compare ");
        assertFalse(help.out().contains("  figures "), help.out());
        assertFalse(Invocation.ofLine("completion fish").out().contains("__fish_seen_subcommand_from figures"));
    }
}
