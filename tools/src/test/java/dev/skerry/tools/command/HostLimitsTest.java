package dev.skerry.tools.command;

import static dev.skerry.tools.command.Invocation.summary;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** Limits of nodes as they are typed: at the maxima that a run shows nothing changes, below them nothing is lost. */
final class HostLimitsTest {
    private static final String OFF = "--pieo-entries 100000 --token-fifo 100000 --active-buckets 100000 "
        + "--slot-clocks 100000 ";
    private static final String ALSO_WITH_THREADS = "64 --h 2";
    private static final int FLOWS = 600;
    private static final int RX_AND_TX = 2 + 7;
    private static final int FAILED = 3;

    @TempDir
    private Path folder;

    /** Bursts of flows: {@code --slots 0} runs until all are done. */
    private String run(final int nodes, final String options) throws IOException {
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
        final String base = run(Integer.parseInt(words[0]), words[1] + " ");
        final JsonNode free = summary(base);
        final JsonNode most = summary(base + OFF);
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
        final JsonNode half = summary(base + limits(most, 2, " --bucket-reserve 1") + " --check");
        assertTrue(event(half, "pieoOverflows") > 0 && event(half, "tokenOverflows") > 0
            && event(half, "bucketOverflows") > 0 && event(half, "flowsHeldBack") > 0, half.toString());
        assertTrue(event(half, "slotOverrun") > 0, half.toString());
        assertEquals(free.get("cellsInjected"), half.get("cellsDelivered"), what);
        assertEquals(FLOWS, half.get("flowsCompleted").asInt(), what);
        assertEquals(0, half.get("cellsDropped").asInt() + half.get("cellsHeld").asInt(), what);
        for (final String threads : new String[] {"--threads 2", "--threads 3", "--mode threads --threads 2"}) {
            if (!threads.contains("mode") || what.equals(ALSO_WITH_THREADS)) {
                final JsonNode other = summary(base + limits(most, 2, " --bucket-reserve 1 ") + threads);
                assertEquals(half.get("digest"), other.get("digest"), what + threads);
                assertEquals(Invocation.counts(half), Invocation.counts(other), what + threads);
            }
        }
    }

    private static String limits(final JsonNode most, final int part, final String more) {
        return "--pieo-entries " + Math.max(2, event(most, "mostPieoEntries") / part)
            + " --token-fifo " + Math.max(1, event(most, "mostTokensOwed") / part)
            + " --active-buckets " + event(most, "mostActiveBuckets") / part
            + " --slot-clocks " + event(most, "mostSlotClocks") + more;
    }

    /** The smallest hardware there is still gets everything through. */
    @Test
    void shouldDrainWithNextToNothing() throws IOException {
        final JsonNode least = summary(run(64, "--h 2 --pieo-entries 2 --token-fifo 1 --active-buckets 1 "
            + "--bucket-reserve 0 --slot-clocks 7 --check"));
        assertEquals(FLOWS, least.get("flowsCompleted").asInt(), least.toString());
        assertEquals(least.get("cellsInjected"), least.get("cellsDelivered"));
    }

    @Test
    void shouldTellInTheReport() {
        final Invocation run = Invocation.ofLine("run --nodes 64 --slots 2000 --load 0.5 --pieo-entries 2 "
            + "--token-fifo 1 --active-buckets 4 --slot-clocks 9");
        assertEquals(0, run.code(), run.err());
        for (final String line : new String[] {"cells that found the PIEO of their link full and waited outside",
            "slots of a node that took more clocks than a slot has", "tokens of one return FIFO at most",
            "--pieo-entries 2 --token-fifo 1 --active-buckets 4 --slot-clocks 9"}) {
            assertTrue(run.out().replaceAll("\\s*\\\\?\\n\\s*", " ").contains(line), line + "\n" + run.out());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        run --pieo-entries 1             | --pieo-entries: 1: must be 2 to
        run --token-fifo 0               | --token-fifo: 0: must be 1 to
        run --active-buckets -1          | --active-buckets: -1: must be 1 to
        run --slot-clocks 6              | --slot-clocks: 6: must be 7 to
        run --bucket-reserve 3           | --bucket-reserve: 3: it is kept beside a number of buckets, leave it out or
        run --cc spray-short --token-fifo 3 | --token-fifo: 3: --cc spray-short has no tokens and no buckets, leave it
        run --cc rd --active-buckets 3   | --active-buckets: 3: --cc rd has no tokens and no buckets, leave it out or
        run --cc priority --pieo-entries 3 | --pieo-entries: 3: a PIEO of few entries keeps the order of arrival, leave
        run --faults none.csv --token-fifo 3 | --token-fifo: 3: limits and faults during a run are not combined, leave
        run --interleave 4:1/2,2:1/2 --cutoff-bytes 9 --pieo-entries 3 | --pieo-entries: 3: schedules that share the
        run --fabric shoal --slot-clocks 9 | --slot-clocks: 9: an option of shale
        """)
    void shouldRefuse(final String line, final String said) {
        Invocation.refuses(line, "skerry: " + said);
    }

    private static long event(final JsonNode summary, final String name) {
        return summary.get("events").path(name).asLong();
    }
}
