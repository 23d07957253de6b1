package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;

/**
 * Tokens spent and not yet returned, for every link of every node and every bucket at its other end: {@code out[b]} of
 * docs/spec/shale.md §5.1. One thread at a time.
 */
final class TokenLedger {
    private final OutstandingTokens tokens;
    /** Links with something to do. One spare entry absorbs a branchless write. */
    private final int[] list;

    /** Nothing outstanding on some links. */
    TokenLedger(final OutstandingTokens tokens, final int links) {
        this.tokens = tokens;
        this.list = new int[CellBatch.block(links) + 1];
    }

    /**
     * Nothing outstanding on the links of a bank.
     *
     * @param links of all nodes of the bank.
     * @param pool  overflow of the bank.
     */
    static TokenLedger of(final Arena arena, final Shale shale, final int links, final SpillPool pool) {
        return new TokenLedger(TokenTable.fits(shale)
            ? new TokenTable(arena, links, shale.nodes(), shale.schedule().phases())
            : new TokenLists(arena, links, shale.outstandingTokens(), pool), links);
    }

    /** Bytes of one link of a node, overflow not counted. */
    static int linkBytes(final Shale shale) {
        return TokenTable.fits(shale) ? TokenTable.linkBytes(shale)
            : TokenLedgerLayout.linkBytes(shale.outstandingTokens());
    }

    /**
     * Spends a token on each of some links, where its bucket has one left.
     *
     * @param firstLink the first of links that follow each other.
     * @param count     how many, at most {@link CellBatch#CELLS}.
     * @param keys      the bucket of each plus 1, or {@link dev.skerry.nic.shale.Route#NO_TOKEN}.
     * @param limits    tokens of the bucket, 0 where nothing is asked for.
     * @param spent     gets 1 where there was one left, or none is needed; else 0.
     */
    void spend(final int firstLink, final int count, final int[] keys, final int[] limits, final int[] spent) {
        final int[] asking = list;
        int some = 0;
        for (int i = 0; i < count; i++) {
            spent[i] = 0;
            asking[some] = i;
            some += Branchless.ifPositive(limits[i]);
        }
        tokens.spend(firstLink, asking, some, keys, limits, spent);
    }

    /** As {@link #spend(int, int, int[], int[], int[])}, on the links listed; the columns stay by link. */
    void spend(final int firstLink, final int[] asking, final int some, final int[] keys, final int[] limits,
        final int[] spent) {
        tokens.spend(firstLink, asking, some, keys, limits, spent);
    }

    /**
     * Takes back a token on each of some links, or two, or none. A token that was not outstanding is ignored; its
     * bucket turns into -1.
     *
     * @param firstLink the first of links that follow each other.
     * @param count     how many, at most {@link CellBatch#CELLS}.
     * @param buckets   the bucket of each, -1: none.
     * @param second    the same of another token.
     * @return tokens ignored.
     */
    int giveBack(final int firstLink, final int count, final int[] buckets, final int[] second) {
        final int ignored = tokens.giveBack(firstLink, list, giving(count, buckets), buckets);
        return ignored + tokens.giveBack(firstLink, list, giving(count, second), second);
    }

    /** As {@link #giveBack(int, int, int[], int[])}, on the links listed, which all have a first token. */
    int giveBack(final int firstLink, final int[] which, final int some, final int[] buckets, final int[] second) {
        final int ignored = tokens.giveBack(firstLink, which, some, buckets);
        final int[] withTwo = list;
        int two = 0;
        for (int k = 0; k < some; k++) {
            withTwo[two] = which[k];
            two += ~second[which[k]] >>> Integer.SIZE - 1;
        }
        return ignored + tokens.giveBack(firstLink, withTwo, two, second);
    }

    private int giving(final int count, final int[] buckets) {
        final int[] giving = list;
        int some = 0;
        for (int i = 0; i < count; i++) {
            giving[some] = i;
            some += ~buckets[i] >>> Integer.SIZE - 1;
        }
        return some;
    }

    /** Reads what is outstanding on listed links ahead of its use. */
    void fetch(final int firstLink, final int[] which, final int some) {
        tokens.fetch(firstLink, which, some);
    }

    /** Tokens of a bucket outstanding on a link. */
    int out(final int link, final int bucket) {
        return tokens.out(link, bucket);
    }

    /** Spends a token. */
    void spend(final int link, final int bucket) {
        tokens.spend(link, bucket);
    }

    /**
     * Takes a token back.
     *
     * @return false if none of this bucket was outstanding; nothing changes then.
     */
    boolean giveBack(final int link, final int bucket) {
        return tokens.giveBack(link, bucket);
    }

    /** Forgets what is outstanding on a link. */
    void clear(final int link) {
        tokens.clear(link);
    }

    /** Tokens of all buckets outstanding on a link. */
    int total(final int link) {
        return tokens.total(link);
    }

    /** Shows every outstanding bucket of a link once, in ascending order. */
    void forEach(final int link, final OutstandingTokens.Visitor visitor) {
        tokens.forEach(link, visitor);
    }
}
