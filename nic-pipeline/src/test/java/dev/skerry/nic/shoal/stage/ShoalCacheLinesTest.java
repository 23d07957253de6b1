package dev.skerry.nic.shoal.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.Parts;
import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.shoal.JoinedQueues;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalQueueLayout;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.Throttles;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cache lines of Shoal follow from the sizes of its records; the description of the package names them one by one. */
final class ShoalCacheLinesTest {
    private static final Path PACKAGE_INFO = Path.of("src/main/java/dev/skerry/nic/shoal/stage/package-info.java");
    private static final Pattern SIXTEENTHS = Pattern.compile("(\\d+)/16");
    private static final int SIXTEENTH_BYTES = 64 / CacheLines.SIXTEENTHS;
    /** Epochs of sent cells that a report may be about. */
    private static final int EPOCHS_READ = 4;
    /** Nodes of a word of a set. */
    private static final int NODES = Long.SIZE;
    /** A column of the maxima and of the scheduler, by node. */
    private static final int COLUMN_BYTES = Integer.BYTES;

    @Test
    void shouldFollowFromTheLayouts() {
        final long queue = ShoalQueueLayout.LOAD_BYTES + ShoalQueueLayout.SEARCH_BYTES + ShoalQueueLayout.FIRST_BYTES;
        final long link = InFlightCells.bytes(1, 1);
        final long streamed = queue + 2 * ofNode(JoinedQueues.bytes(NODES, 1))
            + (1 + EPOCHS_READ) * ofNode(SentCells.bytes(NODES, 1, 1)) + 2 * Throttles.bytes(1, 1) + 2 * link
            + Long.BYTES + 2 * COLUMN_BYTES + 3 * COLUMN_BYTES;
        assertEquals(streamed, SIXTEENTH_BYTES * (long) lines(1).streamedSixteenths());
        // A record that lies anywhere costs a line, however small; every other cell joins a queue.
        final int line = CacheLines.SIXTEENTHS;
        final int reported = line - ShoalQueueLayout.LOAD_BYTES / SIXTEENTH_BYTES;
        final long flows = (ShoalMessages.BYTES + flowTableBytes()) / SIXTEENTH_BYTES;
        assertEquals(reported + line / 2 + line / 2 + flows, lines(1).scatteredSixteenths());
    }

    /** No record of a queue is larger than what is counted of it. */
    @Test
    void shouldKnowEveryRecordOfAQueue() {
        final int records = ShoalQueueLayout.SEARCH_BYTES + ShoalQueueLayout.FIRST_BYTES + ShoalQueueLayout.MORE_BYTES;
        for (final int links : new int[] {1, 7}) {
            assertEquals((long) links * records + (links + 1L) * ShoalQueueLayout.LOAD_BYTES,
                ofNode(ShoalQueues.bytes(NODES, links)));
        }
        assertTrue(ShoalQueueLayout.FIRST_BYTES <= 64 && ShoalQueueLayout.MORE_BYTES <= 64, "more than a line");
    }

    @Test
    void shouldBeThoseOfTheDescription() throws IOException {
        final String text = Files.readString(PACKAGE_INFO).replaceAll("\\s+\\*\\s+", " ");
        final int from = text.indexOf("<p>Cache lines of Shoal");
        final int scattered = text.indexOf("Scattered:", from);
        final int end = text.indexOf("Together", scattered);
        assertTrue(from > 0 && scattered > from && end > scattered, text);
        assertEquals(lines(1).streamedSixteenths(), sum(text.substring(from, scattered)));
        assertEquals(lines(1).scatteredSixteenths(), sum(text.substring(scattered, end)));
    }

    @Test
    void shouldCountEveryChannel() {
        assertEquals(lines(1).times(3), lines(3));
    }

    /** Bytes of a node. Its bit in the sets of nodes, an eighth of a byte, is not counted. */
    private static long ofNode(final long bytes) {
        return bytes / NODES;
    }

    private static long flowTableBytes() {
        return FlowTable.bytes(2) - FlowTable.bytes(1);
    }

    private static CacheLines lines(final int channels) {
        return Parts.of(Shoal.of(RoundRobin.plain(8, channels), ReleaseRule.EXACT, false, 0)).cacheLines();
    }

    private static int sum(final String text) {
        int sum = 0;
        for (final Matcher number = SIXTEENTHS.matcher(text); number.find();) {
            sum += Integer.parseInt(number.group(1));
        }
        return sum;
    }
}
