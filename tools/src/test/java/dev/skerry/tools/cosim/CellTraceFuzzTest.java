package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.NodeFollower;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.Arrays;

/** Reads arbitrary text as cells, and follows them; see {@code CaptureReaderFuzzTest} for how it is run. */
final class CellTraceFuzzTest {
    private static final int MOST_SLOTS = 500;
    private static final HeaderDescription HEADER = HeaderDescription.builtIn("shale-prototype");

    /** The first byte says whether cells stand in columns or as bits of a header; the rest is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyText(final byte[] input) {
        if (input.length == 0) {
            return;
        }
        final Phased schedule = new Phased(2, 2);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 0, 1);
        final FindingLog log = new FindingLog(5);
        final FabricFollower fabric = new FabricFollower(shale, CellNames.pairs(4, 14), FollowRules.STRICT, log);
        final int[] joined = new int[4];
        Arrays.fill(joined, NodeFollower.UNTOLD);
        try (TraceLines lines = new TraceLines("trace", Path.of("t.csv"),
            new ByteArrayInputStream(input, 1, input.length - 1));
            CellTrace trace = new CellTrace(lines, 4, of -> input[0] % 2 == 0 ? new CellColumns(of, true)
                : new HeaderColumn(of, HEADER, "header"))) {
            TraceSlot slot = trace.next();
            for (int i = 0; i < MOST_SLOTS && slot != null; i++) {
                assertEquals(i, slot.slot);
                fabric.step(slot.sent, slot.received, joined);
                slot = trace.next();
            }
        } catch (final InputException e) {
            assertTrue(e.getMessage().matches("skerry: trace: t.csv[ -~]*: [ -~]*, [ -~]*"), e.getMessage());
        }
        assertEquals(log.none(), log.text().isEmpty());
    }
}
