package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * C2 and C3 by sending: every node puts its id on its fibre, the switches repeat what their outputs select, stage after
 * stage, and every node must receive the id of the sender that the schedule names (docs/spec/shoal.md §2.4,
 * docs/spec/shale.md §2.6).
 */
class WiringCompositionTest {
    private static final int DARK = -1;

    static Stream<Arguments> fabrics() {
        return Stream.of(
            fabric("8 nodes, k=4", clos(RoundRobin.plain(8, 1), 4)),
            fabric("16 nodes, k=8", clos(RoundRobin.plain(16, 1), 8)),
            fabric("18 nodes, k=6", clos(RoundRobin.plain(18, 1), 6)),
            fabric("18 nodes, k=8, coloured", clos(RoundRobin.plain(18, 1), 8)),
            fabric("19 nodes, k=8, coloured, 3 channels", clos(RoundRobin.plain(19, 3), 8)),
            fabric("19 nodes, k=8, re-arranged", clos(RoundRobin.rearranged(19, 1, 0), 8)),
            fabric("18 nodes, k=8, re-arranged", clos(RoundRobin.rearranged(18, 1, 0), 8)),
            fabric("24 nodes, k=14, re-arranged, 2 channels", clos(RoundRobin.rearranged(24, 2, 0), 14)),
            fabric("64 nodes, k=16", clos(RoundRobin.plain(64, 1), 16)),
            fabric("64 nodes, k=16, re-arranged, 4 channels", clos(RoundRobin.rearranged(64, 4, 0), 16)),
            fabric("64 nodes, k=16, coloured",
                new Clos(RoundRobin.plain(64, 1), 16, Clos.SpineRule.COLOURED).wiring()),
            fabric("64 nodes, k=16, reciprocal",
                new Clos(RoundRobin.plain(64, 1), 16, Clos.SpineRule.RECIPROCAL).wiring()),
            fabric("512 nodes, k=64", clos(RoundRobin.plain(512, 1), 64)),
            fabric("512 nodes, k=32", clos(RoundRobin.plain(512, 1), 32)),
            fabric("512 nodes, k=64, re-arranged, 4 channels", clos(RoundRobin.rearranged(512, 4, 0), 64)),
            fabric("16 nodes, h=2", PhaseGroupSwitches.wiring(new Phased(2, 4))),
            fabric("16 nodes, h=4", PhaseGroupSwitches.wiring(new Phased(4, 2))),
            fabric("256 nodes, h=2", PhaseGroupSwitches.wiring(new Phased(2, 16))),
            fabric("27 nodes, h=3", PhaseGroupSwitches.wiring(new Phased(3, 3))),
            fabric("27 nodes, h=3, crossbar", Crossbar.wiring(new Phased(3, 3))),
            fabric("16 nodes, h=2, 8 lanes", Crossbar.lanes(new LanedSchedule(new Phased(2, 4), 8))),
            fabric("27 nodes, h=3, 3 lanes", Crossbar.lanes(new LanedSchedule(new Phased(3, 3), 3))),
            fabric("27 nodes, h=3, 1 lane", Crossbar.lanes(new LanedSchedule(new Phased(3, 3), 1))),
            fabric("64 nodes, 3 channels, crossbar", Crossbar.wiring(RoundRobin.plain(64, 3))),
            fabric("16 nodes, h=2, k=8, coloured",
                new Clos(new Phased(2, 4), 8, Clos.SpineRule.COLOURED).wiring()));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldHandEveryNodeTheCellOfItsSender(final Wiring wiring) {
        final Schedule schedule = wiring.schedule();
        final PortNumbers ports = wiring.ports();
        final int[] onFibre = new int[ports.total()];
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            Arrays.fill(onFibre, DARK);
            final int nodePort = wiring.nodePortAt(slot);
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    if (schedule.peerAt(node, channel, slot) != Schedule.IDLE) {
                        // a cell of the channel: it must not come out on another
                        onFibre[ports.ofNode(node, channel, nodePort)] = node * schedule.channels() + channel;
                    }
                }
            }
            for (int stage = 0; stage < wiring.stages(); stage++) {
                permute(wiring, slot, stage, onFibre);
            }
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int sender = schedule.senderAt(node, channel, slot);
                    assertEquals(sender == Schedule.IDLE ? DARK : sender * schedule.channels() + channel,
                        onFibre[wiring.feeder(ports.ofNode(node, channel, nodePort))]);
                }
            }
        }
    }

    private static void permute(final Wiring wiring, final int slot, final int stage, final int[] onFibre) {
        final PortNumbers ports = wiring.ports();
        for (int index = 0; index < wiring.switches(); index++) {
            final SwitchTable table = wiring.table(index);
            for (int out = 0; out < table.ports(); out++) {
                final int in = table.selected(slot, out);
                if (wiring.stageOf(ports.ofSwitch(index, out)) == stage && in != SwitchTable.DARK) {
                    onFibre[ports.ofSwitch(index, out)] = onFibre[wiring.feeder(ports.ofSwitch(index, in))];
                }
            }
        }
    }

    private static Wiring clos(final RoundRobin schedule, final int ports) {
        return Clos.of(schedule, ports).wiring();
    }

    private static Arguments fabric(final String name, final Wiring wiring) {
        return Arguments.argumentSet(name, wiring);
    }
}
