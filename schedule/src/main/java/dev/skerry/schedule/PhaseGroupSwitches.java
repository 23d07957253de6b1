package dev.skerry.schedule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Shale's wiring of small switches: one switch of r ports per phase group, which performs the r - 1 rotations; a
 * selector at each node chooses the port of the phase (docs/spec/shale.md §2.6).
 *
 * <pre>
 *   switch       phase * (N / r) + group     group: the node id without the digit of the phase
 *   its port d   the member with digit d in that phase
 *   node port p  used in phase p, connected to the node's switch of phase p
 *   table        in slot (p, k): output d selects input (d - k - 1) mod r; empty in the slots of other phases
 * </pre>
 *
 * The h N/r switches share h tables, one per phase. Any thread may call.
 */
public final class PhaseGroupSwitches {
    private PhaseGroupSwitches() {
    }

    /**
     * Builds the wiring of a schedule.
     *
     * @throws IllegalArgumentException if a switch would have too many ports.
     */
    public static Wiring wiring(final Phased schedule) {
        final int groups = schedule.nodes() / schedule.radix();
        final List<PortNumbers.Switch> switches = new ArrayList<>();
        for (int phase = 0; phase < schedule.phases(); phase++) {
            final SwitchTable table = rotations(schedule, phase);
            for (int group = 0; group < groups; group++) {
                switches.add(new PortNumbers.Switch("phase " + phase + " group " + group, 0, table));
            }
        }
        final PortNumbers ports = new PortNumbers(schedule, schedule.phases(), switches);
        final int[] feeder = Wiring.unconnected(ports);
        for (int phase = 0; phase < schedule.phases(); phase++) {
            for (int node = 0; node < schedule.nodes(); node++) {
                Wiring.connect(feeder, ports.ofNode(node, 0, phase), ports.ofSwitch(
                    switchOf(schedule, node, phase), schedule.coordinates().digit(node, phase)));
            }
        }
        final int[] nodePortAt = new int[schedule.epochSlots()];
        Arrays.setAll(nodePortAt, slot -> slot / schedule.linksPerPhase());
        return new Wiring(schedule, ports, nodePortAt, feeder);
    }

    /** The switch that serves a node's phase group. */
    public static int switchOf(final Phased schedule, final int node, final int phase) {
        final int weight = schedule.coordinates().weight(phase);
        final int above = node / (weight * schedule.radix());
        return phase * (schedule.nodes() / schedule.radix()) + above * weight + node % weight;
    }

    private static SwitchTable rotations(final Phased schedule, final int phase) {
        final int radix = schedule.radix();
        final SwitchTable.Builder table = new SwitchTable.Builder(radix, schedule.epochSlots());
        for (int link = 0; link < schedule.linksPerPhase(); link++) {
            for (int in = 0; in < radix; in++) {
                table.connect(phase * schedule.linksPerPhase() + link, in, (in + link + 1) % radix);
            }
        }
        return table.build();
    }
}
