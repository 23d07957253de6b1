package dev.skerry.nic.shale.control;

import static dev.skerry.nic.shale.control.TokenLedgerLayout.COUNT;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.ENTRIES;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.place;
import static dev.skerry.nic.shale.control.TokenLedgerLayout.search;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.shale.Route;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * Outstanding tokens where a link has far more buckets than tokens outstanding: an entry for each token, see {@link
 * TokenLedgerLayout}. A bucket is found by a search of all entries of its link.
 *
 * <p>Entries past the inline ones are in the {@link SpilledTokens}. One thread at a time; little-endian, as {@link
 * Region} is.
 */
final class TokenLists implements OutstandingTokens {
    private final int stride;
    private final int words;
    private final int inline;
    private final Region region;
    private final SpilledTokens spilled;
    /** Links of a batch with spilled entries. */
    private final int[] rest;
    private int fetched;

    /**
     * Nothing outstanding.
     *
     * @param links  of all nodes of the bank.
     * @param tokens that a link hardly ever has more of outstanding.
     */
    TokenLists(final Arena arena, final int links, final int tokens, final SpillPool pool) {
        this.stride = TokenLedgerLayout.linkBytes(tokens);
        this.words = (stride - ENTRIES) / Long.BYTES;
        this.inline = words * 2;
        this.region = Region.allocate(arena, (long) links * stride);
        this.spilled = new SpilledTokens(region, pool);
        this.rest = new int[CellBatch.block(links)];
    }

    @Override
    public void spend(final int firstLink, final int[] asking, final int some, final int[] keys, final int[] limits,
        final int[] spent) {
        final Region memory = region;
        final int most = inline;
        int left = 0;
        for (int k = 0; k < some; k++) {
            final int i = asking[k];
            final long at = Region.offset(firstLink + i, stride);
            final int before = memory.getInt(at, COUNT);
            final int out = Long.bitCount(search(memory, at, words, keys[i]));
            if (before < most) {
                // A cell that may not go, or costs nothing, writes a zero where one is.
                final int may = Branchless.ifPositive(limits[i] - out);
                final int tokens = may & ~(keys[i] + 1 >>> Integer.SIZE - 1);
                memory.setInt(at + ENTRIES + Region.offset(before, Integer.BYTES), keys[i] & -tokens);
                memory.setInt(at, COUNT, before + tokens);
                spent[i] = may;
            } else {
                rest[left++] = i;
            }
        }
        for (int k = 0; k < left; k++) {
            spent[rest[k]] = spendOne(firstLink + rest[k], keys[rest[k]], limits[rest[k]]);
        }
    }

    private int spendOne(final int link, final int key, final int limit) {
        if (key == Route.NO_TOKEN) {
            return 1;
        }
        if (out(link, key - 1) >= limit) {
            return 0;
        }
        spend(link, key - 1);
        return 1;
    }

    @Override
    public int giveBack(final int firstLink, final int[] giving, final int some, final int[] buckets) {
        final Region memory = region;
        final int most = inline;
        int left = 0;
        for (int k = 0; k < some; k++) {
            final int i = giving[k];
            final long at = Region.offset(firstLink + i, stride);
            final int before = memory.getInt(at, COUNT);
            final long found = search(memory, at, words, buckets[i] + 1);
            if (found != 0 && before <= most) {
                final long place = place(at, Long.numberOfTrailingZeros(found));
                final long last = at + ENTRIES + Region.offset(before - 1, Integer.BYTES);
                memory.setInt(place, memory.getInt(last));
                memory.setInt(last, 0);
                memory.setInt(at, COUNT, before - 1);
            } else {
                rest[left++] = i;
            }
        }
        int ignored = 0;
        for (int k = 0; k < left; k++) {
            if (!giveBack(firstLink + rest[k], buckets[rest[k]])) {
                buckets[rest[k]] = -1;
                ignored++;
            }
        }
        return ignored;
    }

    @Override
    public void fetch(final int firstLink, final int[] which, final int some) {
        fetched += region.fetch(firstLink, which, 0, some, stride);
    }

    @Override
    public int out(final int link, final int bucket) {
        final long at = at(link);
        final int found = Long.bitCount(search(region, at, words, bucket + 1));
        return region.getInt(at, COUNT) > inline ? found + spilled.count(at, bucket + 1) : found;
    }

    @Override
    public void spend(final int link, final int bucket) {
        final long at = at(link);
        final int count = region.getInt(at, COUNT);
        if (count < inline) {
            region.setInt(at + ENTRIES + Region.offset(count, Integer.BYTES), bucket + 1);
        } else {
            spilled.add(at, bucket + 1, count == inline);
        }
        region.setInt(at, COUNT, count + 1);
    }

    @Override
    public boolean giveBack(final int link, final int bucket) {
        final long at = at(link);
        final int count = region.getInt(at, COUNT);
        final long found = search(region, at, words, bucket + 1);
        if (found == 0) {
            if (count <= inline || !spilled.remove(at, bucket + 1)) {
                return false;
            }
            region.setInt(at, COUNT, count - 1);
            return true;
        }
        final int bit = Long.numberOfTrailingZeros(found);
        final long place = place(at, bit);
        if (count > inline) {
            region.setInt(place, spilled.take(at));
        } else {
            final long last = at + ENTRIES + Region.offset(count - 1, Integer.BYTES);
            region.setInt(place, region.getInt(last));
            region.setInt(last, 0);
        }
        region.setInt(at, COUNT, count - 1);
        return true;
    }

    @Override
    public void clear(final int link) {
        final long at = at(link);
        if (region.getInt(at, COUNT) > inline) {
            spilled.clear(at);
        }
        for (int word = 0; word < words; word++) {
            region.setLong(at + ENTRIES + Region.offset(word, Long.BYTES), 0);
        }
        region.setInt(at, COUNT, 0);
    }

    @Override
    public int total(final int link) {
        return region.getInt(at(link), COUNT);
    }

    @Override
    public void forEach(final int link, final Visitor visitor) {
        final int[] entries = entries(at(link));
        Arrays.sort(entries);
        int first = 0;
        for (int i = 1; i <= entries.length; i++) {
            if (i == entries.length || entries[i] != entries[first]) {
                visitor.outstanding(entries[first] - 1, i - first);
                first = i;
            }
        }
    }

    private int[] entries(final long at) {
        final int count = region.getInt(at, COUNT);
        final int[] entries = new int[count];
        for (int i = 0; i < Math.min(count, inline); i++) {
            entries[i] = region.getInt(at + ENTRIES + Region.offset(i, Integer.BYTES));
        }
        if (count > inline) {
            spilled.copy(at, entries, inline);
        }
        return entries;
    }

    private long at(final int link) {
        return Region.offset(link, stride);
    }
}
