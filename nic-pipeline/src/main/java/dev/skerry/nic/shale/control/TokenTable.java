package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;

/**
 * Outstanding tokens of a small fabric: a byte for each bucket of each link, which says how many. A bucket is looked up
 * and not searched for, so a cell that has to wait costs little to ask again.
 *
 * <pre>
 *   link 0                            link 1
 *   +------+------+------+------+---- +------+--
 *   | d=0  | d=0  | d=1  | d=1  | ... | d=0  | ...    h = 2: n = 0 and 1 of each destination d; h = 3: n = 0 to 3
 *   | n=0  | n=1  | n=0  | n=1  |     | n=0  |
 *   +------+------+------+------+---- +------+--
 * </pre>
 */
final class TokenTable implements OutstandingTokens {
    /** Most bytes with which the tables of a fabric beat lists of a cache line, and longer ones (bench/results). */
    private static final long MOST_BYTES = 1 << 17;
    private static final long MOST_BYTES_FOR_LONG_LISTS = 1 << 22;
    private static final int LINE_BYTES = 64;

    private final Region region;
    /** Bytes of a link, and bits that tell the spraying hops of a bucket apart. */
    private final int stride;
    private final int bits;

    /**
     * Nothing outstanding.
     *
     * @param links        of all nodes of the bank.
     * @param destinations nodes that a bucket can name.
     * @param phases       h: a bucket has fewer spraying hops to go.
     */
    TokenTable(final Arena arena, final int links, final int destinations, final int phases) {
        this.bits = bits(phases);
        this.stride = destinations << bits;
        this.region = Region.allocate(arena, (long) links * stride);
    }

    /** Whether the tables of all nodes of a fabric are small enough. */
    static boolean fits(final Shale shale) {
        final long bytes = (long) shale.nodes() * shale.schedule().epochSlots() * linkBytes(shale);
        return bytes <= (TokenLedgerLayout.linkBytes(shale.outstandingTokens()) > LINE_BYTES
            ? MOST_BYTES_FOR_LONG_LISTS : MOST_BYTES);
    }

    /** Bytes of one link of a node. */
    static int linkBytes(final Shale shale) {
        return shale.nodes() << bits(shale.schedule().phases());
    }

    private static int bits(final int phases) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(phases - 1);
    }

    @Override
    public void spend(final int firstLink, final int[] asking, final int some, final int[] keys, final int[] limits,
        final int[] spent) {
        final Region memory = region;
        for (int k = 0; k < some; k++) {
            final int i = asking[k];
            // Who needs no token, or asks for nothing, looks at some bucket and writes what it read.
            final int needs = -keys[i] >> Integer.SIZE - 1 & ~(keys[i] + 1 >> Integer.SIZE - 1);
            final long at = at(firstLink + i, keys[i] - 1 & needs);
            final int out = memory.getByte(at);
            final int may = Branchless.ifPositive(limits[i] - (out & needs));
            memory.setByte(at, out + (may & needs));
            spent[i] = may;
        }
    }

    @Override
    public int giveBack(final int firstLink, final int[] giving, final int some, final int[] buckets) {
        int ignored = 0;
        for (int k = 0; k < some; k++) {
            final int i = giving[k];
            if (!giveBack(firstLink + i, buckets[i])) {
                buckets[i] = -1;
                ignored++;
            }
        }
        return ignored;
    }

    /** Nothing: tables of small fabrics stay in the cache. */
    @Override
    public void fetch(final int firstLink, final int[] which, final int some) {
    }

    @Override
    public int out(final int link, final int bucket) {
        return region.getByte(at(link, bucket));
    }

    @Override
    public void spend(final int link, final int bucket) {
        final int out = out(link, bucket);
        assert out < Shale.MAX_TOKENS : "link=" + link + " bucket=" + bucket;
        region.setByte(at(link, bucket), out + 1);
    }

    @Override
    public boolean giveBack(final int link, final int bucket) {
        final int out = out(link, bucket);
        if (out == 0) {
            return false;
        }
        region.setByte(at(link, bucket), out - 1);
        return true;
    }

    @Override
    public void clear(final int link) {
        for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
            region.setByte(Region.offset(link, stride) + byteOfLink, 0);
        }
    }

    @Override
    public int total(final int link) {
        int total = 0;
        for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
            total += region.getByte(Region.offset(link, stride) + byteOfLink);
        }
        return total;
    }

    @Override
    public void forEach(final int link, final Visitor visitor) {
        for (int byteOfLink = 0; byteOfLink < stride; byteOfLink++) {
            final int bucket = Route.bucket(byteOfLink >>> bits, byteOfLink & (1 << bits) - 1);
            if (out(link, bucket) > 0) {
                visitor.outstanding(bucket, out(link, bucket));
            }
        }
    }

    private long at(final int link, final int bucket) {
        return Region.offset(link, stride)
            + ((bucket >>> Route.DESTINATION_SHIFT) << bits | bucket & Route.MAX_SPRAYS);
    }
}
