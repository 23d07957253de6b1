package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.dataplane.memory.CountedArena;
import dev.skerry.nic.Parts;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.fault.Scripts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Controls;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.RoundRobin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** A fabric takes the memory that it says, before its first slot. */
final class AssemblyBytesTest {
    private static final int WINDOW = 8;

    /** Rates of ISD lie on the heap, and of token mechanisms what marks the active buckets of a small fabric. */
    @ParameterizedTest
    @CsvSource({"1, 16", "2, 4", "2, 8", "4, 3"})
    void shouldTakeWhatItSays(final int h, final int r) {
        final Phased schedule = new Phased(h, r);
        for (final Faults faults : List.of(Faults.NONE, Scripts.of(new Fault.Node(100, 3, false)))) {
            final long marks = onHeap(schedule, Mechanisms.HBH, faults);
            for (final MechanismSet control : Controls.ALL) {
                final String where = "h=" + h + " r=" + r + " " + control + " faults=" + faults;
                assertEquals((control.label().contains("hbh") ? marks : 0)
                    + (control.label().contains("isd") ? (long) schedule.nodes() * Double.BYTES : 0),
                    onHeap(schedule, control, faults), where);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 1", "16, 1", "16, 2", "70, 1"})
    void shouldTakeWhatItSaysWithOneFlowANode(final int nodes, final int channels) {
        final FabricParts parts = Parts.of(Shoal.of(RoundRobin.plain(nodes, channels), ReleaseRule.EXACT, true, 3));
        for (final Faults faults : List.of(Faults.NONE, Scripts.of(new Fault.Node(100, 3, false)))) {
            assertEquals(0, onHeap(parts, faults),
                "nodes=" + nodes + " channels=" + channels + " faults=" + faults);
        }
    }

    private static long onHeap(final Phased schedule, final MechanismSet control, final Faults faults) {
        return onHeap(Parts.of(new Shale(schedule, Population.complete(schedule), control, 1, 2, 5, 3)), faults);
    }

    /** What the fabric says, with a flow from every node, less what it takes off the heap. */
    private static long onHeap(final FabricParts parts, final Faults faults) {
        final int nodes = parts.fabric().nodes();
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < nodes; node++) {
            flows.add(node, node, (node + 1) % nodes, 2440, 10, node);
        }
        final Traffic traffic = new Traffic(flows, faults);
        try (Assembly assembly = new Assembly(new CountedArena(), parts, traffic, Assembly.shares(parts.fabric(), 1),
            WINDOW, (bank, link) -> parts.scheduled(link), false)) {
            return Assembly.bytes(parts, traffic, WINDOW) - assembly.arena.bytes();
        }
    }
}
