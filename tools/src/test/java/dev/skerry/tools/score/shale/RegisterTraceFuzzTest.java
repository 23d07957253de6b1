package dev.skerry.tools.score.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.score.TraceLines;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads arbitrary text as registers, and compares them; see {@code CaptureReaderFuzzTest} for how it is run. */
final class RegisterTraceFuzzTest {
    private static final int MOST_SLOTS = 200;

    /** The input is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyText(final byte[] input) {
        final Phased schedule = new Phased(2, 2);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 0, 1);
        final FindingLog log = new FindingLog(5);
        final CellNames names = CellNames.pairs(4, 14);
        final ShaleFabricFollower fabric = new ShaleFabricFollower(shale, names, FollowRules.STRICT, log);
        final int[] joined = new int[4];
        final NodeCells[] sent = new NodeCells[4];
        Arrays.setAll(sent, node -> new NodeCells(1));
        try (TraceLines lines = new TraceLines("state", Path.of("s.csv"), new ByteArrayInputStream(input));
            RegisterTrace trace = new RegisterTrace(lines, schedule, names)) {
            for (int slot = 0; slot < MOST_SLOTS && trace.turnTo(slot); slot++) {
                trace.joined(slot, sent, joined);
                for (final int link : joined) {
                    assertTrue(link >= Follower.UNTOLD && link < schedule.epochSlots(), "link=" + link);
                }
                trace.compare(fabric);
            }
        } catch (final InputException e) {
            assertTrue(e.getMessage().matches("skerry: state: s.csv[ -~]*: [ -~]*, [ -~]*"), e.getMessage());
        }
        assertEquals(log.none(), log.text().isEmpty());
    }
}
