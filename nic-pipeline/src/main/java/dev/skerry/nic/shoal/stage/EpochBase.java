package dev.skerry.nic.shoal.stage;

import dev.skerry.nic.shoal.Throttles;

/**
 * The epoch from which a bank of Shoal counts. Throttles hold epochs in 32 bits, and a fabric that carries packets may
 * run longer. Epochs never travel between nodes, so every bank moves its base on its own. One thread.
 */
final class EpochBase {
    /** Epochs counted before the base moves on. */
    static final int EPOCHS = 1 << 30;

    private final Throttles throttles;
    private final int step;
    private final long most;
    private long base;

    /**
     * A base at epoch 0.
     *
     * @param throttles  whose epochs count from it.
     * @param sentEpochs epochs that sent cells are remembered for, by their number modulo this.
     * @param epochs     counted before the base moves on, {@link #EPOCHS} but for tests.
     */
    EpochBase(final Throttles throttles, final int sentEpochs, final int epochs) {
        this.throttles = throttles;
        this.most = epochs;
        // What is remembered modulo the epochs kept stays where it is.
        this.step = (epochs - sentEpochs) / sentEpochs * sentEpochs;
    }

    /** The number of an epoch for a bank that begins to send in it; moves the base on if it is time to. */
    int turnTo(final long epoch) {
        while (epoch - base >= most) {
            base += step;
            throttles.rebase(step);
        }
        return (int) (epoch - base);
    }

    /** The number of an epoch that has begun, slightly negative for one before the base. */
    int of(final long epoch) {
        return (int) (epoch - base);
    }
}
