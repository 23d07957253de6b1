package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;

/**
 * The worst flow completion time of one cell that waits for no other, over all paths: h spraying hops, then direct
 * hops, each in the first slot of its link after the cell's arrival (table of docs/spec/shale.md §3).
 *
 * <p>It is found by dynamic programming over (sprays left, slot of the last hop, node reached), from the delivery back.
 */
class LatencyTest {
    /**
     * Up to this size every destination is tried; beyond it only node 0, because the schedule is the same from every
     * node.
     */
    private static final int ALL_DESTINATIONS = 256;
    /**
     * With radix 2 the sprays end at the complement of the source, so all h direct hops follow only if a cell goes back
     * to its source, which the table allows; to any other node one is skipped: 3 * 9 + 10 + 9 + 9 + 7 slots.
     */
    private static final int WORST_OF_TWO = 62;

    @ParameterizedTest
    @CsvSource({"1, 9, 0, 9", "1, 9, 8, 25", "2, 3, 0, 8", "2, 3, 4, 24", "2, 3, 6, 37", "2, 4, 0, 12", "2, 4, 6, 36",
        "3, 5, 7, 91", "2, 16, 13, 143", "4, 4, 30, 306", "4, 2, 6, 70", "2, 100, 0, 396", "2, 100, 89, 951",
        "4, 10, 0, 72", "4, 10, 89, 917"})
    void shouldBeAsInTheTable(final int phases, final int radix, final int propagationSlots, final int worstSlots) {
        final Phased schedule = new Phased(phases, radix);
        final int destinations = schedule.nodes() <= ALL_DESTINATIONS ? schedule.nodes() : 1;
        for (int destination = 0; destination < destinations; destination++) {
            final String what = "destination=" + destination;
            final int toOthers = radix == 2 ? WORST_OF_TWO : worstSlots;
            assertEquals(worstSlots, worst(schedule, propagationSlots, destination, true), what);
            assertEquals(toOthers, worst(schedule, propagationSlots, destination, false), what);
        }
    }

    private static int worst(
        final Phased schedule, final int propagationSlots, final int destination, final boolean toItself) {
        final int nodes = schedule.nodes();
        final int[][] gapTo = gaps(schedule, propagationSlots);
        int[] left = direct(schedule, gapTo, destination);
        for (int sprays = 1; sprays < schedule.phases(); sprays++) {
            left = spray(schedule, gapTo, destination, left);
        }
        int worst = 0;
        for (int sent = 0; sent < schedule.epochSlots(); sent++) {
            for (int source = 0; source < nodes; source++) {
                if (toItself || source != destination) {
                    worst = Math.max(worst, left[sent * nodes + schedule.peerOf(source, (long) sent)]);
                }
            }
        }
        return worst + propagationSlots + 1;
    }

    /** {@code [to][from]}: slots from a send on link {@code from} to the next on {@code to} that can follow it. */
    private static int[][] gaps(final Phased schedule, final int propagationSlots) {
        final int slots = schedule.epochSlots();
        final int[][] gapTo = new int[slots][slots];
        for (int from = 0; from < slots; from++) {
            final int first = from + propagationSlots + 1;
            for (int slot = first; slot < first + slots; slot++) {
                gapTo[schedule.slotInEpoch(slot)][from] = slot - from;
            }
        }
        return gapTo;
    }

    /** {@code [slot sent * nodes + node reached]}: slots until the last hop is sent, with direct hops only. */
    private static int[] direct(final Phased schedule, final int[][] gapTo, final int destination) {
        final int nodes = schedule.nodes();
        final int[] left = new int[schedule.epochSlots() * nodes];
        for (int sent = 0; sent < schedule.epochSlots(); sent++) {
            for (int node = 0; node < nodes; node++) {
                int slots = 0;
                int last = sent;
                for (int at = node; at != destination;) {
                    final int phase = schedule.coordinates()
                        .nextDifference(at, destination, last / schedule.linksPerPhase());
                    final int link = schedule.linkTowards(at, destination, phase);
                    final int next = phase * schedule.linksPerPhase() + link;
                    slots += gapTo[next][last];
                    at = schedule.peerOf(at, phase, link);
                    last = next;
                }
                left[sent * nodes + node] = slots;
            }
        }
        return left;
    }

    /** The same with one spraying hop before {@code after}, over the worst link. */
    private static int[] spray(
        final Phased schedule, final int[][] gapTo, final int destination, final int[] after) {
        final int nodes = schedule.nodes();
        final int links = schedule.linksPerPhase();
        final int[] left = new int[after.length];
        final int[] worst = new int[links];
        for (int phase = 0; phase < schedule.phases(); phase++) {
            final int nextPhase = (phase + 1) % schedule.phases();
            for (int node = 0; node < nodes; node++) {
                if (node == destination) {
                    continue;
                }
                Arrays.fill(worst, 0);
                for (int link = 0; link < links; link++) {
                    final int next = nextPhase * links + link;
                    final int rest = after[next * nodes + schedule.peerOf(node, nextPhase, link)];
                    for (int sent = 0; sent < links; sent++) {
                        worst[sent] = Math.max(worst[sent], gapTo[next][phase * links + sent] + rest);
                    }
                }
                for (int sent = 0; sent < links; sent++) {
                    left[(phase * links + sent) * nodes + node] = worst[sent];
                }
            }
        }
        return left;
    }
}
