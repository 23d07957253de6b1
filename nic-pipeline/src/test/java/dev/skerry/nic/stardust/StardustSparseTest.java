package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.engine.Threading;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.QueueLengths;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Devices and links with nothing to do are left out of a slot, and nothing that is counted shows it: random traffic
 * with long pauses has the results of an engine that looked at every device and link in every slot. The expected
 * numbers were taken from that engine, but for runs with faults, in which adapters have learnt since what a change of
 * their links means ({@link StardustFaultsTest}), and for seeds 3, 6, 7, 10, 11 and 15: links pause one by one
 * since (7), and a queue of an adapter has one turn at a time, in which it sends for one credit.
 */
@Sampled
class StardustSparseTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    private static final int LAST_START = 2500;
    private static final int SLOTS = 4000;

    @ParameterizedTest
    @CsvSource({"0, f6ac7ef8d6ebccba", "1, f6f91038f84f252b", "2, 182bf75069c89600", "3, 4a0e4e7c5c711df3",
        "4, ed29d6bee3441634", "5, fbea64d5a5099496", "6, 4e579d0c53c1970d", "7, 7d21cedb3d0aed66",
        "8, 203d968a18bc872f", "9, 77e79b1bd550f448", "10, 48709a1c07a011ed", "11, 4622d34d5d360ac5",
        "12, f723f402b9d6b129", "13, f7151202f605b147", "14, 31102ed028cc108", "15, 4393b10aa4fca2ff",
        "16, 6500587b6cf939f5", "17, d836ef0e7f915d73"})
    void shouldCountAsIfEveryDeviceWereLookedAtInEverySlot(final int seed, final String expected) {
        for (int workers = 1; workers <= 3; workers++) {
            assertEquals(expected, lockStep(seed, workers), "seed=" + seed + " workers=" + workers);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2", "2, 3", "3, 2", "4, 1", "5, 3", "7, 2", "9, 2"})
    void shouldCountTheSameWithThreads(final int seed, final int threads) {
        final Stardust fabric = fabric(seed);
        try (StardustEngine one = new StardustEngine(fabric, flows(seed), faults(seed), HEALING, 1, false);
            StardustThreads other = new StardustThreads(fabric, flows(seed), faults(seed), HEALING, null,
                Threading.shared(threads, Idle.YIELD))) {
            one.run(SLOTS);
            other.run(SLOTS);
            assertEquals(Long.toHexString(print(one.outcome())), Long.toHexString(print(other.outcome())),
                "seed=" + seed + " threads=" + threads);
        }
    }

    private static String lockStep(final int seed, final int workers) {
        try (StardustEngine engine = new StardustEngine(fabric(seed), flows(seed), faults(seed), HEALING, workers,
            workers == 1)) {
            engine.run(SLOTS);
            long print = print(engine.outcome());
            final QueueLengths lengths = engine.lengths();
            for (int tier = 0; tier <= 2; tier++) {
                print = add(print, Arrays.hashCode(lengths.stage(tier, true)));
                print = add(print, Arrays.hashCode(lengths.stage(tier, false)));
            }
            return Long.toHexString(print);
        }
    }

    private static long print(final Outcome outcome) {
        long print = add(outcome.digest(), outcome.slots());
        print = add(print, counts(outcome));
        print = add(print, outcome.firstDrop() == null ? 0 : outcome.firstDrop().hashCode());
        print = add(print, outcome.cellsHeld());
        print = add(print, outcome.maxReorder());
        print = add(print, Arrays.hashCode(outcome.completed()));
        print = add(print, Arrays.hashCode(outcome.completedIn()));
        return add(print, Arrays.hashCode(outcome.timeline().cells()));
    }

    /**
     * What was counted at all, by name: a counter that is new, or stands elsewhere, changes nothing. Bytes of messages
     * are left out, as the messages are counted, and the slot of the last change of reachability, which is newer.
     */
    private static long counts(final Outcome outcome) {
        long print = 0;
        for (final NicCounter counter : NicCounter.values()) {
            print += outcome.count(counter) == 0 || counter == NicCounter.CONTROL_BYTES
                || counter == NicCounter.REACH_LAST_CHANGED ? 0
                : add(counter.name().hashCode(), outcome.count(counter));
        }
        return print;
    }

    private static long add(final long print, final long number) {
        return CounterRandom.mix(print * 31 + number);
    }

    /** Six kinds of fabric: credits with bounds, full queues, push, TCP, cells charged by bytes, paced hosts. */
    private static Stardust fabric(final int seed) {
        final int delay = 1 + seed % 5;
        final CellCut cut = new CellCut(1500, 256, true, seed % 2 == 0 ? Packing.CONTINUOUS : Packing.SIMPLE);
        final HostSide ideal = new HostSide(4, 1, 1, 230, 6000, 3000, HostModel.IDEAL);
        final Credits bounded = new Credits(2048, 235, 0, 0, 1, true);
        final Credits free = new Credits(2048, 235, 2048, 0, Double.POSITIVE_INFINITY, true);
        return switch (seed % 6) {
            case 0 -> of(delay, ideal, cut, bounded, LinkRules.USUAL.marking(1), true, seed);
            case 1 -> of(delay, ideal, cut, free, new LinkRules(2, 4, 8, 8, 12, true, Spraying.RENEWED), true, seed);
            case 2 -> of(delay, new HostSide(4, 4, 1, 256, 1 << 16, 1 << 15, true), new CellCut(256, 256, false,
                Packing.CONTINUOUS), Credits.paced(256), LinkRules.dropping(3, Spraying.HASHED), false, seed);
            case 3 -> of(delay, new HostSide(4, 4, 1, 230, 1 << 16, 1 << 15, new Reno(40, 4, 600, 40, 12, 3)), cut,
                bounded, LinkRules.USUAL, true, seed);
            case 4 -> of(delay, ideal, cut, free, LinkRules.USUAL.marking(1).charging(new LinkCharge(90, 16, 0)), true,
                seed);
            default -> of(delay, new HostSide(4, 4, 2, 230, 1 << 16, 1 << 15, true), cut, bounded, LinkRules.USUAL,
                true, seed);
        };
    }

    private static Stardust of(final int delay, final HostSide hosts, final CellCut cut, final Credits credits,
        final LinkRules rules, final boolean pull, final int seed) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), delay, hosts, cut, credits, rules, pull, seed);
    }

    /** Bursts of flows to few hosts, with pauses between them that are longer than anything waits. */
    private static FlowSet flows(final int seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSet flows = new FlowSet();
        int start = 0;
        while (start < LAST_START) {
            final int to = random.nextInt(64);
            for (int flow = random.nextInt(1, 9); flow > 0; flow--) {
                final int from = random.nextInt(64);
                final int bytes = random.nextInt(1, random.nextInt(4) == 0 ? 30_000 : 3000);
                flows.add(flows.size(), from == to ? from ^ 1 : from, to, bytes, bytes / 256 + 1, start);
            }
            start += random.nextInt(3) == 0 ? random.nextInt(600) : random.nextInt(12);
        }
        return flows;
    }

    private static Faults faults(final int seed) {
        if (seed % 4 < 2) {
            return Faults.NONE;
        }
        final SplittableRandom random = new SplittableRandom(seed * 31L);
        final List<Fault> faults = new ArrayList<>(List.of(new Fault.Corruption(random.nextInt(900), 1e-2),
            new Fault.Control(random.nextInt(900), 0.05, 0.05), new Fault.Rogue(random.nextInt(900), 3)));
        for (final boolean up : new boolean[] {false, true}) {
            final int first = up ? 1200 : 100;
            faults.add(new Fault.Node(first + random.nextInt(900), 5, up));
            faults.add(new Fault.Node(first + random.nextInt(900), 20, up));
            faults.add(new Fault.Link(first + random.nextInt(900), 17, 2, up));
            faults.add(new Fault.HostPort(first + random.nextInt(900), 9, up));
        }
        faults.sort(Comparator.comparingLong(Fault::slot));
        return new Faults(new FaultPlan(faults), seed);
    }
}
