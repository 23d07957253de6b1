package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.stream.Stream;

/** The contract of every schedule. */
class ScheduleContractTest {
    static Stream<Arguments> schedules() {
        return Stream.of(
            Arguments.argumentSet("round robin", RoundRobin.plain(9, 1)),
            Arguments.argumentSet("round robin, channels", RoundRobin.plain(9, 3)),
            Arguments.argumentSet("round robin, idle column", RoundRobin.plain(10, 2)),
            Arguments.argumentSet("re-arranged", RoundRobin.rearranged(10, 1, 0)),
            Arguments.argumentSet("re-arranged, channels", RoundRobin.rearranged(16, 2, 0)),
            Arguments.argumentSet("phased", new Phased(2, 4)),
            Arguments.argumentSet("phased, r=2", new Phased(5, 2)),
            Arguments.argumentSet("phased, one phase", new Phased(1, 7)),
            Arguments.argumentSet("phased, 8 lanes", new LanedSchedule(new Phased(2, 4), 8)),
            Arguments.argumentSet("phased, 3 lanes", new LanedSchedule(new Phased(3, 3), 3)));
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void shouldShowTheSameConnectionFromBothEnds(final Schedule schedule) {
        for (int channel = 0; channel < schedule.channels(); channel++) {
            for (int slot = 0; slot < schedule.epochSlots(); slot++) {
                int idle = 0;
                for (int node = 0; node < schedule.nodes(); node++) {
                    final int peer = schedule.peerAt(node, channel, slot);
                    final int sender = schedule.senderAt(node, channel, slot);
                    assertNotEquals(node, peer);
                    if (peer == Schedule.IDLE) {
                        idle++;
                    } else {
                        assertEquals(node, schedule.senderAt(peer, channel, slot));
                    }
                    if (sender == Schedule.IDLE) {
                        idle--;
                    } else {
                        assertEquals(node, schedule.peerAt(sender, channel, slot));
                    }
                }
                assertEquals(0, idle);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void shouldRepeatEveryEpoch(final Schedule schedule) {
        final long epochs = 4_000_000_007L;
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            assertEquals(slot, schedule.slotInEpoch(slot));
            assertEquals(slot, schedule.slotInEpoch(epochs * schedule.epochSlots() + slot));
        }
    }

    @ParameterizedTest
    @MethodSource("schedules")
    void shouldAgreeWithThePhases(final Schedule schedule) {
        if (schedule instanceof Phased phased) {
            for (int slot = 0; slot < phased.epochSlots(); slot++) {
                for (int node = 0; node < phased.nodes(); node++) {
                    assertEquals(phased.peerOf(node, (long) slot), schedule.peerAt(node, 0, slot));
                    assertEquals(phased.senderTo(node, (long) slot), schedule.senderAt(node, 0, slot));
                }
            }
        }
    }
}
