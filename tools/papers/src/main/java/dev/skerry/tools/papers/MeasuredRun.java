package dev.skerry.tools.papers;

import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.JsonValues;
import dev.skerry.tools.resources.MeasuredHost;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Reads the maxima of nodes from the {@code summary.json} of a run of Shale with limits. One thread. */
final class MeasuredRun {
    /** More than any summary has. */
    private static final long MAX_BYTES = 1 << 20;
    private static final int MOST = 1 << 30;

    private final String option;
    private final Path file;
    private final Map<String, String> values;

    private MeasuredRun(final String option, final Path file, final Map<String, String> values) {
        this.option = option;
        this.file = file;
        this.values = values;
    }

    /**
     * Reads a summary.
     *
     * @param option that names the file, for messages.
     * @throws InputException if it is none, or of a run that did not count what nodes hold.
     */
    static MeasuredHost read(final String option, final Path file) {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new InputException(option, file.toString(), "it is too long for a summary",
                    "give the summary.json of a run");
            }
            return new MeasuredRun(option, file, JsonValues.of(Files.readString(file))).host();
        } catch (final IllegalArgumentException e) {
            throw new InputException(option, file.toString(), e.getMessage(), "give the summary.json of a run");
        } catch (final IOException e) {
            throw new InputException(option, file.toString(), "it cannot be read: " + e.getClass().getSimpleName(),
                "give the summary.json of a run");
        }
    }

    private MeasuredHost host() {
        if (!"shale".equals(values.get("fabric"))) {
            throw new InputException(option, file.toString(), "it is no summary of a run of Shale",
                "give the summary.json of skerry run --fabric shale");
        }
        final int phases = number("h", 1, Phased.MAX_PHASES);
        final int radix = Population.radixFor(phases, number("nodes", 2, Phased.MAX_NODES - 1));
        return new MeasuredHost(phases, radix, Math.max(number("tokens", 1, MOST), number("first-hop-tokens", 1, MOST)),
            number("mostPieoEntries", 0, MOST), number("mostTokensOwed", 0, MOST),
            number("mostActiveBuckets", 0, MOST), number("mostFifoCells", 0, MOST), number("mostFifos", 0, MOST),
            number("maxBufferOccupancy", 0, MOST), number("mostSlotClocks", 0, MOST),
            number("maxReorderCells", 0, MOST));
    }

    private int number(final String key, final int least, final int most) {
        final String found = values.entrySet().stream()
            .filter(value -> ("." + value.getKey()).endsWith("." + key) && value.getValue().matches("\\d{1,9}"))
            .map(Map.Entry::getValue).findFirst().orElse(null);
        if (found == null) {
            throw new InputException(option, file.toString(), "it does not tell " + key,
                "give the summary of a run with hop-by-hop and --token-fifo 1000000, which only counts");
        }
        final int value = Integer.parseInt(found);
        if (value < least || value > most) {
            throw new InputException(option, file.toString(), key + " is " + value + ", not " + least + " to " + most,
                "give the summary.json of a run");
        }
        return value;
    }
}
