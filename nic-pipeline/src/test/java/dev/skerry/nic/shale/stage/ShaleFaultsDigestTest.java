package dev.skerry.nic.shale.stage;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.Parts;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.engine.Sampled;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * Runs with faults, deliveries and every counter, as they were while each node was asked by itself what it sends, where
 * its cell sprays to and what a notice means. Blocks of nodes must give the same.
 */
@Sampled
final class ShaleFaultsDigestTest {
    private static final long SLOTS = 2_500;
    /** By counter, and then by seed from 1 on; counters that are not here are 0. */
    private static final Map<NicCounter, long[]> COUNTS = table("""
        CELLS_INJECTED            31885  31340  10490  15680  33272  15366  18460  18352 392848 416893
        CELLS_DELIVERED           25488  24999   9509  13327  26912  13051  15910  16166  23585  33406
        CELLS_FORWARDED           79276  77903  27328  62804 179842  65292  47068  49792 448259 497771
        FLOWS_STARTED              2048   1976    648   1000   2048    968   1152   1152  35200  34848
        FLOWS_COMPLETED            1266   1205    471    554   1284    574    759    822    217    301
        CELLS_DAMAGED               436    492    149    247    478    246    224    291    925    802
        HEADERS_DAMAGED              26     17     10     10     21     11     12     11     54     39
        CELLS_RESTARTED             482    578    129    712   2183    397    247    129    618    350
        CELLS_MOVED                 447    626     38    982   1374    271    410     74    521    181
        NEIGHBOURS_DOWN             920    941     53    512    468    472    487    335   1536    269
        NEIGHBOURS_UP               980    996     85    536    492    495    530    378      0      0
        PROBES_SENT                5285   5289    876   3030   3767   2799   2557   1791    131    260
        NOTICES_IGNORED             534    581     22    313   1894    209    127    211    169     66
        DESTINATIONS_UNREACHABLE      2      0      0      0      0      0      0      0      0      0
        DROPPED_ON_WAY               25     17     35     15     66     17     16     19      2     46
        DROPPED_DAMAGED             147    164     49    121    287    141     89    114    619    700
        DROPPED_NODE_DOWN            28     24     36     29     33    163     16     22      0     23
        DROPPED_LAST_HOP            649    888      0    376      0    852    312      0    450      0
        DROPPED_UNREACHABLE           0      0      0      0      0      0      0      3     19     85
        DROPPED_NO_LINK             132     53     67     39     76     48     66      7     22     54
        """);

    @ParameterizedTest
    @CsvSource({"hbh+spray, 2, 16, 0, 13, 1, 1, d067390ce38b930b", "hbh+spray, 2, 16, 9, 13, 1, 2, 0a2d198c0b8494ff",
        "hbh+spray, 2, 9, 0, 40, 2, 3, 4754b1eaf1952708", "hbh+spray, 3, 5, 0, 7, 1, 4, 3270a1d8ec723b22",
        "hbh+spray, 4, 4, 0, 20, 3, 5, a28fecce434a7d60", "spray-short, 3, 5, 4, 7, 1, 6, 510143bcc4d69687",
        "hbh, 2, 12, 0, 5, 1, 7, 32ccb6beec4a22ed", "none, 2, 12, 0, 5, 2, 8, 6f737d77517b9691",
        "hbh+spray, 2, 70, 500, 9, 1, 9, 77d134ef08b648b3", "hbh+spray, 2, 66, 0, 9, 2, 10, 4fae9d3e3ddfe675"})
    void shouldBeWhatItWasNodeByNode(final String control, final int h, final int r, final int absent,
        final int propagation, final int missLimit, final long seed, final String digest) {
        final Phased schedule = new Phased(h, r);
        final Population population = Population.of(schedule, schedule.nodes(), absent);
        final Shale shale = new Shale(schedule, population, Mechanisms.of(control), 1, 2, propagation, seed,
            new FailureRules(missLimit, missLimit > 1));
        final long slots = schedule.nodes() > 1_000 ? SLOTS / 10 : SLOTS;
        final Faults faults = ShaleFaultsTest.script(schedule, seed, slots / 2, 0.002);
        final FlowSet flows = Flows.random(seed, population.endpoints(), 8 * population.endpoints(), slots / 2, 60);
        try (LockStep fabric = new LockStep(Parts.of(shale), flows, faults, 2, false)) {
            fabric.advance(slots);
            final Outcome outcome = fabric.outcome();
            assertAll("seed=" + seed, Arrays.stream(NicCounter.values()).map(counter -> () -> assertEquals(
                COUNTS.containsKey(counter) ? COUNTS.get(counter)[(int) seed - 1] : 0, outcome.count(counter),
                counter.name())));
            assertEquals(digest, String.format("%016x", outcome.digest()), () -> "seed=" + seed);
        }
    }

    private static Map<NicCounter, long[]> table(final String text) {
        final Map<NicCounter, long[]> counts = new EnumMap<>(NicCounter.class);
        text.lines().map(line -> line.strip().split(" +")).forEach(row -> counts.put(NicCounter.valueOf(row[0]),
            Arrays.stream(row).skip(1).mapToLong(Long::parseLong).toArray()));
        return counts;
    }
}
