package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.nic.Parts;
import dev.skerry.nic.engine.MemberMessages.RowBatch;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange.MemberLostException;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.StardustMember;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.SlotShares;
import dev.skerry.together.MemberRuns;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * Batches that one member sends are changed at random on their way to another, which a MAC prevents in practice: the
 * other ends with an error or goes on, and no index of a batch leads outside of a region. Meant to be run without
 * assertions too ({@code -DenableAssertions=false}), once with {@link Region#BOUNDS}, which finds such an index, and
 * once without; {@code -Dfuzz.seconds=60} searches for longer.
 */
class MemberBatchFuzzTest {
    private static final double SECONDS = Double.parseDouble(System.getProperty("fuzz.seconds", "0.3"));
    private static final long SLOTS = 200;
    /** Most cells of flows that are long enough for messages of end-to-end control. */
    private static final int LONG_FLOWS = 100;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** Faults of links and of a node, damage, and a node that comes back. */
    private static final Faults SCRIPT = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0.02),
        new Fault.Link(10, 1, 2, false), new Fault.Node(30, 5, false), new Fault.Link(60, 1, 2, true),
        new Fault.Node(90, 5, true))), 3);

    /** An exchange whose batches are changed when they are received. */
    private static RowExchange changed(final RowExchange exchange, final UnaryOperator<MemorySegment> batches) {
        return (RowExchange) Proxy.newProxyInstance(RowExchange.class.getClassLoader(),
            new Class<?>[] {RowExchange.class}, (proxy, method, arguments) -> {
                try {
                    final Object result = method.invoke(exchange, arguments);
                    return method.getName().equals("receive") ? batches.apply((MemorySegment) result) : result;
                } catch (final InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    }

    /** Changes a few of the first batches that come. */
    private static final class Changing implements UnaryOperator<MemorySegment> {
        private final Random random;
        private int before;
        private int left;

        Changing(final Random random) {
            this.random = random;
            this.before = random.nextInt(100);
            this.left = 1 + random.nextInt(4);
        }

        @Override
        public MemorySegment apply(final MemorySegment bytes) {
            return before-- > 0 || left-- <= 0 ? bytes : changed(bytes);
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
                into.set(LONG, at, switch (random.nextInt(9)) {
                    case 0 -> random.nextLong();
                    case 1 -> old ^ 1L << random.nextInt(Long.SIZE);
                    case 2 -> old + random.nextInt(17) - 8;
                    case 3 -> -1L >>> random.nextInt(Long.SIZE);
                    case 4 -> old | random.nextLong() & random.nextLong() & random.nextLong();
                    case 5 -> -1L << Integer.SIZE | random.nextInt() >>> 1 + random.nextInt(31);
                    case 6 -> notice() << Integer.SIZE | notice() & 0xffff_ffffL;
                    case 7 -> -1 - random.nextInt(6);
                    default -> 1L << 60 | 0xff_ffff;
                });
            }
            return into;
        }

        /** Half of a word of feedback: kind and bucket as of Shale, or any. */
        private long notice() {
            return switch (random.nextInt(4)) {
                case 0 -> -1;
                case 1 -> random.nextInt();
                default -> random.nextInt(8) << 23 | random.nextInt(1 << 5 + random.nextInt(18));
            };
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hbh+spray", "isd", "rd", "ndp", "hbh+spray, P=0"})
    void shaleEndsOrGoesOn(final String name) {
        final Shale shale = shale(name.replaceFirst(",.*", ""), name.contains("P=0") ? 0 : 5, FailureRules.PAPER);
        final FlowSet flows = Flows.random(3, 16, 60, 100, name.length() == 3 ? LONG_FLOWS : 3);
        search(name, exchange -> new MemberStep(Parts.of(shale), flows, Faults.NONE, exchange));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shaleWithFaultsEndsOrGoesOn(final int missLimit) {
        final Shale shale = shale("hbh+spray", 5, new FailureRules(missLimit, true));
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        search("faults, misses=" + missLimit, exchange -> new MemberStep(Parts.of(shale), flows, SCRIPT, exchange));
    }

    @Test
    void interleavedShaleEndsOrGoesOn() {
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        flows.setClass(1);
        search("interleaved", exchange -> new MemberStep(Parts.of(interleaved()), flows, Faults.NONE, exchange));
    }

    private static Interleaved interleaved() {
        final SlotShares shares = new SlotShares(3, 1);
        final List<Shale> fabrics = new ArrayList<>();
        for (int h = 1; h <= 2; h++) {
            final Phased schedule = new Phased(h, h == 1 ? 16 : 4);
            fabrics.add(new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 1, 5, 3,
                FailureRules.PAPER, shares.shares().get(h - 1)));
        }
        return new Interleaved(fabrics, shares);
    }

    private static Shale shale(final String mechanisms, final int propagation, final FailureRules rules) {
        final Phased schedule = new Phased(2, 4);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.of(mechanisms), 1, 1, propagation, 3,
            rules);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shoal", "shoal, faults", "shoal, classes"})
    void shoalEndsOrGoesOn(final String name) {
        final FabricParts parts = Parts.of(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.values()[0], true, 5));
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        addClasses(flows, name.endsWith("classes") ? 3 : 0);
        search(name, exchange -> new MemberStep(parts, flows, name.endsWith("faults") ? SCRIPT : Faults.NONE,
            exchange));
    }

    private static void addClasses(final FlowSet flows, final int classes) {
        for (int flow = 0; flow < 20 && classes > 0; flow++) {
            flows.add(flow, flow % 16, (flow + 3) % 16, 2440, 10, 100);
            flows.setClass(flow % classes);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"stardust", "stardust, faults", "stardust, tcp"})
    void stardustEndsOrGoesOn(final String name) {
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        final Stardust fabric = name.endsWith("tcp") ? new Stardust(packed.deployment(), 2, new HostSide(4, 4, 1, 230,
            1 << 16, 1 << 15, new Reno(40, 4, 600, 40, 12, 3)), packed.cut(), packed.credits(), LinkRules.USUAL, true,
            7) : packed;
        final FlowSet flows = Fabrics.mixed(64, 200);
        final Faults faults = !name.endsWith("faults") ? Faults.NONE : new Faults(new FaultPlan(List.of(
            new Fault.Corruption(0, 0.01), new Fault.Link(20, 16, 2, false), new Fault.Node(40, 7, false),
            new Fault.Node(90, 7, true))), 3);
        search(name, exchange -> new StardustMember(fabric, flows, faults, new ReachTiming(20, 3, 3, 1000), exchange));
    }

    /** Replaces a word of the first place that has one of its kind. */
    private static final class Replacing implements UnaryOperator<MemorySegment> {
        private final long kind;
        private final long word;
        private boolean done;

        Replacing(final long kind, final long word) {
            this.kind = kind;
            this.word = word;
        }

        @Override
        public MemorySegment apply(final MemorySegment bytes) {
            final long places = bytes.get(LONG, (long) RowBatch.PLACES * Long.BYTES);
            long at = RowBatch.HEADER_BYTES;
            for (long place = 0; place < places && !done; place++) {
                final long head = bytes.get(LONG, at);
                at += Long.BYTES;
                at = skip(bytes, at, head, RowBatch.HAS_ROUTE, 2);
                at = skip(bytes, at, head, RowBatch.HAS_FEEDBACK, 1);
                at = skip(bytes, at, head, RowBatch.HAS_MESSAGE, 7);
                at = skip(bytes, at, head, RowBatch.HAS_BESIDE, 2);
            }
            return bytes;
        }

        private long skip(final MemorySegment bytes, final long at, final long head, final long of, final int words) {
            if ((head & of) == 0) {
                return at;
            }
            if (of == kind && !done) {
                bytes.set(LONG, at, word);
                done = true;
            }
            return at + (long) words * Long.BYTES;
        }
    }

    static Stream<Arguments> words() {
        final long route = RowBatch.HAS_ROUTE;
        final long feedback = RowBatch.HAS_FEEDBACK;
        final long none = 0xffff_ffffL;
        return Stream.of(
            // No cell by its sign, one by its lower half.
            arguments("shale", route, -1L << 32 | 0x7f_ffffL), arguments("shoal", route, -1L << 32 | 0xffffL),
            arguments("faults", route, -5L), arguments("shale", route, 16L << 3), arguments("shale", route, 7L),
            arguments("shale", route, 1L << 30), arguments("shoal", route, 16L), arguments("shoal", route, 16L << 16),
            arguments("classes", route, 3L << 26), arguments("classes", route, 1L << 31 | 1),
            arguments("interleaved", route, 16L << 3), arguments("interleaved", feedback, none << 32 | 16L << 3),
            arguments("shale", feedback, none << 32 | 16L << 3), arguments("shale", feedback, 16L << 35),
            arguments("shoal", feedback, 1L << 12), arguments("shoal", feedback, -2L),
            // Notices about links: of a node or a kind that there is not, and one that this fabric does not send.
            arguments("faults", feedback, none << 32 | 2L << 23 | 16L << 3),
            arguments("faults", feedback, none << 32 | 3L << 23 | 7),
            arguments("faults", feedback, none << 32 | 5L << 23),
            arguments("faults", feedback, none << 32 | 1L << 23), arguments("faults", feedback, -2L),
            arguments("misses", feedback, none << 32 | 1L << 23 | 16L << 3),
            arguments("misses", feedback, 1L << 62 | none),
            // A destination, a kind and bits of a message that there are not.
            arguments("ndp", RowBatch.HAS_BESIDE, 16L << 3), arguments("ndp", RowBatch.HAS_BESIDE, 3L << 23),
            arguments("ndp", RowBatch.HAS_BESIDE, 1L << 40),
            // A cut cell and the request for one where none are cut.
            arguments("rd", RowBatch.HAS_BESIDE, 1L << 23), arguments("rd", RowBatch.HAS_BESIDE, 2L << 23));
    }

    @ParameterizedTest
    @MethodSource("words")
    void wordsThatNameWhatThereIsNotAreRefused(final String name, final long kind, final long word) {
        final FlowSet flows = Flows.random(3, 16, 60, 100, name.length() <= 3 ? LONG_FLOWS : 3);
        addClasses(flows, name.equals("classes") || name.equals("interleaved") ? 2 : 0);
        final FabricParts parts = switch (name) {
            case "shoal", "classes" -> Parts.of(Shoal.of(RoundRobin.plain(16, 1), ReleaseRule.values()[0], true, 5));
            case "interleaved" -> Parts.of(interleaved());
            case "misses" -> Parts.of(shale("hbh+spray", 5, new FailureRules(3, true)));
            default -> Parts.of(shale(name.length() <= 3 ? name : "hbh+spray", 5, FailureRules.PAPER));
        };
        final Faults faults = name.equals("faults") || name.equals("misses") ? SCRIPT : Faults.NONE;
        assertRefused("its message is damaged", 2 * SLOTS, exchange -> new MemberStep(parts, flows, faults,
            exchange.member() == 0 ? changed(exchange, new Replacing(kind, word)) : exchange));
    }

    /** A member cannot have come further than what it has had from the others allows. */
    @ParameterizedTest
    @ValueSource(strings = {"shale", "shale, P=0", "isd", "idle", "stardust"})
    void slotsThatAMemberCannotHaveComeToAreRefused(final String name) {
        final FlowSet flows = Flows.random(3, 16, 60, 100, 3);
        if (name.equals("idle")) {
            flows.add(60, 1, 9, 2440, 10, 2 * SLOTS);
        }
        final Shale shale = shale(name.equals("isd") ? name : "hbh+spray", name.contains("P=0") ? 0 : 5,
            FailureRules.PAPER);
        final Stardust packed = Fabrics.packed(2, LinkRules.USUAL, true);
        for (final long by : new long[] {64, 1L << 40, Long.MAX_VALUE - 3 * SLOTS}) {
            assertRefused("its message is damaged: slot=", 3 * SLOTS, exchange -> {
                final RowExchange way = exchange.member() == 0 ? changed(exchange, ahead(by)) : exchange;
                return name.equals("stardust") ? new StardustMember(packed, Fabrics.mixed(64, 200), Faults.NONE,
                    new ReachTiming(20, 3, 3, 1000), way) : new MemberStep(Parts.of(shale), flows, Faults.NONE, way);
            });
        }
    }

    /** Runs two members, of which the first refuses what the other sends. */
    private static void assertRefused(final String why, final long slots,
        final Function<RowExchange, MemberEngine> engines) {
        final List<String> said = MemberRuns.of(2, exchange -> {
            try (exchange; MemberEngine engine = engines.apply(exchange)) {
                engine.run(slots);
                return "nothing";
            } catch (final MemberLostException e) {
                exchange.abort(1, e.getMessage());
                return e.getMessage();
            }
        });
        assertTrue(said.getFirst().contains(why), said.toString());
    }

    /** Says of the 21st batch that its sender has come further, of all that follow too. */
    private static UnaryOperator<MemorySegment> ahead(final long by) {
        final int[] before = {20};
        return bytes -> {
            final long at = (long) RowBatch.UNTIL * Long.BYTES;
            if (before[0]-- <= 0) {
                bytes.set(LONG, at, bytes.get(LONG, at) + by);
            }
            return bytes;
        };
    }

    private static void search(final String name, final Function<RowExchange, MemberEngine> engines) {
        final long end = System.nanoTime() + (long) (SECONDS * 1e9);
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger ended = new AtomicInteger();
        final AtomicReference<RuntimeException> outside = new AtomicReference<>();
        int runs = 0;
        for (long seed = 1; runs < 20 || System.nanoTime() - end < 0; seed++, runs++) {
            final long of = seed;
            try {
                MemberRuns.of(2, exchange -> {
                    try (exchange; MemberEngine engine = engines.apply(
                        exchange.member() == 0 ? changed(exchange, new Changing(new Random(of))) : exchange)) {
                        engine.run(SLOTS);
                        return engine.outcome();
                    } catch (final MemberLostException e) {
                        refused.incrementAndGet();
                        throw e;
                    } catch (final RuntimeException e) {
                        ended.incrementAndGet();
                        if (e.getStackTrace()[0].getClassName().equals(Region.class.getName())) {
                            outside.set(e);
                        }
                        throw e;
                    }
                });
            } catch (final IllegalStateException named) {
                assertNull(outside.get(), () -> name + " seed=" + of);
            }
        }
        assertTrue(refused.get() > 0, name + ": nothing was refused in " + runs + " runs");
        System.out.println(name + ": " + runs + " runs, " + refused + " members refused a batch, " + ended
            + " ended later");
    }
}
