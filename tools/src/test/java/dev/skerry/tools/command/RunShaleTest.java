package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.digest;
import static dev.skerry.tools.command.Invocation.refuses;
import static dev.skerry.tools.command.Invocation.same;
import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/** Options of Shale: schedules that share the slots, lanes, failed nodes, limits of nodes, RD and NDP, orders. */
final class RunShaleTest {
    private static final String SHARED = "run --nodes 64 --interleave 3:1/3,2:2/3 --cutoff-bytes 2000 --workload short "
        + "--load 0.2 --slots 6000 --propagation-slots 9";
    private static final String LANES = "run --nodes 16 --workload permutation --slots 2500 ";
    private static final String CLUSTER = "run --nodes 64 --workload permutation --flow-bytes 122000 --slots 0 "
        + "--propagation-slots 9 --failed-ids 0-5";
    private static final String NDP = "run --nodes 64 --h 3 --load 0.9 --slots 3000 --propagation-slots 7 "
        + "--cc ndp --rd-max-queue 3 --rd-cells-per-pull 4 --rd-rate 0.5 --rd-budget 60";
    private static final String NO_LIMITS = "--pieo-entries 100000 --token-fifo 100000 --active-buckets 100000 "
        + "--slot-clocks 100000 ";
    private static final String ALSO_WITH_THREADS = "64 --h 2";
    private static final int FLOWS = 600;
    private static final int RX_AND_TX = 2 + 7;
    private static final int FAILED = 3;

    @TempDir
    private Path folder;

    @Test
    void shouldShareTheSlotsAmongSchedules() throws IOException {
        final JsonNode shared = same(SHARED, "--threads 3", "--check", "--mode threads",
            "--mode threads --nic-threads 2 --switch-threads 1 --check");
        assertEquals(shared.get("digest"), digest(SHARED.replace("3:1/3,2:2/3", "2:4/6,3:2/6")), "in any order");
        assertNotEquals(shared.get("digest"), digest(SHARED.replace("1/3,2:2/3", "2/3,2:1/3")));
        final long first = event(shared, "class0FlowsCompleted");
        final long second = event(shared, "class1FlowsCompleted");
        assertTrue(first > 0 && second > 0, shared::toString);
        assertEquals(shared.get("flowsCompleted").asInt(), first + second);
        assertTrue(shared.get("events").get("class0MeanCompletion").asDouble() >= 1, shared::toString);
        // The sixth field of a trace is the number of the schedule, the most phases first.
        final String line = "run --nodes 16 --interleave 4:0.5,2:0.5 --propagation-slots 4 --flows ";
        final Path plain = Files.writeString(folder.resolve("plain.csv"), "0,1,2,500,0\n1,3,4,5000,0\n");
        final Path hinted = Files.writeString(folder.resolve("hinted.csv"), "0,1,2,500,0,0\n1,3,4,5000,0,1\n");
        assertEquals(digest(line + plain + " --cutoff-bytes 1000"), digest(line + hinted));
        refuses(line + hinted + " --cutoff-bytes 1000", "skerry: --cutoff-bytes: ", "the trace gives the class");
    }

    /** {@code InterleaveFuzzTest} searches for more texts. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldTakeOrRefuseAnyTextAsSchedules(final long seed) {
        final Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            final StringBuilder text = new StringBuilder(random.nextBoolean() ? "3:1/2,2:1/2" : "");
            for (int edits = random.nextInt(6); edits >= 0; edits--) {
                text.insert(random.nextInt(text.length() + 1), "0123456789:/,.-e".charAt(random.nextInt(16)));
            }
            final int code = Invocation.of("run", "--nodes", "64", "--interleave", text.toString(), "--cutoff-bytes",
                "900", "--slots", "1").code();
            assertTrue(code == 0 || code == 2, "seed=" + seed + " text=" + text + " code=" + code);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6, 7, 8, 9, 10, 11, 12})
    void shouldTakeOrRefuseMoreTextsAsSchedules(final long seed) {
        shouldTakeOrRefuseAnyTextAsSchedules(seed);
    }

    /** Serialisation is as much more delay (docs/spec/shale.md §2.6). */
    @ParameterizedTest
    @ValueSource(strings = {LANES, "run --nodes 27 --h 3 --cc ndp --load 0.1 --slots 1000 ",
        "run --nodes 64 --interleave 3:1/2,2:1/2 --cutoff-bytes 100000 --slots 1000 "})
    void shouldBeOneResultWithAnyLanesInEveryEngine(final String run) {
        final JsonNode expected = same(run + "--propagation-slots 15", "--lanes 8",
            "--lanes 3 --mode threads --nic-threads 2 --switch-threads 3").get("digest");
        for (final String how : List.of("--threads 2", "--mode threads --threads 3")) {
            final String line = run + "--propagation-slots 7 --lanes 8 --serialisation-slots 8 " + how;
            assertEquals(expected, digest(line), line);
        }
    }

    @Test
    void shouldNameWhatTheGuardBandCannotHold() throws IOException {
        final Path script = Files.writeString(folder.resolve("faults.txt"),
            "900 clock 5 2.0\n1000 clock 5 2.1\n2000 clock 5 -2.04\n");
        final String line = LANES + "--lanes 8 --guard-ns 4.096 --serialisation-slots 8 --faults " + script;
        final JsonNode plain = same(line, "--threads 1 --check", "--mode threads --threads 2");
        assertTrue(event(plain, "guardViolation") > 0 && event(plain, "neighboursUp") > 0, plain::toString);
        assertTrue(plain.get("cellsDropped").asLong() >= event(plain, "guardViolation"), plain::toString);
        assertEquals(plain.get("cellsInjected").asLong(), plain.get("cellsDelivered").asLong()
            + plain.get("cellsDropped").asLong() + plain.get("cellsHeld").asLong(), plain::toString);
        final JsonNode wide = summary(line.replace("4.096 --serialisation-slots 8", "4.3"));
        assertEquals(0, wide.get("cellsDropped").asLong(), wide::toString);
        final Invocation told = Invocation.ofLine(line);
        told.says("256 bytes in 40.96 ns, 50 Gb/s");
        told.prints("8 of them on the lane");
    }

    /** Two nodes are left of a group of eight: what goes to and from them takes longest (docs/spec/shale.md §8.7). */
    @Test
    void shouldGiveBackThroughputByExchangedCoordinates() {
        final JsonNode apart = summary(CLUSTER);
        final JsonNode even = same(CLUSTER + " --exchange-coordinates --check", "--threads 2",
            "--mode threads --threads 3");
        assertEquals(58, even.get("flowsCompleted").asInt());
        assertTrue(even.get("slots").asLong() < apart.get("slots").asLong() * 95 / 100,
            apart.get("slots") + " then " + even.get("slots"));
        assertEquals(0, even.get("cellsDropped").asInt());
        assertEquals(even.get("cellsInjected"), even.get("cellsDelivered"));
    }

    /** With three phases of five nodes to a group, failures around one node leave it almost without last hops. */
    @Test
    void shouldReachWhatWasCutOff() {
        final String line = "run --nodes 125 --h 3 --workload permutation --slots 2000 "
            + "--failed-ids 1-3,5,10,15,25,50,75";
        final Invocation apart = Invocation.ofLine(line + " --json").exits(1).says("--exchange-coordinates");
        assertTrue(apart.json().get("cellsDropped").asInt() > 0, apart.out());
        assertEquals(0, summary(line + " --exchange-coordinates").get("cellsDropped").asInt());
    }

    @Test
    void shouldServeLocalFlowsByTheOrder() {
        final String line = "run --nodes 16 --slots 3000 --workload all-to-all --check --local-order ";
        final Set<JsonNode> digests = new HashSet<>();
        for (final String order : List.of("link", "node", "destination")) {
            assertTrue(digests.add(same(line + order, "--threads 2").get("digest")), order);
        }
        assertTrue(digests.contains(digest(line.replace(" --local-order ", ""))));
    }

    @Test
    void shouldNameWhatNdpCuts() {
        final JsonNode alone = same(NDP, "--check", "--threads 2", "--threads 3", "--mode threads --threads 3");
        assertTrue(alone.findValue("cellsTrimmed").asLong() > 1000, alone::toString);
        assertTrue(alone.findValue("cellsRetransmitted").asLong() > 1000, alone::toString);
        assertEquals(0, alone.get("cellsDropped").asLong());
        assertEquals(3, alone.get("maxQueueLength").asInt());
    }

    /** Bursts of flows: {@code --slots 0} runs until all are done. */
    private String limited(final int nodes, final String options) throws IOException {
        final int endpoints = nodes - (options.contains("--failed-nodes") ? FAILED : 0);
        final SplittableRandom random = new SplittableRandom(7);
        final StringBuilder text = new StringBuilder();
        for (int flow = 0; flow < FLOWS; flow++) {
            final int from = random.nextInt(endpoints);
            final int to = (from + 1 + random.nextInt(endpoints - 1)) % endpoints;
            text.append(flow).append(',').append(from).append(',').append(to).append(',')
                .append(244 * (1 + random.nextInt(40))).append(',')
                .append(random.nextInt(1_000) * 5.632e-9).append('\n');
        }
        final Path trace = Files.writeString(folder.resolve("trace.csv"), text);
        return "run --nodes " + nodes + " --flows " + trace + " --slots 0 --propagation-slots 9 " + options;
    }

    @ParameterizedTest
    @ValueSource(strings = {ALSO_WITH_THREADS, "64 --h 3 --tokens 2 --first-hop-tokens 3", "49 --h 2 --failed-nodes 3",
        "64 --h 2 --cc hbh+isd"})
    void shouldChangeNothingAtTheMaximaAndLoseNothingBelow(final String what) throws IOException {
        final String[] words = what.split(" ", 2);
        final String base = limited(Integer.parseInt(words[0]), words[1] + " ");
        final JsonNode free = summary(base);
        final JsonNode most = summary(base + NO_LIMITS);
        assertEquals(free.get("digest"), most.get("digest"), what);
        assertEquals(free.get("maxQueueLength").asInt(), event(most, "mostPieoEntries"), what);
        assertEquals(free.get("maxActiveBuckets").asInt(), event(most, "mostActiveBuckets"), what);
        assertEquals(0, event(most, "pieoOverflows") + event(most, "tokenOverflows") + event(most, "bucketOverflows")
            + event(most, "slotOverrun") + event(most, "flowsHeldBack"), what);
        assertEquals(RX_AND_TX, event(most, "mostSlotClocks"), what);
        final JsonNode same = summary(base + limits(most, 1, "") + " --check");
        assertEquals(free.get("digest"), same.get("digest"), what);
        assertEquals(0, event(same, "pieoOverflows") + event(same, "tokenOverflows") + event(same, "flowsHeldBack")
            + event(same, "slotOverrun"), what);
        final List<String> engines = List.of("--threads 2", "--threads 3", "--mode threads --threads 2");
        final JsonNode half = same(base + limits(most, 2, " --bucket-reserve 1"),
            engines.subList(0, what.equals(ALSO_WITH_THREADS) ? 3 : 2).toArray(String[]::new));
        for (final String event : List.of("pieoOverflows", "tokenOverflows", "bucketOverflows", "flowsHeldBack",
            "slotOverrun")) {
            assertTrue(event(half, event) > 0, event + " of " + half);
        }
        assertEquals(free.get("cellsInjected"), half.get("cellsDelivered"), what);
        assertEquals(FLOWS, half.get("flowsCompleted").asInt(), what);
        assertEquals(0, half.get("cellsDropped").asInt() + half.get("cellsHeld").asInt(), what);
    }

    private static String limits(final JsonNode most, final int part, final String more) {
        return "--pieo-entries " + Math.max(2, event(most, "mostPieoEntries") / part)
            + " --token-fifo " + Math.max(1, event(most, "mostTokensOwed") / part)
            + " --active-buckets " + event(most, "mostActiveBuckets") / part
            + " --slot-clocks " + event(most, "mostSlotClocks") + more;
    }

    @Test
    void shouldDrainWithNextToNothing() throws IOException {
        final JsonNode least = summary(limited(64, "--h 2 --pieo-entries 2 --token-fifo 1 --active-buckets 1 "
            + "--bucket-reserve 0 --slot-clocks 7 --check"));
        assertEquals(FLOWS, least.get("flowsCompleted").asInt(), least.toString());
        assertEquals(least.get("cellsInjected"), least.get("cellsDelivered"));
    }

    @Test
    void shouldReportLimits() {
        final Invocation run = Invocation.ofLine("run --nodes 64 --slots 2000 --load 0.5 --pieo-entries 2 "
            + "--token-fifo 1 --active-buckets 4 --slot-clocks 9").ok();
        for (final String line : List.of("cells that found the PIEO of their link full and waited outside",
            "slots of a node that took more clock cycles than a slot has", "tokens in the fullest return FIFO",
            "--pieo-entries 2 --token-fifo 1 --active-buckets 4 --slot-clocks 9")) {
            assertTrue(run.out().replaceAll("\\s*\\\\?\\n\\s*", " ").contains(line), line + "\n" + run.out());
        }
    }

    private static long event(final JsonNode summary, final String name) {
        return summary.get("events").path(name).asLong();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --interleave 3:1/2,2:1/3 --cutoff-bytes 9    | --interleave:  | the parts make 5/6 of the slots
        --interleave 3:1/2,3:1/2 --cutoff-bytes 9    | --interleave:  | phases 3 are listed twice
        --interleave 9:1/2,3:1/2 --cutoff-bytes 9    | --interleave:  | is not a number of phases, 1 to 8, with
        --interleave 3:1 --cutoff-bytes 9            | --interleave:  | 2 to 8 shares
        --interleave 3,2 --cutoff-bytes 9            | --interleave:  | is not a number of phases
        --interleave 3:1/2,4:1/2 --cutoff-bytes 9    | --interleave:  | are not r^3
        --interleave 3:1/10007,2:10006/10007         | --interleave:  | a period of at most 10000
        --interleave 3:1/2,2:1/2                     | --interleave:  | the schedule of each flow
        --interleave 3:1/2,2:1/2 --cutoff-bytes 9,10 | --cutoff-bytes:  | 2 schedules take 1 cut-offs
        --interleave 3:1/2,2:1/2 --cutoff-bytes x    | --cutoff-bytes:  | is not a size in bytes
        --interleave 3:1/2,2:1/2 --h 2               | --h:  | --interleave is given too
        --interleave 3:1/2,2:1/2 --cc rd             | --cc:  | support only hop-by-hop
        --interleave 3:1/2,2:1/2 --cc priority       | --cc:  | support only hop-by-hop
        --cutoff-bytes 9                             | --cutoff-bytes:  | one schedule has all flows
        --fabric shoal --interleave 3:1/2,2:1/2      | --interleave:  | the fabric is shoal
        """)
    void shouldRefuseSchedules(final String options, final String option, final String said) {
        refuses("run --nodes 64 " + options, "skerry: " + option, said);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        --lanes 0                                                      | --lanes: 0: must be 1 to 64
        --lanes 65                                                     | --lanes: 65: must be 1 to 64
        --serialisation-slots 8                                        | a lane would carry two cells at once
        --serialisation-slots -1                                       | must be 0 to 64
        --lanes 8 --serialisation-slots 7 --guard-ns 4.096             | give 8 or leave it out
        --lanes 8 --guard-ns 45.1                                      | which lasts 45.056 ns
        --guard-ns -1                                                  | a guard band is part of the slot
        --fabric shoal --lanes 8                                       | the fabric is shoal
        --fabric stardust --guard-ns 1                                 | not supported by Stardust
        --fabric shoal --serialisation-slots 1                         | the fabric is shoal
        --failed-ids 3,x                                               | 'x' is neither a node nor a range
        --failed-ids 3,,4                                              | '' is neither a node nor a range
        --failed-ids 3-                                                | '3-' is neither a node nor a range
        --failed-ids 16                                                | '16' is not a range of existing nodes, give
        --failed-ids 5-3                                               | '5-3' is not a range of existing nodes
        --failed-ids 0-14                                              | fewer than two nodes are left
        --failed-ids 0-2 | some have no neighbour in a phase: nodes=13, let fewer nodes fail or add --exchange
        --failed-ids 1 --failed-nodes 2                                | --failed-ids is given too
        --failed-ids 1 --fill                                          | --failed-ids is given too
        --exchange-coordinates                                         | are already spread evenly
        --exchange-coordinates --fill                                  | are already spread evenly
        --failed-ids 1 --exchange-coordinates --interleave 4:1/2,2:1/2 | coordinates of its own
        --fabric shoal --failed-ids 1                                  | the fabric is shoal
        --fabric stardust --exchange-coordinates                       | the fabric is stardust
        --local-order first                                            | --local-order: first:
        --fabric shoal --local-order node                              | the fabric is shoal
        """)
    void shouldRefuseLanesAndFailedNodes(final String options, final String why) {
        refuses("run --nodes 16 --slots 10 " + options, why);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run --rd-budget 40 | --rd-budget: 40: it requires rd or ndp in --cc, leave it out
        run --cc hbh --rd-rate 0.5 | --rd-rate: 0.5: it requires rd or ndp in --cc, leave it out
        run --cc rd --rd-max-queue 10 | --rd-max-queue: 10: rd does not trim cells, leave it out or use ndp
        run --cc ndp --rd-max-queue 0                                         | --rd-max-queue: 0: must be 1 to
        run --cc rd --rd-rate 0 | --rd-rate: 0.0: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-rate 1.5 | --rd-rate: 1.5: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-rate NaN | --rd-rate: NaN: a receiver takes up to one cell a slot, give more than 0
        run --cc rd --rd-cells-per-pull 0                                     | --rd-cells-per-pull: 0: must be 1 to
        run --cc ndp --rd-budget 19 | --rd-budget: 19: a flow would wait forever, because its
        run --cc rd --rd-cells-per-pull 833 --rd-budget 832 | --rd-budget: 832: a flow would wait forever, because its
        run --cc rd+ndp | --cc: rd+ndp: there is no such congestion control, use none
        run --cc rd+rd | --cc: rd+rd: there is no such congestion control, use none
        run --cc rd --faults none.csv | --faults: none.csv: rd and ndp do not repeat messages that are lost, leave
        run --nodes 16 --h 4 --failed-nodes 1 --cc hbh+rd | --cc: hbh+rd: rd and ndp do not repeat lost cells
        run --fabric shoal --rd-rate 0.5                                      | --rd-rate: 0.5: an option of shale
        trace --node 5 --nodes 16 --rd-budget 40 --cc rd --out o | --node: 5: a single node has only cells
        live --fabric shale --cc ndp --rd-budget 20 --port 0=gen:64B,max,to=1 | --cc: ndp: ports do not keep packets
        run --pieo-entries 1                                                  | --pieo-entries: 1: must be 2 to
        run --token-fifo 0                                                    | --token-fifo: 0: must be 1 to
        run --active-buckets -1                                               | --active-buckets: -1: must be 1 to
        run --slot-clocks 6                                                   | --slot-clocks: 6: must be 7 to
        run --bucket-reserve 3 | --bucket-reserve: 3: it adds to --active-buckets, leave it out or
        run --cc spray-short --token-fifo 3 | --token-fifo: 3: --cc spray-short has no tokens and no buckets, leave it
        run --cc rd --active-buckets 3 | --active-buckets: 3: --cc rd has no tokens and no buckets, leave it out or
        run --cc priority --pieo-entries 3 | --pieo-entries: 3: a PIEO with a limited size
        run --faults none.csv --token-fifo 3 | --token-fifo: 3: limits cannot be combined with faults during a run
        run --interleave 4:1/2,2:1/2 --cutoff-bytes 9 --pieo-entries 3 | --pieo-entries: 3: limits of hardware
        run --fabric shoal --slot-clocks 9                                    | --slot-clocks: 9: an option of shale
        """)
    void shouldRefuseLimitsAndReceivers(final String line, final String said) {
        refuses(line, "skerry: " + said);
    }
}
