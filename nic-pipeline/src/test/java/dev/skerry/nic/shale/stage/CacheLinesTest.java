package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.CacheLines;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

final class CacheLinesTest {
    private static final String PACKAGE_INFO = "src/main/java/dev/skerry/nic/shoal/stage/package-info.java";
    private static final Pattern SIXTEENTHS = Pattern.compile("(\\d+)/16");

    /** The description of the package counts line by line; the constants are what it adds up to. */
    @Test
    void shouldBeWhatThePackageDescriptionAddsUpTo() throws IOException {
        final String text = Files.readString(Path.of(PACKAGE_INFO))
            .replaceAll("\\s+\\*\\s+", " ");
        final int from = text.indexOf("<p>Cache lines of Shoal");
        final int scattered = text.indexOf("Scattered:", from);
        final int end = text.indexOf("Together", scattered);
        final CacheLines lines = shoal(1);
        assertEquals(lines.streamedSixteenths(), sum(text.substring(from, scattered)));
        assertEquals(lines.scatteredSixteenths(), sum(text.substring(scattered, end)));
    }

    @Test
    void shouldCountEveryChannel() {
        final CacheLines lines = shoal(3);
        assertEquals(3 * shoal(1).streamed(), lines.streamed());
        assertEquals(3 * shoal(1).scattered(), lines.scattered());
    }

    private static CacheLines shoal(final int channels) {
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
