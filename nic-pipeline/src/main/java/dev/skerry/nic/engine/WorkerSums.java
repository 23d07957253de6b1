package dev.skerry.nic.engine;

/**
 * Numbers that the workers of a {@link WorkerCrew} exchange at a meeting. A worker writes its own before the meeting
 * and reads the sums after it. Meetings alternate between two parities, so nobody overwrites what another still reads.
 * Where the first worker goes on alone, what the others have left does not count.
 *
 * <pre>
 *   one worker and parity: numbers 0 to 15, two cache lines that nobody else writes
 * </pre>
 */
public final class WorkerSums {
    /** Flows completed. */
    public static final int COMPLETED = 0;
    /** Cells delivered. */
    public static final int DELIVERED = 1;
    /** What the end of the run is decided by: cells or flows whose fate is known. */
    public static final int SETTLED = 2;
    /** Grows while cells move; for engines that need it. */
    public static final int MOVES = 3;
    /** The slot that edges allow the fabric to go to. */
    static final int GO_TO = 4;
    /** The slot until which the worker's banks rest. */
    static final int RESTS_UNTIL = 5;

    private static final int NUMBERS_SHIFT = 4;

    private final long[][] numbers;

    /** All zero. */
    WorkerSums(final int workers) {
        this.numbers = new long[2][workers << NUMBERS_SHIFT];
    }

    /** Sets a number of a worker. The worker's thread, before the meeting. */
    public void set(final int parity, final int worker, final int number, final long value) {
        numbers[parity][(worker << NUMBERS_SHIFT) + number] = value;
    }

    /** The sum over the first {@code met} workers. Any worker's thread, after the meeting. */
    long sum(final int parity, final int number, final int met) {
        final long[] of = numbers[parity];
        long sum = 0;
        for (int worker = 0; worker < met; worker++) {
            sum += of[(worker << NUMBERS_SHIFT) + number];
        }
        return sum;
    }

    /** The minimum over the first {@code met} workers. Any worker's thread, after the meeting. */
    long min(final int parity, final int number, final int met) {
        final long[] of = numbers[parity];
        long min = Long.MAX_VALUE;
        for (int worker = 0; worker < met; worker++) {
            min = Math.min(min, of[(worker << NUMBERS_SHIFT) + number]);
        }
        return min;
    }

    /** The maximum over the first {@code met} workers, at least 0. Any worker's thread, after the meeting. */
    long max(final int parity, final int number, final int met) {
        final long[] of = numbers[parity];
        long max = 0;
        for (int worker = 0; worker < met; worker++) {
            max = Math.max(max, of[(worker << NUMBERS_SHIFT) + number]);
        }
        return max;
    }
}
