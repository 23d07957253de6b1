package dev.skerry.tools.members;

import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunIdentity;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** The members of a fabric that have joined, and the values that they agree on outside of slots. Not thread-safe. */
public final class MemberGroup implements AutoCloseable {
    private final Members members;
    private final RowExchange exchange;
    private boolean isClosed;

    /** Creates a group, all of whose members have joined. */
    public MemberGroup(final Members members, final RowExchange exchange) {
        this.members = members;
        this.exchange = exchange;
    }

    /** Returns the index of this member. */
    public int self() {
        return members.self();
    }

    /** Returns the number of members. */
    public int size() {
        return members.all().size();
    }

    /** Returns the exchange of rows between the members. */
    public RowExchange exchange() {
        return exchange;
    }

    /**
     * Checks that all members run the same scenario.
     *
     * @param identity build, settings, flows and faults of this member.
     * @throws InputException if another member has a different identity; the message names the first difference.
     */
    public void agree(final String identity) {
        final byte[][] all = exchange.gather(identity.getBytes(StandardCharsets.UTF_8));
        for (int member = 0; member < all.length; member++) {
            final String differs = RunIdentity.difference(new String(all[member], StandardCharsets.UTF_8), identity);
            if (differs != null) {
                throw new InputException("--members", members.name(member), "its command or build differs: " + differs,
                    "start all members with the same build and options");
            }
        }
    }

    /** Tells whether the value is true at any member. All members must call this. */
    public boolean any(final boolean mine) {
        return sum(mine ? 1 : 0) > 0;
    }

    /** Returns the sum of a number over all members. All members must call this. */
    public long sum(final long mine) {
        return Arrays.stream(exchange.gather(new long[] {mine})).mapToLong(columns -> columns[0][0]).sum();
    }

    /**
     * Returns the greatest number that is in the lists of all members; -1 if there is none. All members must call this.
     */
    public long greatestOfAll(final List<Long> mine) {
        final long[][][] all = exchange.gather(mine.stream().mapToLong(Long::longValue).toArray());
        return Arrays.stream(all[0][0]).filter(number -> Arrays.stream(all)
            .allMatch(columns -> LongStream.of(columns[0]).anyMatch(other -> other == number))).max().orElse(-1);
    }

    /** Executes work in which all members take part. If it fails, the other members receive the reason. */
    public <T> T together(final Supplier<T> work) {
        try {
            return work.get();
        } catch (final RuntimeException failure) {
            final MemberLostException lost = failure instanceof final MemberLostException of ? of
                : new MemberLostException(self(), "it has failed: " + failure.getMessage());
            if (!isClosed) {
                exchange.abort(lost.member(), lost.why());
            }
            throw failure;
        }
    }

    /** Leaves the group. Further calls have no effect. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            exchange.close();
        }
    }
}
