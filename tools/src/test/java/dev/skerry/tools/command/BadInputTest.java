package dev.skerry.tools.command;

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
    private static final String IN_RANGE = ", give a number in this range";
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
        pie                | pie: there is no such option or command; did you mean pieo?, see 'skerry --help'
        qqq               | qqq: there is no such option or command, see 'skerry --help'
        --nods             | --nods: there is no such option or command, see 'skerry --help'
        run fast           | fast: there is no such option or command
        run --node 3       | --node: there is no such option or command; did you mean --nodes?
        run -x 3           | -x: there is no such option or command
        run --nodes        | skerry run: Missing required parameter for option '--nodes' (N)
        run --out          | skerry run: Missing required parameter for option '--out' (DIR)
        run --h 2 --h 3    | skerry run: option '--h' (H) should be specified only once
        run --json=5       | --json: '5' is not a boolean
        """)
    void shouldRefuseWhatIsNoCommandLine(final String line, final String said) {
        assertEquals("command line: " + said + (said.contains("see '") ? "" : HELP), refusalOf(line));
    }

    @Test
    void shouldAskForACommand() {
        assertEquals("command line: skerry: Missing command, see 'skerry --help'", refusal());
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes            | 1           | must be 2 to 1048575
        --nodes            | 0           | must be 2 to 1048575
        --nodes            | -16         | must be 2 to 1048575
        --nodes            | 1048576     | must be 2 to 1048575
        --h                | 0           | must be 1 to 8
        --h                | -1          | must be 1 to 8
        --h                | 9           | must be 1 to 8
        --tokens           | 0           | must be 1 to 255
        --tokens           | -1          | must be 1 to 255
        --tokens           | 256         | must be 1 to 255
        --first-hop-tokens | 0           | must be 1 to 255
        --first-hop-tokens | 256         | must be 1 to 255
        --failed-nodes     | -1          | must be 0 to 254
        --failed-nodes     | 255         | must be 0 to 254
        --failed-nodes     | 256         | must be 0 to 254
        --threads          | 0           | must be 1 to 1024
        --threads          | 1025        | must be 1 to 1024
        --propagation-slots| -1          | must be 0 to 1048576
        --propagation-slots| 1048577     | must be 0 to 1048576
        """)
    void shouldRefuseANumberOutOfRange(final String option, final String value, final String range) {
        assertEquals(option + ": " + value + ": " + range + IN_RANGE, refusal("run", option, value));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --slots          | -1                   | must be 0 to 9007199254740992, give a number of slots, or 0
        --slots          | 9007199254740993     | must be 0 to 9007199254740992, give a number of slots, or 0
        --slots          | 9223372036854775807  | must be 0 to 9007199254740992, give a number of slots, or 0
        --slots          | 9007199254740992     | more than 134217728 flows would arrive, give at most
        --slot-ns        | NaN                  | a slot lasts more than 0 ns and less than a second, give its length
        --slot-ns        | 0.0                  | a slot lasts more than 0 ns and less than a second, give its length
        --slot-ns        | -0.0                 | a slot lasts more than 0 ns and less than a second, give its length
        --slot-ns        | -5.632               | a slot lasts more than 0 ns and less than a second, give its length
        --slot-ns        | Infinity             | a slot lasts more than 0 ns and less than a second, give its length
        --slot-ns        | 1.0E9                | a slot lasts more than 0 ns and less than a second, give its length
        --propagation-ns | NaN                  | the delay must be 0 to 1048576 slots, give the one-way delay in ns
        --propagation-ns | -1.0                 | the delay must be 0 to 1048576 slots, give the one-way delay in ns
        --propagation-ns | Infinity             | the delay must be 0 to 1048576 slots, give the one-way delay in ns
        --propagation-ns | 1.0E12               | the delay must be 0 to 1048576 slots, give the one-way delay in ns
        --load           | 0.0                  | a node sends up to one cell a slot, give more than 0 and at most 1
        --load           | -0.5                 | a node sends up to one cell a slot, give more than 0 and at most 1
        --load           | 1.01                 | a node sends up to one cell a slot, give more than 0 and at most 1
        --load           | NaN                  | a node sends up to one cell a slot, give more than 0 and at most 1
        --cell-bytes     | 12                   | a header of 12 bytes leaves no room for payload, give 13 or more
        --cell-bytes     | 0                    | a header of 12 bytes leaves no room for payload, give 13 or more
        --cell-bytes     | -256                 | a header of 12 bytes leaves no room for payload, give 13 or more
        --header-bytes   | 11                   | the header of Shale does not fit, leave it out or give 12
        --header-bytes   | 0                    | the header of Shale does not fit, leave it out or give 12
        --header-bytes   | -12                  | the header of Shale does not fit, leave it out or give 12
        --fabric         | ethernet             | there is no such fabric, use shale, shoal or stardust
        --mode           | fast                 | there is no such choice, use lockstep or threads
        --cc             | tcp                  | there is no such congestion control, use none, hbh+spray,
        --cc             | priority+            | there is no such congestion control, use none, hbh+spray,
        --cc             | priority+priority    | there is no such congestion control, use none, hbh+spray,
        --priority-of    | log                  | --cc hbh+spray has no priority, leave it out or add +priority
        --priority-order | cell                 | --cc hbh+spray has no priority, leave it out or add +priority
        --workload       | mail                 | there is no such workload, use one of permutation, short, heavy,
        --flows          | no/such/file.csv     | there is no such file, give an existing one
        """)
    void shouldRefuseAValueThatMakesNoSense(final String option, final String value, final String said) {
        final String line = refusal("run", option, value);
        final String what = "--flows".equals(option) ? "trace" : option;
        assertTrue(line.startsWith(what + ": " + value + ": " + said), line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --priority-factor 1                      | --priority-factor: 1.0: --cc hbh+spray has no priority, leave it out
        --cc priority --priority-factor 0        | --priority-factor: 0.0: must be above 0 and at most 10000, use 1
        --cc priority --priority-factor NaN      | --priority-factor: NaN: must be above 0 and at most 10000, use 1
        --cc priority --priority-factor 10001    | --priority-factor: 10001.0: must be above 0 and at most 10000, use
        --spray-ties first                       | --spray-ties: first:
        --cc hbh --spray-ties lowest             | --spray-ties: lowest: --cc hbh has no spray-short, leave it out
        --isd-rate 0.3                           | --isd-rate: 0.3: --cc hbh+spray has no isd, leave it out or add
        --cc isd --isd-rate 0                    | --isd-rate: 0.0: must be above 0 and at most 4, leave it out for
        --cc isd --isd-rate NaN                  | --isd-rate: NaN: must be above 0 and at most 4, leave it out for
        --cc isd --isd-rate 5                    | --isd-rate: 5.0: must be above 0 and at most 4, leave it out for
        --cc isd --mode threads                  | --cc: isd: with isd every node knows at once which flows all
        --cc priority --priority-of bytes        | --priority-of: bytes: there is no such choice, use size, quantised
        --cc priority --priority-order node      | --priority-order: node: there is no such choice, use bucket or cell
        --idle spin                              | --idle: spin: not used in lock step, leave it out or add
        --pin 0                                  | --pin: 0: not used in lock step, leave it out or add
        --nic-threads 2                          | --nic-threads: 2: not used in lock step, leave it out or add
        --switch-threads 2                       | --switch-threads: 2: not used in lock step, leave it out
        --clos-ports 4                           | --clos-ports: 4: not used in lock step, leave it out or add
        --mode threads --threads 0               | --threads: 0: must be 1 to 1024, give a number in this range
        --mode threads --nic-threads 0           | --nic-threads: 0: must be 1 to 1024, give a number in this range
        --mode threads --switch-threads 1025     | --switch-threads: 1025: must be 1 to 1024, give a number in this
        --mode threads --threads 2 --nic-threads 1 | --threads: 2: --nic-threads or --switch-threads is given too
        --mode threads --idle sleep              | --idle: sleep: there is no such choice, use spin, yield, backoff or
        --mode threads --pin x                   | --pin: x: not a list of processors, write for example 0,1
        --mode threads --pin -1                  | --pin: -1: there is no processor -1, name some of 0 to
        --mode threads --threads 2 --pin 0       | --pin: 0: 1 processors for 2 threads, name one for each thread
        --mode threads --clos-ports 4            | --clos-ports: 4: not supported by shale, leave it out
        --mode threads --fabric shoal --clos-ports 5 | --clos-ports: 5: a Clos
        --mode threads --fabric shoal --nodes 512 --clos-ports 8 | --clos-ports: 8: a Clos of 8-port switches has 32
        --propagation-slots 3 --propagation-ns 3 | --propagation-slots: 3: --propagation-ns is given too, leave one
        --workload permutation --slots 0         | --slots: 0: the workload has endless flows and would never be done
        --workload permutation --load 0.5        | --load: 0.5: the workload 'permutation' starts all its flows at once
        --workload incast --load 0.5             | --load: 0.5: the workload 'incast' starts all its flows at once
        --workload all-to-all --load 0.5         | --load: 0.5: the workload 'all-to-all' starts all its flows at once
        --workload web --flow-bytes 9            | --flow-bytes: 9: the workload 'web' draws its sizes from a table
        --flow-bytes 9                           | --flow-bytes: 9: the workload 'short' draws its sizes from a table
        --workload permutation --flow-bytes 0    | --flow-bytes: 0: a flow has at least one byte, give 1 or more
        --workload incast --flow-bytes -1        | --flow-bytes: -1: a flow has at least one byte, give 1 or more
        --workload incast --flow-bytes 9e        | command line: --flow-bytes: '9e' is not a whole number
        --incast-senders 3                       | --incast-senders: 3: the workload is 'short', leave it out or add
        --workload incast --incast-senders 0     | --incast-senders: 0: an incast needs a sender, give 1 or more
        --workload incast --incast-senders 256   | --incast-senders: 256: there are 256 working nodes and one receives
        --nodes 16 --failed-nodes 15             | --failed-nodes: 15: must be 0 to 14
        --nodes 2 --failed-nodes 1               | --failed-nodes: 1: must be 0 to 0
        --nodes 2 --h 8                          | --nodes: 2: too few nodes for phases=8 radix=2
        --nodes 17 --h 4                         | --nodes: 17: too few nodes for phases=4 radix=3
        --nodes 40000 --h 1                      | --nodes: 40000: a node may have fewer than 16384 links
        --nodes 1048575                          | --nodes: 1048575: no radix with radix^phases
        --nodes 1000000 --h 8                    | --nodes: 1000000: no radix with radix^phases
        --nodes 32 --h 5 --header-bytes 12       | --header-bytes: 12: over 32768 nodes or over 4 phases need the wide
        --nodes 32 --h 5 --cell-bytes 16         | --cell-bytes: 16: a header of 16 bytes leaves no room for payload
        --header-bytes 300                       | --cell-bytes: 256: a header of 300 bytes leaves no room for payload
        --nodes 15 --fill --failed-nodes 1       | --fill: --failed-nodes is given too, leave one of them out
        --slot-ns 1e-9                           | --propagation-ns: 500.0: the delay must be 0 to 1048576 slots
        """)
    void shouldRefuseOptionsThatDoNotFitEachOther(final String options, final String said) {
        final String line = refusalOf("run " + options);
        assertTrue(line.startsWith(said), line);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --nodes 1                              | --nodes: 1: must be 2 to 1024, give a number in this range
        --nodes 1025                           | --nodes: 1025: must be 2 to 1024, give a number in this range
        --channels 0                           | --channels: 0: must be 1 to 255, give a number in this range
        --nodes 4 --channels 4                 | --channels: 4: must be 1 to 3, give a number in this range
        --channels many                        | command line: --channels: 'many' is not a whole number
        --shoal-rule fair                      | --shoal-rule: fair: there is no such rule, use one of exact, paper-lite
        --shoal-schedule best                  | --shoal-schedule: best: there is no such choice, use plain or delay
        --shoal-age-rule maybe                 | --shoal-age-rule: maybe: there is no such choice, use on or off
        --nodes 255 --shoal-schedule delay     | --shoal-schedule: delay: a schedule re-arranged for delay over several
        --nodes 252 --shoal-schedule delay     | --shoal-schedule: delay: a schedule re-arranged for delay over several
        --shoal-schedule delay --propagation-slots 32 | --shoal-schedule: delay: a schedule re-arranged for delay has 32
        --shoal-rule authors-simulator --channels 2 | --shoal-rule: authors-simulator: that simulator has one channel
        --shoal-rule authors-simulator --shoal-schedule delay | --shoal-rule: authors-simulator: that simulator has one
        --shoal-rule authors-simulator --propagation-ns 1 | --shoal-rule: authors-simulator: that simulator has one
        --workload permutation --slots 300000000000 | --slots: 300000000000: Shoal counts its epochs in 32 bits, give
        --slot-ns 0                            | --slot-ns: 0.0: a slot lasts more than 0 ns and less than a second
        --propagation-slots 1048577            | --propagation-slots: 1048577: must be 0 to 1048576
        --propagation-ns -1                    | --propagation-ns: -1.0: the delay must be 0 to 1048576 slots
        --cell-bytes 100                       | --cell-bytes: 100: a cell of Shoal is a multiple of 64 bytes, give 64,
        --cell-bytes 0                         | --cell-bytes: 0: a cell of Shoal is a multiple of 64 bytes, give 64,
        --header-bytes 7                       | --header-bytes: 7: the header of Shoal does not fit, leave it out or
        --header-bytes 64                      | --cell-bytes: 64: a header of 64 bytes leaves no room for payload
        --h 2                                  | --h: 2: not supported by Shoal, leave it out
        --cc hbh                               | --cc: hbh: not supported by Shoal, leave it out
        --tokens 1                             | --tokens: 1: not supported by Shoal, leave it out
        --priority-factor 2                    | --priority-factor: 2.0: not supported by Shoal, leave it out
        --spray-ties lowest                    | --spray-ties: lowest: not supported by Shoal, leave it out
        --isd-rate 1                           | --isd-rate: 1.0: not supported by Shoal, leave it out
        --priority-of log                      | --priority-of: log: not supported by Shoal, leave it out
        --priority-order cell                  | --priority-order: cell: not supported by Shoal, leave it out
        --first-hop-tokens 1                   | --first-hop-tokens: 1: not supported by Shoal, leave it out
        --fill                                 | --fill: not supported by Shoal, leave it out
        --failed-nodes 255                     | --failed-nodes: 255: must be 0 to 254, give a number in this range
        --failed-nodes 1 --class-bytes 9       | --failed-nodes: 1: nodes that fail from the start go neither with a
        --failed-nodes 1 --faults x            | --failed-nodes: 1: nodes that fail from the start go neither with a
        --flow-order longest                   | --flow-order: longest: there is no such order, use round-robin or
        --respray-last-hop                     | --respray-last-hop: not supported by Shoal, leave it out
        --miss-limit 2                         | --miss-limit: 2: nothing fails in this run, leave it out or add
        --faults none.txt --miss-limit 0       | --miss-limit: 0: must be 1 to 1048576, give a number in this range
        --class-bytes x                        | --class-bytes: x: 'x' is no size in bytes, give one to 3 ascending
        --class-bytes 10,                      | --class-bytes: 10,: '' is no size in bytes, give one to 3 ascending
        --class-bytes 0                        | --class-bytes: 0: sizes start at 1 and ascend, give one to 3
        --class-bytes 10,10                    | --class-bytes: 10,10: sizes start at 1 and ascend, give one to 3
        --class-bytes 1,2,3,4                  | --class-bytes: 1,2,3,4: 4 sizes would make 5 classes, give one to 3
        --lower-class-cells 9                  | --lower-class-cells: 9: all flows are of one traffic class, leave it
        --class-bytes 9 --lower-class-cells 0  | --lower-class-cells: 0: must be 1 to 1048576, give a number in this
        --class-bytes 9 --shoal-rule authors-simulator | --shoal-rule: authors-simulator: that simulator has no faults
        --faults x --shoal-rule basic          | --shoal-rule: basic: it goes with no faults and no traffic classes,
        --class-bytes 9 --shoal-rule paper-one-report | --shoal-rule: paper-one-report: it goes with no faults and no
        --faults x --shoal-rule authors-simulator | --shoal-rule: authors-simulator: that simulator has no faults
        --load 1.5                             | --load: 1.5: a node sends up to one cell a slot, give more than 0
        --workload permutation --slots 0       | --slots: 0: the workload has endless flows and would never be done
        """)
    void shouldRefuseWhatMakesNoShoal(final String options, final String said) {
        final String line = refusalOf("run --fabric shoal " + options);
        assertTrue(line.startsWith(said), line);
    }

    @ParameterizedTest
    @CsvSource({"--channels, 2", "--shoal-rule, exact", "--shoal-schedule, plain", "--shoal-age-rule, on",
        "--flow-order, shortest", "--class-bytes, 1000", "--lower-class-cells, 8"})
    void shouldRefuseOptionsOfShoalForShale(final String option, final String value) {
        assertEquals(option + ": " + value + ": not supported by Shale, leave it out",
            refusal("run", option, value));
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
            assertEquals("--flows: " + trace + ": a trace says all about its flows, leave out --workload, --load, "
                + "--incast-senders and --flow-bytes", refusal("run", "--flows", trace.toString(), more));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        2,0,1,100          | 5 fields are needed and 4 found, write
        2,0,1,100,0,0,0    | 5 fields are needed and 7 found, write
        2,0,1,100,0,4      | there is no traffic class '4', give 0 to 3
        2,0,1,100,0,       | there is no traffic class '', give 0 to 3
        x,0,1,100,0        | flow id 'x' is no whole number, give
        1,0,1,100,0        | flow id 1 occurs a second time, give
        2,16,1,100,0       | source '16' is no node, give 0 to 15 or a larger --nodes
        2,-1,1,100,0       | source '-1' is no node, give
        2,0,99,100,0       | destination '99' is no node, give
        2,0,1,1.5,0        | size '1.5' is no whole number of bytes, give
        2,0,1,100,-1e-9    | start '-1e-9' is no time, give
        2,0,1,100,NaN      | start 'NaN' is no time, give
        2,0,1,100,soon     | start 'soon' is no time, give
        2,0,1,100,1e30     | start '1e30' lies beyond slot 2^53, give
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
        final Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        assertEquals("--out: " + file + ": already exists and is never overwritten, choose another folder or remove it "
            + "first", refusal("run", "--out", file.toString()));
        assertTrue(refusal("run", "--out", link.toString()).startsWith("--out: " + link + ": already exists"));
        assertEquals("--out: " + file.resolve("x") + ": " + file + " is not a folder one may write to, choose another "
            + "folder", refusal("run", "--out", file.resolve("x").toString()));
        assertTrue(refusal("run", "--out", "").startsWith("--out: '': already exists"));
        refusal("run", "--nodes", "1", "--out", folder.resolve("new").toString());
        try (Stream<Path> left = Files.list(folder)) {
            assertEquals(List.of(file, link), left.sorted().toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--fabric", "--cc", "--mode", "--workload", "--flows", "--nodes", "--no\n\u001b[1msuch\r"})
    void shouldKeepToOneLineWhateverWasTyped(final String option) {
        final Invocation run = Invocation.of("run", option + "=first\r\nsecond\u001b[2J\u0007");
        assertEquals(2, run.code());
        assertEquals(1, run.errors().size(), run.err());
        assertTrue(run.err().strip().chars().noneMatch(Character::isISOControl), run.err());
        assertTrue(run.err().contains("first second"), run.err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"run --nodes 1", "run --nodes x", "run --nonsense", "nonsense", "run --flows none.csv",
        "pieo --size 0", ""})
    void shouldAddTheTraceWhenAsked(final String line) {
        final String[] plain = line.isEmpty() ? new String[0] : line.split(" ");
        final String[] verbose = Arrays.copyOf(plain, plain.length + 1);
        verbose[plain.length] = "--verbose";
        final String said = "skerry: " + refusal(plain);
        final Invocation run = Invocation.of(verbose);
        assertEquals(2, run.code());
        assertEquals(said, run.errors().getFirst());
        assertTrue(run.errors().stream().anyMatch(at -> at.startsWith("\tat dev.skerry.")
            || at.startsWith("\tat picocli.")), run.err());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        pieo --size 0          | --size: 0: a PIEO holds 1 to 65536 elements, give a number in this range
        pieo --size 65537      | --size: 65537: a PIEO holds 1 to 65536 elements, give a number in this range
        pieo --size x          | command line: --size: 'x' is not a whole number, see
        pieo --replay no/such  | pieo trace: no/such: no such file, check the name after --replay
        pieo trace.txt         | command line: trace.txt: there is no such option or command, see 'skerry pieo --help'
        """)
    void shouldRefuseWrongInputOfPieo(final String line, final String said) {
        assertTrue(refusalOf(line).startsWith(said), refusalOf(line));
    }

    @Test
    void shouldRaiseFirstHopTokensAndSaySo() {
        final Invocation run = Invocation.ofLine("run --nodes 16 --tokens 5 --first-hop-tokens 2 --slots 100");
        assertEquals(0, run.code());
        assertTrue(run.errors().contains("skerry: --first-hop-tokens raised to 5, the value of --tokens"), run.err());
    }
}
