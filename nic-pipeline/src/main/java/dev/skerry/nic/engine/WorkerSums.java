package dev.skerry.nic.engine;

/**
 * What the workers of an engine say of themselves where they meet: some numbers of each, summed up by all. A worker
 * writes its own before the meeting and reads everyone's after it; the next meeting is of the other parity, so that
 * nobody writes what another still reads.
 *
 * <pre>
 *   one worker and parity: numbers 0 to 15, two cache lines that nobody else writes
 * </pre>
 */
public final class WorkerSums {
    private static final int NUMBERS_SHIFT = 4;

    private final int workers;
    private final long[][] numbers;

    /** All zero. */
    public WorkerSums(final int workers) {
        this.workers = workers;
        this.numbers = new long[2][workers << NUMBERS_SHIFT];
    }

    /** What a worker says. Its own thread, before the meeting. */
    public void set(final int parity, final int worker, final int number, final long value) {
        numbers[parity][(worker << NUMBERS_SHIFT) + number] = value;
    }

    /** The sum over all workers. Any of their threads, after the meeting. */
    public long sum(final int parity, final int number) {
        final long[] of = numbers[parity];
        long sum = 0;
        for (int worker = 0; worker < workers; worker++) {
            sum += of[(worker << NUMBERS_SHIFT) + number];
        }
        return sum;
    }

    /** The most that any worker says, at least 0. Any of their threads, after the meeting. */
    public long max(final int parity, final int number) {
        final long[] of = numbers[parity];
        long max = 0;
        for (int worker = 0; worker < workers; worker++) {
            max = Math.max(max, of[(worker << NUMBERS_SHIFT) + number]);
        }
        return max;
    }
}
