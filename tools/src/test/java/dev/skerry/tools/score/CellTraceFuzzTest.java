package dev.skerry.tools.score;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.ShaleFabricFollower;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalFabricFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.LinkWords;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.score.CellTrace.TraceSlot;
import dev.skerry.tools.score.shale.FollowedShale;
import dev.skerry.tools.score.shoal.FollowedShoal;

import java.io.ByteArrayInputStream;
import java.nio.file.Path;

/** Reads arbitrary text as cells, and follows them; see {@code CaptureReaderFuzzTest} for how it is run. */
final class CellTraceFuzzTest {
    private static final int MOST_SLOTS = 500;
    private static final HeaderDescription HEADER = HeaderDescription.builtIn("shale-prototype");
    private static final HeaderDescription OF_SHOAL = HeaderDescription.builtIn("shoal");

    /** The first byte says of which fabric, and whether in columns or as bits of a header; the rest is the file. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyText(final byte[] input) {
        if (input.length == 0) {
            return;
        }
        final FindingLog log = new FindingLog(5);
        final CellNames names = CellNames.pairs(4, 14);
        final boolean isShoal = input[0] % 4 > 1;
        final FabricFollower fabric = isShoal
            ? new ShoalFabricFollower(Shoal.of(RoundRobin.plain(4, 2), ReleaseRule.EXACT, false, 0), names,
                FollowRules.STRICT, log)
            : new ShaleFabricFollower(shale(), names, FollowRules.STRICT, log);
        final FollowedKind kind = isShoal ? new FollowedShoal() : new FollowedShale();
        try (TraceLines lines = new TraceLines("trace", Path.of("t.csv"),
            new ByteArrayInputStream(input, 1, input.length - 1));
            CellTrace trace = new CellTrace(lines, kind.words(), 4, fabric.fabric().channels(),
                input[0] % 2 == 0 ? null : isShoal ? OF_SHOAL : HEADER, "header")) {
            final Scorer scorer = new Scorer(fabric, LinkWords.PLAIN, log);
            TraceSlot slot = trace.next();
            for (int i = 0; i < MOST_SLOTS && slot != null; i++) {
                assertEquals(i, slot.slot);
                scorer.step(slot);
                slot = trace.next();
            }
        } catch (final InputException e) {
            assertTrue(e.getMessage().matches("skerry: trace: t.csv[ -~]*: [ -~]*, [ -~]*"), e.getMessage());
        }
        assertEquals(log.none(), log.text().isEmpty());
    }

    private static Shale shale() {
        final Phased schedule = new Phased(2, 2);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 0, 1);
    }
}
