package dev.skerry.bench.ring;

/**
 * A queue between two threads as the benchmark drives it: the words are 0, 1, 2, ... in order, moved at most a burst at
 * a call. Each benchmark fork loads one implementation, so the calls stay monomorphic.
 */
abstract class Pipe {
    /** Of every queue. */
    static final int CAPACITY = 1024;

    /** Offers up to {@code burst} next words; how many went in. The producer's thread calls. */
    abstract int offer(int burst);

    /** Polls up to {@code burst} words, checks that they are the next ones; how many. The consumer's thread calls. */
    abstract int poll(int burst);

    /** What a consumer does with a word that is not the next one. */
    static IllegalStateException wrong(final long word, final long expected) {
        return new IllegalStateException("lost or reordered: word=" + word + " expected=" + expected);
    }
}
