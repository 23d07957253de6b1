package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustMember;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * Batches that one member sends are changed at random on their way to another, which a MAC prevents in practice: the
 * other ends with a named error or goes on, and never touches memory that is not its own. Meant to be run without
 * assertions too ({@code -DenableAssertions=false}); {@code -Dfuzz.seconds=60} searches for longer.
 */
class MemberBatchFuzzTest {
    private static final long SECONDS = Long.getLong("fuzz.seconds", 2);
    private static final long SLOTS = 200;
    private static final Engine.Watch GO_ON = (slot, delivered, completed) -> true;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Changes one of the first batches that come. */
    private static final class Changing implements RowExchange {
        private final RowExchange exchange;
        private final Random random;
        private int left;

        Changing(final RowExchange exchange, final Random random) {
            this.exchange = exchange;
            this.random = random;
            this.left = random.nextInt(60);
        }

        @Override
        public MemorySegment receive(final int from) {
            final MemorySegment bytes = exchange.receive(from);
            return left-- == 0 ? changed(bytes) : bytes;
        }

        private MemorySegment changed(final MemorySegment bytes) {
            final long size = switch (random.nextInt(6)) {
                case 0 -> random.nextLong(bytes.byteSize()) + 1;
                case 1 -> bytes.byteSize() + 8 * random.nextInt(20);
                default -> bytes.byteSize();
            };
            final MemorySegment into = Arena.ofAuto().allocate(size, Region.ALIGNMENT);
            MemorySegment.copy(bytes, 0, into, 0, Math.min(size, bytes.byteSize()));
            for (int i = random.nextInt(8); i >= 0 && size >= Long.BYTES; i--) {
                final long at = random.nextLong(size / Long.BYTES) * Long.BYTES;
                final long old = into.get(LONG, at);
                into.set(LONG, at, switch (random.nextInt(6)) {
                    case 0 -> random.nextLong();
                    case 1 -> old ^ 1L << random.nextInt(Long.SIZE);
                    case 2 -> old + random.nextInt(17) - 8;
                    case 3 -> -1L >>> random.nextInt(Long.SIZE);
                    case 4 -> old | random.nextLong() & random.nextLong() & random.nextLong();
                    default -> 1L << 60 | 0xff_ffff;
                });
            }
            return into;
        }

        @Override
        public int member() {
            return exchange.member();
        }

        @Override
        public int members() {
            return exchange.members();
        }

        @Override
        public void send(final int to, final MemorySegment bytes) {
            exchange.send(to, bytes);
        }

        @Override
        public void poll() {
            exchange.poll();
        }

        @Override
        public void abort(final int member, final String why) {
            exchange.abort(member, why);
        }

        @Override
        public void close() {
            exchange.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hbh+spray", "isd", "rd", "hbh+spray, P=0"})
    void shaleEndsOrGoesOn(final String name) {
        final Phased schedule = new Phased(2, 4);
        final FabricParts parts = Parts.of(new Shale(schedule, Population.complete(schedule),
            Mechanisms.of(name.replaceFirst(",.*", "")), 1, 1, name.contains("P=0") ? 0 : 5, 3));
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        search(name, exchange -> new MemberStep(parts, flows, Faults.NONE, exchange));
    }

    @Test
    void shoalEndsOrGoesOn() {
        final FabricParts parts = Parts.of(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.values()[0], true, 5));
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        search("shoal", exchange -> new MemberStep(parts, flows, Faults.NONE, exchange));
    }

    @Test
    void stardustEndsOrGoesOn() {
        final Stardust fabric = Fabrics.packed(2, LinkRules.USUAL, true);
        final FlowSet flows = Fabrics.mixed(64, 200);
        search("stardust", exchange -> new StardustMember(fabric, flows, Faults.NONE,
            new ReachTiming(20, 3, 3, 1000), exchange));
    }

    private static void search(final String name, final Function<RowExchange, MemberEngine> engines) {
        final long end = System.nanoTime() + SECONDS * 1_000_000_000L;
        final AtomicInteger refused = new AtomicInteger();
        int runs = 0;
        for (long seed = 1; runs < 20 || System.nanoTime() - end < 0; seed++, runs++) {
            final long of = seed;
            try {
                MemberRuns.of(2, exchange -> {
                    try (exchange; MemberEngine engine = engines.apply(
                        exchange.member() == 0 ? new Changing(exchange, new Random(of)) : exchange)) {
                        engine.run(SLOTS, GO_ON);
                        return engine.outcome();
                    } catch (final MemberLostException e) {
                        refused.incrementAndGet();
                        throw e;
                    } catch (final IllegalStateException | ArithmeticException | IndexOutOfBoundsException
                        | AssertionError e) {
                        // A broken law, which is an error too; assertions only where they are on.
                        throw new IllegalStateException(e);
                    }
                });
            } catch (final IllegalStateException named) {
                assertTrue(named.getCause() != null, () -> name + " seed=" + of);
            }
        }
        assertTrue(refused.get() > 0, name + ": nothing was refused in " + runs + " runs");
        System.out.println(name + ": " + runs + " runs, " + refused + " refused");
    }
}
