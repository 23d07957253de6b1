package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.engine.Outcomes;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Random scripts of faults: adapters, elements and links of every tier go down and come back, cells are damaged,
 * control is lost. Whatever happens, cells are conserved in every slot, links are counted alike, workers agree, and a
 * fabric that is whole again serves all.
 */
@Sampled
class StardustFaultScriptsTest {
    private static final ReachTiming HEALING = new ReachTiming(20, 3, 3, 300);
    /** All that broke is mended by then, and all links are used again soon after. */
    private static final int MENDED = 1500;
    private static final int WHOLE = MENDED + 40 * 20 + 400;
    private static final int PERCENT = 100;
    private static final int HOSTS = 64;

    static LongStream many() {
        return LongStream.rangeClosed(1, Integer.getInteger("skerry.test.scripts", 500));
    }

    @ParameterizedTest
    @ValueSource(longs = {501, 502, 503, 504, 505, 506, 507, 508})
    void shouldGetOverAnyScript(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final Stardust fabric = fabric(random, seed);
        final FlowSet flows = flows(random);
        final Faults faults = new Faults(new FaultPlan(faults(random, fabric.clos())), seed);
        final String of = "seed=" + seed + " faults=" + faults.plan().faults();
        try (StardustEngine one = new StardustEngine(fabric, flows, faults, HEALING, 1, true);
            StardustEngine many = new StardustEngine(fabric, flows, faults, HEALING, 3, false)) {
            one.advance(WHOLE);
            many.advance(WHOLE);
            Outcomes.same(one.outcome(), many.outcome(), of);
            many.checkConserved();
            for (int adapter = 0; adapter < fabric.clos().fas(); adapter++) {
                assertEquals(fabric.clos().ports(adapter), one.links(adapter), "adapter=" + adapter + " " + of);
            }
            // The last flow of each host starts when all is whole: it loses nothing and is complete.
            one.advance(6 * fabric.reassemblySlots() + 4000);
            one.checkConserved();
            final int late = flows.size() - HOSTS;
            assertEquals(HOSTS, Arrays.stream(one.outcome().completed()).filter(flow -> flow >= late).count(), of);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("many")
    void shouldGetOverManyScripts(final long seed) {
        shouldGetOverAnyScript(seed);
    }

    private static Stardust fabric(final SplittableRandom random, final long seed) {
        final LinkRules rules = random.nextBoolean() ? LinkRules.USUAL
            : new LinkRules(2, 4, 8, 16, 24, true, LinkRules.USUAL.spraying());
        return new Stardust(Fabrics.full(Fabrics.SMALL), random.nextInt(1, 5),
            new HostSide(4, 1, 1, 230, 1 << 14, 1 << 13, false), new CellCut(1500, 256, true, random.nextBoolean()
            ? Packing.CONTINUOUS : Packing.SIMPLE), new Credits(2048, 235, 0, 0, 1, random.nextBoolean())
            .with(voqs(random)), rules, true, seed);
    }

    /** Queues that ask slowly or at full pace, and wait long or only as long as repairs take. */
    private static VoqRules voqs(final SplittableRandom random) {
        VoqRules voqs = VoqRules.usual(2048);
        voqs = random.nextBoolean() ? voqs : voqs.slowUpTo(6 * 2048);
        return random.nextBoolean() ? voqs : voqs.givenUpAfter(random.nextInt(200, 3000));
    }

    /** Flows while things break, and one from each host when all is whole. */
    private static FlowSet flows(final SplittableRandom random) {
        final FlowSet flows = new FlowSet();
        int start = 0;
        while (start < MENDED) {
            final int from = random.nextInt(HOSTS);
            final int bytes = random.nextInt(1, 20_000);
            flows.add(flows.size(), from, (from + random.nextInt(1, HOSTS)) % HOSTS, bytes, bytes / 256 + 1, start);
            start += random.nextInt(12);
        }
        for (int host = 0; host < HOSTS; host++) {
            flows.add(flows.size(), host, (host + 21) % HOSTS, 3000, 12, WHOLE);
        }
        return flows;
    }

    private static List<Fault> faults(final SplittableRandom random, final FoldedClos clos) {
        final List<Fault> faults = new ArrayList<>();
        for (final int node : random.ints(random.nextInt(1, 4), 0, clos.devices()).distinct().toArray()) {
            faults.add(new Fault.Node(random.nextInt(1, MENDED - 1), node, false));
            faults.add(new Fault.Node(MENDED, node, true));
        }
        for (final int port : random.ints(random.nextInt(5), 0, clos.ports()).distinct().toArray()) {
            if (clos.peer(port) != FoldedClos.NONE) {
                final int from = clos.deviceOf(port);
                final int to = clos.deviceOf(clos.peer(port));
                faults.add(new Fault.Link(random.nextInt(1, MENDED - 300), from, to, false));
                faults.add(new Fault.Link(random.nextInt(MENDED - 300, MENDED), from, to, true));
            }
        }
        faults.add(new Fault.Corruption(random.nextInt(1, MENDED - 300), random.nextInt(4) * 0.1));
        faults.add(new Fault.Corruption(MENDED - random.nextInt(1, 300), 0));
        faults.add(new Fault.Control(random.nextInt(1, MENDED - 1), random.nextInt(20) / (double) PERCENT, 0.05));
        faults.add(new Fault.Control(MENDED, 0, 0));
        // One link that damages cells, so that its health alone takes it out and gives it back.
        final int port = clos.peer(clos.firstPort(random.nextInt(clos.fas())) + random.nextInt(4));
        final int bad = random.nextBoolean() ? port : clos.peer(port);
        faults.add(new Fault.LinkCorruption(random.nextInt(1, MENDED - 300), clos.deviceOf(bad),
            clos.deviceOf(clos.peer(bad)), random.nextDouble()));
        faults.add(new Fault.LinkCorruption(MENDED - random.nextInt(1, 300), clos.deviceOf(bad),
            clos.deviceOf(clos.peer(bad)), 0));
        faults.sort(Comparator.comparingLong(Fault::slot));
        return faults;
    }
}
