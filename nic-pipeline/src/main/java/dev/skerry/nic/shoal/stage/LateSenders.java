package dev.skerry.nic.shoal.stage;

import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Schedule;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;

/**
 * What nodes send whose clocks are whole slots late (docs/spec/shoal.md §7): it passes the switches in the window of a
 * later slot, and comes out at the node that circuits lead to then, which expects another cell of the same sender. A
 * transmission that comes out while the sender's link is dark is lost; so is what is under way when its clock changes.
 * One bank, one thread.
 */
final class LateSenders {
    private final NodeRange range;
    private final Schedule schedule;
    private final FaultState faults;
    private final InFlightCells link;
    private final ControlCells control;
    /** By node: its transmissions of the last slots, the oldest first, a place for each channel in turn. */
    private final Map<Integer, Deque<Sent>> underWay = new TreeMap<>();
    private long astray;
    private long lost;

    /** A transmission; {@code message} is that of a control cell, else null. */
    private record Sent(long route, long cell, long feedback, byte[] message) {
        static final Sent NOTHING = new Sent(InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK, null);

        int cells() {
            return InFlightCells.isCell(route) ? 1 : 0;
        }
    }

    LateSenders(final NodeRange range, final Schedule schedule, final FaultState faults, final InFlightCells link,
        final ControlCells control) {
        this.range = range;
        this.schedule = schedule;
        this.faults = faults;
        this.link = link;
        this.control = control;
    }

    /** What comes out in a slot takes the place of the cells sent in it; the state of faults was turned to it. */
    void shift(final long slot) {
        if (!underWay.isEmpty()) {
            forgetChanged();
        }
        for (int id = faults.nextLate(range.first()); id >= 0 && id < range.end(); id = faults.nextLate(id + 1)) {
            final int late = faults.lateSlots(id);
            final Deque<Sent> sent = underWay.computeIfAbsent(id, of -> nothing(late * schedule.channels()));
            final int now = schedule.slotInEpoch(slot);
            final int then = slot < late ? now : schedule.slotInEpoch(slot - late);
            for (int channel = 0; channel < schedule.channels(); channel++) {
                final long at = link.offset(slot)
                    + ((long) channel * schedule.nodes() + id) * InFlightCells.PLACE_BYTES;
                shift(at, sent, schedule.peerAt(id, channel, now), schedule.peerAt(id, channel, then));
            }
        }
    }

    /** What is under way when a clock changes is lost. */
    private void forgetChanged() {
        underWay.entrySet().removeIf(sender -> {
            final boolean changed = sender.getValue().size() != faults.lateSlots(sender.getKey()) * schedule.channels();
            lost += changed ? cells(sender.getValue()) : 0;
            return changed;
        });
    }

    /** Of a sender on a channel: circuits lead to one node, and led to another when it sent what comes out. */
    private void shift(final long at, final Deque<Sent> sent, final int peer, final int meant) {
        final Sent out = sent.removeFirst();
        if (peer == Schedule.IDLE) {
            sent.addLast(Sent.NOTHING);
            lost += out.cells();
            return;
        }
        sent.addLast(read(at));
        astray += peer == meant ? 0 : out.cells();
        if (out.route == InFlightCells.SILENCE) {
            link.silence(at);
            return;
        }
        link.send(at, out.route, out.cell, out.feedback);
        if (out.message != null) {
            MemorySegment.copy(out.message, 0, control.bytes(), ValueLayout.JAVA_BYTE, control.offset(at),
                out.message.length);
        }
    }

    private Sent read(final long at) {
        final long route = link.route(at);
        final byte[] message = route != InFlightCells.CONTROL ? null
            : control.bytes().asSlice(control.offset(at), ShoalControl.BYTES).toArray(ValueLayout.JAVA_BYTE);
        return new Sent(route, link.cell(at), link.feedback(at), message);
    }

    private static Deque<Sent> nothing(final int places) {
        final Deque<Sent> sent = new ArrayDeque<>(places);
        for (int i = 0; i < places; i++) {
            sent.add(Sent.NOTHING);
        }
        return sent;
    }

    private static long cells(final Deque<Sent> sent) {
        return sent.stream().mapToLong(Sent::cells).sum();
    }

    /** Whether some node of the fabric is late now. */
    boolean any() {
        return faults.nextLate(0) >= 0;
    }

    /** Whether a node of the fabric is late now. */
    boolean isLate(final int id) {
        return faults.lateSlots(id) > 0;
    }

    /** Cells of flows that have been sent and have not come out. */
    long underWay() {
        return underWay.values().stream().mapToLong(LateSenders::cells).sum();
    }

    /** Cells of flows that came to another node than they were sent to. */
    long astray() {
        return astray;
    }

    /** Cells of flows that came out nowhere. */
    long lost() {
        return lost;
    }
}
