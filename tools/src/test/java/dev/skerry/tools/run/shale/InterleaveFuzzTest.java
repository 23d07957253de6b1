package dev.skerry.tools.run.shale;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.spi.TrafficClasses;
import dev.skerry.tools.input.InputException;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads arbitrary text as a list of schedules, or as cut-offs; see {@code CaptureReaderFuzzTest} for how it is run. */
final class InterleaveFuzzTest {
    /** The input is both lists, with a semicolon between them. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyText(final byte[] input) {
        final String[] texts = new String(input, StandardCharsets.UTF_8).split(";", 2);
        try {
            final ShaleChoice.InterleaveChoice choice = ShaleChoice.InterleaveChoice.of(texts[0]);
            check(choice.phases(), choice.shares());
        } catch (final InputException e) {
            named("--interleave", texts[0], e);
        }
        try {
            long before = 0;
            for (final long limit : TrafficClasses.sizes("--cutoff-bytes", texts[texts.length - 1], "advice")) {
                assertTrue(limit > before, texts[texts.length - 1]);
                before = limit;
            }
        } catch (final InputException e) {
            named("--cutoff-bytes", texts[texts.length - 1], e);
        }
    }

    /** Phases fall, and every slot of the period has one owner, each as often as it says. */
    private static void check(final List<Integer> phases, final SlotShares shares) {
        assertEquals(phases.size(), shares.shares().size());
        for (int i = 0; i < phases.size(); i++) {
            assertTrue(phases.get(i) >= 1 && phases.get(i) <= Phased.MAX_PHASES
                && (i == 0 || phases.get(i) < phases.get(i - 1)), phases.toString());
        }
        long sum = 0;
        for (final SlotShare share : shares.shares()) {
            assertTrue(share.each() > 0, phases.toString());
            sum += share.each();
        }
        assertEquals(shares.period(), sum);
        final int[] owned = new int[phases.size()];
        for (int slot = 0; slot < shares.period(); slot++) {
            owned[shares.owner(slot)]++;
        }
        shares.shares().forEach(share -> assertEquals(share.each(), owned[share.number()]));
    }

    /** The message may have several lines, as the text has; the command line prints one. */
    private static void named(final String option, final String text, final InputException refusal) {
        final String where = text.isEmpty() ? "''" : text;
        assertTrue(refusal.getMessage().startsWith("skerry: " + option + ": " + where + ": "), refusal.getMessage());
    }
}
