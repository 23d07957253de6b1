package dev.skerry.together;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RowExchange.MemberLostException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** A {@link RowExchange} between threads of one process, one thread for each member. Tests of tools use it, too. */
public final class MemoryExchange implements RowExchange {
    private final int member;
    /** By sender, then by receiver. */
    private final BlockingQueue<Letter>[][] ways;

    /** A message; null bytes where the sender left or aborted, and then why. */
    private record Letter(byte[] bytes, int member, String why) {
    }

    private MemoryExchange(final int member, final BlockingQueue<Letter>[][] ways) {
        this.member = member;
        this.ways = ways;
    }

    /** The ends of an exchange, one for each member. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    public static MemoryExchange[] of(final int members) {
        final BlockingQueue<Letter>[][] ways = new BlockingQueue[members][members];
        final MemoryExchange[] ends = new MemoryExchange[members];
        for (int from = 0; from < members; from++) {
            ends[from] = new MemoryExchange(from, ways);
            for (int to = 0; to < members; to++) {
                ways[from][to] = new LinkedBlockingQueue<>();
            }
        }
        return ends;
    }

    @Override
    public int member() {
        return member;
    }

    @Override
    public int members() {
        return ways.length;
    }

    @Override
    public void send(final int to, final MemorySegment bytes) {
        ways[member][to].add(new Letter(bytes.toArray(ValueLayout.JAVA_BYTE), member, null));
    }

    @Override
    public void poll() {
    }

    @Override
    public MemorySegment receive(final int from) {
        try {
            final Letter letter = ways[from][member].take();
            if (letter.bytes == null) {
                throw new MemberLostException(letter.member, letter.why);
            }
            return Arena.ofAuto().allocate(letter.bytes.length, Region.ALIGNMENT)
                .copyFrom(MemorySegment.ofArray(letter.bytes));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void abort(final int whose, final String why) {
        for (final BlockingQueue<Letter> way : ways[member]) {
            way.add(new Letter(null, whose, why));
        }
    }

    @Override
    public void close() {
        abort(member, "it has left");
    }
}
