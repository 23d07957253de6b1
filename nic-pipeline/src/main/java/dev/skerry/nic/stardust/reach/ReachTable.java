package dev.skerry.nic.stardust.reach;

import dev.skerry.nic.stardust.fabric.ReachTiming;

import java.util.Arrays;

/**
 * What one device knows of the adapters its links lead to, and how healthy each link is (docs/spec/stardust.md §6). A
 * bit changes after some equal reports in a row, a link fails when messages or cells go missing. One thread.
 *
 * <pre>
 *   by link: what holds | the last three reports, a bit for each adapter
 *   health:  + 1 for a message up to 63, - 16 for a missed one, - 8 for a damaged cell; faulty below 16, valid from 32
 * </pre>
 */
final class ReachTable {
    private static final int MOST_HEALTH = 63;
    private static final int VALID = 32;
    private static final int FAULTY = 16;
    private static final int MISSED_COSTS = 16;
    private static final int DAMAGE_COSTS = 8;

    private final int words;
    private final int reports;
    private final int mostMissed;
    private final long[] holds;
    private final long[][] heard;
    private final byte[] health;
    private final byte[] missed;
    private final boolean[] failed;
    private final boolean[] flagged;
    private boolean changed;

    /** All links valid, nothing reached. */
    ReachTable(final int links, final int adapters, final ReachTiming healing) {
        this.words = 2 * ((adapters + ReachTiming.BLOCK - 1) / ReachTiming.BLOCK);
        this.reports = healing.reports();
        this.mostMissed = healing.missed();
        this.holds = new long[links * words];
        this.heard = new long[3][links * words];
        this.health = new byte[links];
        this.missed = new byte[links];
        this.failed = new boolean[links];
        this.flagged = new boolean[links];
        Arrays.fill(health, (byte) MOST_HEALTH);
    }

    /** A link leads to an adapter from the beginning. */
    void start(final int link, final int adapter) {
        final int at = link * words + (adapter >>> 6);
        holds[at] |= 1L << adapter;
        for (final long[] report : heard) {
            report[at] |= 1L << adapter;
        }
    }

    /** A link that nothing has come over yet. */
    void startFailed(final int link) {
        failed[link] = true;
        health[link] = 0;
    }

    /** A message came about a block of adapters. */
    void onMessage(final int link, final int block, final long low, final long high, final boolean faulty) {
        missed[link] = 0;
        health[link] = (byte) Math.min(MOST_HEALTH, health[link] + 1);
        changed |= flagged[link] != faulty;
        flagged[link] = faulty;
        update(link * words + 2 * block, low);
        update(link * words + 2 * block + 1, high);
        if (failed[link] && health[link] >= VALID) {
            failed[link] = false;
            changed = true;
        }
    }

    /** A message did not come. */
    void onMissed(final int link) {
        missed[link] = (byte) Math.min(mostMissed, missed[link] + 1);
        harm(link, MISSED_COSTS);
        if (missed[link] == mostMissed && !failed[link]) {
            fail(link);
        }
    }

    /** There is no signal on a link, in one direction at least: it has failed at once. */
    void onSignalLost(final int link) {
        if (!failed[link]) {
            fail(link);
        }
    }

    /** A damaged cell came. */
    void onDamage(final int link) {
        harm(link, DAMAGE_COSTS);
    }

    /** Whether this end takes a link for faulty, which it reports to the other end. */
    boolean isFailed(final int link) {
        return failed[link];
    }

    /** Whether cells may be sent over a link. */
    boolean isUsable(final int link) {
        return !failed[link] && !flagged[link];
    }

    /** 64 adapters, a bit for each that a link leads to; 0 if the link may not be used. */
    long word(final int link, final int word) {
        return isUsable(link) ? holds[link * words + word] : 0;
    }

    /** Whether cells for an adapter may take a link. */
    boolean leads(final int link, final int adapter) {
        return (word(link, adapter >>> 6) >>> adapter & 1) != 0;
    }

    /** Whether anything changed since this was last asked. */
    boolean takeChange() {
        final boolean was = changed;
        changed = false;
        return was;
    }

    private void harm(final int link, final int cost) {
        health[link] = (byte) Math.max(0, health[link] - cost);
        if (health[link] < FAULTY && !failed[link]) {
            fail(link);
        }
    }

    /** All that a failed link leads to is forgotten at once. */
    private void fail(final int link) {
        failed[link] = true;
        health[link] = 0;
        changed = true;
        for (int word = link * words; word < (link + 1) * words; word++) {
            holds[word] = 0;
            heard[0][word] = 0;
            heard[1][word] = 0;
            heard[2][word] = 0;
        }
    }

    private void update(final int at, final long report) {
        heard[2][at] = heard[1][at];
        heard[1][at] = heard[0][at];
        heard[0][at] = report;
        long all = report;
        long none = ~report;
        for (int back = 1; back < reports; back++) {
            all &= heard[back][at];
            none &= ~heard[back][at];
        }
        final long now = holds[at] & ~none | all;
        changed |= now != holds[at];
        holds[at] = now;
    }
}
