package dev.skerry.nic.shale.follow;

import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Token accounts of a followed node: by link and bucket, the tokens that are spent and not returned; by link, the owed
 * tokens in order. They depend only on what is seen on links, so they are known whatever the node chooses. Not
 * thread-safe.
 */
final class TokenBooks {
    private final int phases;
    private final int buckets;
    /** Tokens spent and not returned; negative if a register of the device shows more tokens left than the budget. */
    private final short[] out;
    private final List<ArrayDeque<Owed>> owed = new ArrayList<>();
    /** Owed tokens that were due and were not sent. */
    private final List<ArrayDeque<Integer>> late = new ArrayList<>();

    /** A token of a bucket, and the first slot in which it may be sent. */
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

    /** Returns the number of tokens of a bucket that are spent on a link and not returned. */
    int spent(final int link, final int bucket) {
        return out[at(link, bucket)];
    }

    void setSpent(final int link, final int bucket, final int count) {
        out[at(link, bucket)] = (short) Math.clamp(count, Short.MIN_VALUE, Short.MAX_VALUE);
    }

    /** Records a returned token; returns false if none was outstanding. */
    boolean takeBack(final int link, final int bucket) {
        final int spent = spent(link, bucket);
        if (spent > 0) {
            setSpent(link, bucket, spent - 1);
        }
        return spent > 0;
    }

    /** Adds an owed token, which may be sent from a slot on. */
    void owe(final int link, final int bucket, final long due) {
        owed.get(link).add(new Owed(bucket, due));
    }

    /** Returns the next owed token of a link that may be sent in a slot, -1 if there is none. */
    int peek(final int link, final long slot) {
        final Owed next = owed.get(link).peek();
        return next == null || next.due > slot ? -1 : next.bucket;
    }

    /** Removes and returns the token that {@link #peek} returns. */
    int poll(final int link, final long slot) {
        final int next = peek(link, slot);
        if (next >= 0) {
            owed.get(link).remove();
        }
        return next;
    }

    /** Removes an owed token at any position; returns false if it is not owed. */
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

    /** Removes a token that is owed on any link, and returns the link; -1 if it is not owed. */
    int takeElsewhere(final int bucket) {
        for (int link = 0; link < owed.size(); link++) {
            if (takeOwed(link, bucket)) {
                return link;
            }
        }
        return -1;
    }

    /** Records an owed token that was due and was not sent. */
    void missed(final int link, final int bucket) {
        late.get(link).add(bucket);
    }

    /** Removes a late token; returns false if it is not late. */
    boolean takeLate(final int link, final int bucket) {
        return late.get(link).removeFirstOccurrence(bucket);
    }

    /** Returns the tokens owed on a link, oldest first. */
    long[] owed(final int link) {
        return owed.get(link).stream().mapToLong(Owed::bucket).toArray();
    }

    /** Returns the number of tokens owed on a link. */
    int waiting(final int link) {
        return owed.get(link).size();
    }

    /** Removes the token that was owed last on a link: the device lost it. */
    void dropLast(final int link) {
        owed.get(link).removeLast();
    }

    /** Returns the number of tokens of a bucket that are owed on a link. */
    int owed(final int link, final int bucket) {
        int count = 0;
        for (final Owed each : owed.get(link)) {
            count += each.bucket == bucket ? 1 : 0;
        }
        return count;
    }
}
