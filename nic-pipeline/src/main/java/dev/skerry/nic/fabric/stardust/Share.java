package dev.skerry.nic.fabric.stardust;

import dev.skerry.schedule.FoldedClos;

/**
 * The devices of one of some banks: a share of each tier, so that all banks have as much to do. Immutable.
 *
 * @param clos  all devices.
 * @param bank  which bank.
 * @param banks of how many.
 */
record Share(FoldedClos clos, int bank, int banks) {
    /** The first device of a tier. */
    int first(final int tier) {
        return bound(tier, bank);
    }

    /** The device after the last one of a tier. */
    int end(final int tier) {
        return bound(tier, bank + 1);
    }

    private int bound(final int tier, final int part) {
        final int start = clos.tierStart(tier);
        final long size = clos.tierStart(tier + 1) - start;
        return start + (int) (size * part / banks);
    }
}
