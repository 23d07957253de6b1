package dev.skerry.nic.count;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Beside a list of the cells that every bank held before every slot. Banks rest, and tell nothing then. */
final class HeldTimelineTest {
    private static final int BANKS = 3;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 255, 256, 257, 512, 513, 5000, 70_000})
    void shouldTellWhatAllBanksHeld(final int slots) {
        for (long seed = 1; seed <= 5; seed++) {
            final Random random = new Random(seed);
            final List<HeldTimeline> timelines = new ArrayList<>();
            final long[][] cells = new long[BANKS][slots + 1];
            for (final long[] held : cells) {
                timelines.add(bank(random, held, slots));
            }
            final List<HeldTimeline.At> all = HeldTimeline.sum(timelines.stream()
                .map(timeline -> HeldTimeline.of(timeline.columns())).toList()).until(slots);
            assertTrue(all.size() <= 257, () -> all.size() + " samples");
            assertTrue(all.size() > Math.min(slots, 128), () -> all.size() + " samples");
            for (int i = 0; i < all.size(); i++) {
                final HeldTimeline.At at = all.get(i);
                assertEquals(i == all.size() - 1 ? slots : i * all.get(Math.min(1, all.size() - 1)).slot(), at.slot());
                long sum = 0;
                long most = 0;
                for (final long[] held : cells) {
                    sum += held[(int) at.slot()];
                    most = Math.max(most, held[(int) at.slot()]);
                }
                assertEquals(new HeldTimeline.Sample(sum, most, 2 * sum, most + 1), at.sample(),
                    "seed " + seed + ", slot " + at.slot());
            }
        }
    }

    /** What it holds changes in the slots that it sends in, seen before the next one. */
    private static HeldTimeline bank(final Random random, final long[] held, final int slots) {
        final HeldTimeline timeline = new HeldTimeline();
        final int restsFrom = random.nextInt(slots + 1);
        long now = 0;
        for (int slot = 0; slot <= slots; slot++) {
            held[slot] = now;
            if (slot == slots) {
                timeline.finish(sample(now));
            } else if (slot < restsFrom && random.nextInt(4) > 0) {
                if (timeline.isDue(slot)) {
                    timeline.add(slot, sample(now));
                }
                now = random.nextInt(100);
            }
        }
        return timeline;
    }

    private static HeldTimeline.Sample sample(final long held) {
        return new HeldTimeline.Sample(held, held, 2 * held, held + 1);
    }
}
