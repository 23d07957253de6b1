package dev.skerry.nic.shale.follow;

import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Tokens of a followed node: by link and bucket the ones spent and not returned, by link the ones owed, in order. Only
 * what is seen on links changes them, so they are known whatever the node chooses. One thread.
 */
final class TokenBooks {
    private final int phases;
    private final int buckets;
    /** Below 0 for more than the budget left, which a register of a device may say. */
    private final short[] out;
    private final List<ArrayDeque<Owed>> owed = new ArrayList<>();
    /** Owed tokens that should have gone and did not. */
    private final List<ArrayDeque<Integer>> late = new ArrayList<>();

    /** A token of a bucket, and the first slot in which it may ride. */
    private record Owed(int bucket, long due) {
    }

    TokenBooks(final Shale shale) {
        this.phases = shale.schedule().phases();
        this.buckets = shale.nodes() * phases;
        final int links = shale.schedule().epochSlots();
        this.out = new short[Math.multiplyExact(links, buckets)];
        for (int link = 0; link < links; link++) {
            owed.add(new ArrayDeque<>());
            late.add(new ArrayDeque<>());
        }
    }

    private int at(final int link, final int bucket) {
        return link * buckets + Route.bucketDestination(bucket) * phases + Route.sprays(bucket);
    }

    /** Tokens spent and not returned. */
    int spent(final int link, final int bucket) {
        return out[at(link, bucket)];
    }

    void setSpent(final int link, final int bucket, final int count) {
        out[at(link, bucket)] = (short) Math.clamp(count, Short.MIN_VALUE, Short.MAX_VALUE);
    }

    /** Takes a token back; false if none was out. */
    boolean takeBack(final int link, final int bucket) {
        final int spent = spent(link, bucket);
        if (spent > 0) {
            setSpent(link, bucket, spent - 1);
        }
        return spent > 0;
    }

    /** A token is owed, and may ride from a slot on. */
    void owe(final int link, final int bucket, final long due) {
        owed.get(link).add(new Owed(bucket, due));
    }

    /** The next token owed on a link that may ride in a slot, -1 for none. */
    int peek(final int link, final long slot) {
        final Owed next = owed.get(link).peek();
        return next == null || next.due > slot ? -1 : next.bucket;
    }

    /** The same; it is not owed any more. */
    int poll(final int link, final long slot) {
        final int next = peek(link, slot);
        if (next >= 0) {
            owed.get(link).remove();
        }
        return next;
    }

    /** Takes a token out of turn; false if it is not owed. */
    boolean takeOwed(final int link, final int bucket) {
        final Iterator<Owed> all = owed.get(link).iterator();
        while (all.hasNext()) {
            if (all.next().bucket == bucket) {
                all.remove();
                return true;
            }
        }
        return false;
    }

    /** Takes a token that is owed on another link, which is returned; -1 if it is owed nowhere. */
    int takeElsewhere(final int bucket) {
        for (int link = 0; link < owed.size(); link++) {
            if (takeOwed(link, bucket)) {
                return link;
            }
        }
        return -1;
    }

    /** A token that should have gone. */
    void missed(final int link, final int bucket) {
        late.get(link).add(bucket);
    }

    /** Takes a late token; false if it is not late. */
    boolean takeLate(final int link, final int bucket) {
        return late.get(link).removeFirstOccurrence(bucket);
    }

    /** The tokens owed on a link, oldest first. */
    long[] owed(final int link) {
        return owed.get(link).stream().mapToLong(Owed::bucket).toArray();
    }

    /** Tokens owed on a link. */
    int waiting(final int link) {
        return owed.get(link).size();
    }

    /** The token owed last on a link is lost. */
    void dropLast(final int link) {
        owed.get(link).removeLast();
    }

    /** Tokens of a bucket owed on a link. */
    int owed(final int link, final int bucket) {
        int count = 0;
        for (final Owed each : owed.get(link)) {
            count += each.bucket == bucket ? 1 : 0;
        }
        return count;
    }
}
