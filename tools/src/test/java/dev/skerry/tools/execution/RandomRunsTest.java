package dev.skerry.tools.execution;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.skerry.dataplane.memory.Checkpoint;
import dev.skerry.nic.engine.Resumable;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.together.MemberRuns;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.Summary;
import dev.skerry.tools.run.Scenario;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Random runs have one result. The whole summary, but for what is measured in seconds, is the same in lock step, with
 * {@code --check}, with workers, with threads, in several processes, and over checkpoints.
 *
 * <p>System properties {@code skerry.test.*} choose the number of runs, the first seed, and the longest gap between
 * flows; {@code .ci/long random} plays 30,000.
 */
final class RandomRunsTest {
    private static final int RUNS = Integer.getInteger("skerry.test.randomRuns", 1000);
    private static final int RESUMED = Integer.getInteger("skerry.test.resumedRuns", 25);
    private static final int LEGS = Integer.getInteger("skerry.test.legs", 4);
    private static final long FIRST_SEED = Long.getLong("skerry.test.firstSeed", 1);
    private static final long GAP = Long.getLong("skerry.test.gap", 1000);
    /** Nodes times slots of the longest run with --check, which looks at every node in every slot. */
    private static final long CHECKED = Long.getLong("skerry.test.checked", 2000);
    /** Slots of the longest run that is repeated in another way, in gaps: members exchange a row in every slot. */
    private static final long MOST_GAPS = 10;
    /**
     * One run in so many is repeated on threads, one by members and one with more workers. Of each at least a quarter
     * has to be possible, or the test compares nothing.
     */
    private static final int WAYS = Integer.getInteger("skerry.test.ways", 8);
    private static final int PROGRESS = Integer.getInteger("skerry.test.progress", 1000);
    /** Of time, or of how a run was carried out. */
    private static final List<String> OF_THE_RUN = List.of("wallSeconds", "nodeSlotsPerSecond", "linkSlotsPerSecond",
        "options");

    private static final ObjectMapper JSON = new ObjectMapper();
    /** Some of each fabric's own options: all are drawn where there are many runs. */
    private static final Set<String> DRAWN = Set.of("--fill", "--interleave", "--lanes", "--pieo-entries",
        "--spray-ties", "--shoal-rule",
        "--shoal-schedule", "--shoal-age-rule", "--topology", "--packing", "--credit-bytes",
        "--reachability", "--faults", "--failed-nodes", "--class-bytes", "--leaves", "--reroute-us");
    private static final String[] HOW = {"", "", "--threads 2", "--mode threads --threads 2"};

    @TempDir
    private Path folder;

    @Test
    void shouldHaveOneResult() throws IOException {
        final int[] compared = new int[4];
        final Set<String> options = new HashSet<>();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + RUNS; seed++) {
            progress(seed, "runs");
            final RandomRun.Drawn drawn = RandomRun.of(seed, GAP, folder);
            options.addAll(List.of(drawn.line().split(" ")));
            final JsonNode expected = run(drawn.scenario());
            final String where = "seed=" + seed + ": run " + drawn.line() + ": ";
            if (expected.get("slots").asLong() > MOST_GAPS * GAP) {
                continue;
            }
            switch (drawn.random().nextInt(WAYS)) {
                case 0 -> compared[0] += same(expected, drawn, "--mode threads --threads 2", where);
                case 1 -> compared[1] += together(expected, drawn, where);
                case 2 -> compared[2] += same(expected, drawn, "--threads 3", where);
                default -> { }
            }
            if (expected.get("slots").asLong() * expected.get("nodes").asLong() <= CHECKED) {
                compared[3] += same(expected, drawn, "--check", where);
            }
        }
        assertTrue(RUNS < 500 || options.containsAll(DRAWN), "options=" + options);
        for (final int count : compared) {
            assertTrue(RUNS < 100 || count * 4 * WAYS >= RUNS, "compared=" + Arrays.toString(compared));
        }
    }

    /** Each leg begins with a new engine, restored from the file that the last one wrote. */
    @Test
    void shouldEndOverCheckpointsAsInOneGo() throws IOException {
        int legs = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + RESUMED; seed++) {
            progress(seed, "resumed runs");
            final RandomRun.Drawn drawn = RandomRun.of(seed, GAP, folder);
            String threads = HOW[drawn.random().nextInt(HOW.length)];
            Scenario scenario;
            try {
                scenario = drawn.with(threads);
            } catch (final InputException refused) {
                threads = "";
                scenario = drawn.scenario();
            }
            final String where = "seed=" + seed + ": run " + drawn.line() + ' ' + threads;
            final JsonNode expected = run(scenario);
            final long slots = Math.max(2, expected.get("slots").asLong());
            Path file = null;
            boolean over = false;
            for (int leg = 0; !over; leg++) {
                final Path next = folder.resolve("leg" + leg % 2);
                try (Resumable engine = (Resumable) engine(scenario)) {
                    if (file != null) {
                        engine.state().restore(Checkpoint.open(file));
                    }
                    final long before = engine.state().slots();
                    final long until = leg < LEGS ? before + 1 + drawn.random().nextLong(slots) / LEGS : Long.MAX_VALUE;
                    engine.run(scenario.slotLimit(), (slot, _, _) -> slot < until);
                    over = engine.state().isOver();
                    if (over) {
                        assertEquals(expected, summary(scenario, engine), where + " legs=" + leg);
                        legs += leg;
                    } else {
                        engine.state().save(next, "");
                        file = next;
                    }
                } catch (final IllegalArgumentException refused) {
                    throw new AssertionError(where + ": " + refused.getMessage(), refused);
                }
            }
        }
        assertTrue(legs > RESUMED, "legs=" + legs);
    }

    /** A run of hours says how far it is. */
    private static void progress(final long seed, final String of) {
        final long done = seed - FIRST_SEED;
        if (done > 0 && done % PROGRESS == 0) {
            System.out.println(done + " " + of);
        }
    }

    /** 1 if the run is possible so, else 0. */
    private static int same(final JsonNode expected, final RandomRun.Drawn drawn, final String how,
        final String where) {
        final Scenario scenario;
        try {
            scenario = drawn.with(how);
        } catch (final InputException refused) {
            return 0;
        }
        assertEquals(expected, run(scenario), where + how);
        return 1;
    }

    private static int together(final JsonNode expected, final RandomRun.Drawn drawn, final String where) {
        final Scenario scenario = drawn.scenario();
        final int members = Math.min(scenario.fabric().nodes(), 2 + drawn.random().nextInt(2));
        try {
            RunDone.checkTogether(scenario, false, false);
        } catch (final InputException refused) {
            return 0;
        }
        try {
            MemberRuns.of(members, exchange -> {
                try (MemberEngine engine = scenario.choice().member(scenario.flows(), scenario.faults(), null,
                    exchange)) {
                    engine.run(scenario.slotLimit());
                    return summary(scenario, engine);
                }
            }).forEach(member -> assertEquals(expected, member, where + "members=" + members));
        } catch (final IllegalStateException e) {
            throw new AssertionError(where + "members=" + members + ": " + e.getCause(), e);
        }
        return 1;
    }

    private static JsonNode run(final Scenario scenario) {
        try (Engine engine = engine(scenario)) {
            engine.run(scenario.slotLimit());
            return summary(scenario, engine);
        }
    }

    private static Engine engine(final Scenario scenario) {
        return scenario.choice().engine(scenario.engine(), scenario.flows(), scenario.faults(), scenario.check(), null);
    }

    private static JsonNode summary(final Scenario scenario, final Engine engine) {
        final RunResult result = RunResult.of(scenario.settings(), scenario.choice().terms(), false,
            scenario.fabric(), scenario.flows(), engine.outcome(), 1, RunResult.Measured.of(
            scenario.fabric(), scenario.flows(), engine.outcome(), scenario.arrivals().slots(),
            scenario.arrivals().isRandom(), scenario.arrivals().warmUpSlots()));
        try {
            final ObjectNode json = (ObjectNode) JSON.readTree(Summary.of(result).json());
            json.remove(OF_THE_RUN);
            return json;
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
