package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cache lines come from the sizes of the records; the description of the package says which lines those are. */
final class ShaleCacheLinesTest {
    private static final Path PACKAGE_INFO = Path.of("src/main/java/dev/skerry/nic/shale/stage/package-info.java");
    private static final Pattern SIXTEENTHS = Pattern.compile("(\\d+)/16");

    @Test
    void shouldBeThoseOfTheDescription() throws IOException {
        final String text = Files.readString(PACKAGE_INFO).replaceAll("\\s+\\*\\s+", " ");
        final int from = text.indexOf("<p>Cache lines of Shale");
        final int control = text.indexOf("Hop-by-hop adds", from);
        final int end = text.indexOf("Together", control);
        assertTrue(from > 0 && control > from && end > control, text);
        final String pipeline = text.substring(from, control);
        final String tokens = text.substring(control, end);
        final CacheLines none = lines(Mechanisms.NONE);
        assertEquals(sum(streamed(pipeline)), none.streamedSixteenths());
        assertEquals(sum(scattered(pipeline)), none.scatteredSixteenths());
        final CacheLines hopByHop = lines(Mechanisms.HBH);
        assertEquals(sum(streamed(pipeline)) + sum(streamed(tokens)), hopByHop.streamedSixteenths());
        assertEquals(sum(scattered(pipeline)) + sum(scattered(tokens)), hopByHop.scatteredSixteenths());
    }

    @Test
    void shouldNotCountTokensWithoutHopByHop() {
        assertEquals(new CacheLines(61, 32), lines(Mechanisms.HBH_SPRAY));
        assertEquals(lines(Mechanisms.HBH_SPRAY), lines(Mechanisms.HBH));
        assertEquals(new CacheLines(32, 20), lines(Mechanisms.NONE));
        assertEquals(lines(Mechanisms.NONE), lines(Mechanisms.SPRAY_SHORT));
    }

    private static CacheLines lines(final MechanismSet mechanisms) {
        final Phased schedule = new Phased(2, 4);
        return new ShaleParts(new Shale(schedule, Population.complete(schedule), mechanisms, 1, 1, 5, 1)).cacheLines();
    }

    private static String streamed(final String text) {
        return text.substring(0, text.indexOf("scattered"));
    }

    private static String scattered(final String text) {
        return text.substring(text.indexOf("scattered"));
    }

    private static int sum(final String text) {
        int sum = 0;
        for (final Matcher number = SIXTEENTHS.matcher(text); number.find();) {
            sum += Integer.parseInt(number.group(1));
        }
        return sum;
    }
}
