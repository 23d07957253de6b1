package dev.skerry.nic.stardust.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import org.agrona.collections.IntArrayList;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

/** A sender with a rate, step by step against the rules of DCQCN's paper (SIGCOMM 2015, §3.1, Figure 7). */
class DcqcnSenderTest {
    private static final int PACKET = 1000;
    private static final double LINE = 125;
    private static final int CNP = 200;
    private static final int PERIOD = 100;
    private static final int LOST = 20_000;
    private static final Congestion.Dcqcn LAW = new Congestion.Dcqcn(CNP, PERIOD, 1L << 40, 4, 5, 1, 10);

    private final IntArrayList sent = new IntArrayList();
    private final IntArrayList sentIn = new IntArrayList();
    private boolean free = true;
    private long slot;

    private Sender sender(final Congestion law, final long bytes) {
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 1, bytes, 1, 0);
        final Reno rules = new Reno(1000, 2, 100, 40, LOST, 0, law);
        final Sender sender = Sender.of(Sender.table(Arena.ofAuto(), 1, rules),
            Connections.of(flows, PACKET, rules), rules, LINE, new Sender.Line() {
                @Override
                public void segment(final long at, final int connection, final int number) {
                    sent.addInt(number);
                    sentIn.addInt((int) at);
                }

                @Override
                public boolean isFree(final long at, final int connection) {
                    return free;
                }
            });
        sender.start(0, 0);
        return sender;
    }

    /** Slots up to one, each of which acknowledges all that was sent. */
    private void advance(final Sender sender, final long to) {
        while (slot < to) {
            sender.turn(++slot);
            if (!sent.isEmpty()) {
                sender.onAck(slot, 0, TcpPacket.ack(0, sent.getInt(sent.size() - 1) + 1));
            }
        }
    }

    private void cut(final Sender sender) {
        sender.onAck(slot, 0, TcpPacket.marked(TcpPacket.ack(0, 0)));
    }

    /** A segment each time that the last one has gone out at the rate, that of the port at first. */
    @Test
    void shouldSendAtItsRate() {
        final Sender sender = sender(LAW, 1L << 30);
        advance(sender, 8000);
        assertEquals(1001, sent.size());
        assertEquals(LINE, sender.rate(0));
        assertEquals(0, sender.resent());
        cut(sender);
        assertEquals(LINE / 2, sender.rate(0), 1e-3);
        sent.clear();
        sentIn.clear();
        advance(sender, 8000 + PERIOD);
        assertEquals(PERIOD * LINE / 2 / PACKET, sent.size(), 1.1);
        assertEquals(16, sentIn.getInt(2) - sentIn.getInt(1));
    }

    /** Half of alpha goes at once; alpha grows by g of the way to 1, and falls by g of itself in a period without. */
    @Test
    void shouldCutByHalfOfAlpha() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 50);
        cut(sender);
        assertEquals(1, sender.markedShare(0), 1e-6);
        advance(sender, 50 + 3 * PERIOD);
        final double alpha = Math.pow(15 / 16.0, 3);
        assertEquals(alpha, sender.markedShare(0), 1e-6);
        final double before = sender.rate(0);
        cut(sender);
        assertEquals(before * (1 - alpha / 2), sender.rate(0), before / 500);
        assertEquals(alpha * 15 / 16 + 1 / 16.0, sender.markedShare(0), 1e-6);
    }

    /** Fast recovery: half of the way back in each of four periods; from the fifth on the target grows by R_AI. */
    @Test
    void shouldRecoverAndThenAdd() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 50);
        cut(sender);
        advance(sender, 50 + PERIOD / 2);
        cut(sender);
        final double target = LINE / 2;
        double rate = sender.rate(0);
        final long start = slot;
        double aim = target;
        for (int period = 1; period <= 12; period++) {
            advance(sender, start + (long) period * PERIOD - 1);
            assertEquals(rate, sender.rate(0), 1e-3, "period " + period);
            advance(sender, start + (long) period * PERIOD);
            aim += period >= 5 ? 1 : 0;
            rate = (rate + aim) / 2;
            assertEquals(rate, sender.rate(0), 1e-3, "period " + period);
        }
        assertTrue(rate > target + 5, "rate=" + rate);
    }

    /** Once more than F periods and F counts of bytes have passed, the target grows by multiples of R_HAI. */
    @Test
    void shouldIncreaseFasterAfterPeriodsAndBytes() {
        final int counter = 4000;
        final Sender sender = sender(new Congestion.Dcqcn(CNP, PERIOD, counter, 4, 2, 0.25, 8), 1L << 40);
        cut(sender);
        cut(sender);
        cut(sender);
        assertEquals(LINE / 8, sender.rate(0), 1e-2);
        advance(sender, 2 * PERIOD + 50);
        final double slow = sender.rate(0);
        assertTrue(slow < LINE / 4 + 2, "rate=" + slow);
        advance(sender, 8 * PERIOD);
        assertTrue(sender.rate(0) > LINE / 4 + 10, "rate=" + sender.rate(0));
        advance(sender, 60 * PERIOD);
        assertEquals(LINE, sender.rate(0), 0.5);
    }

    /** A NAK sends again what was sent from the missing segment on, once; a silence does so too. */
    @Test
    void shouldGoBackToTheFirstMissingSegment() {
        final Sender sender = sender(LAW, 100 * PACKET);
        while (sent.size() < 10) {
            sender.turn(++slot);
        }
        final long nak = TcpPacket.answer(TcpPacket.segment(0, 9), 4, false);
        assertTrue(TcpPacket.isNak(nak));
        assertFalse(TcpPacket.isNak(TcpPacket.answer(TcpPacket.segment(0, 4), 5, false)));
        sender.onAck(slot, 0, nak);
        while (sent.size() < 13) {
            sender.turn(++slot);
        }
        sender.onAck(slot, 0, nak);
        while (sent.size() < 16) {
            sender.turn(++slot);
        }
        assertEquals(4, sent.getInt(10));
        assertEquals(9, sent.getInt(15));
        assertEquals(6, sender.resent());
        assertEquals(0, sender.timeouts());
        final long silent = slot + LOST + 1;
        while (slot < silent) {
            sender.turn(++slot);
        }
        assertEquals(1, sender.timeouts());
        sender.onAck(slot, 0, TcpPacket.ack(0, 100));
        final int all = sent.size();
        while (slot < silent + 3L * LOST) {
            sender.turn(++slot);
        }
        assertEquals(1, sender.timeouts());
        assertEquals(all, sent.size());
    }

    /** A port that is not free holds a sender up, and it makes up for nothing afterwards. */
    @Test
    void shouldWaitForItsPortAndSaveNothingUp() {
        final Sender sender = sender(LAW, 1L << 40);
        advance(sender, 80);
        free = false;
        final int before = sent.size();
        advance(sender, 1000);
        assertEquals(before, sent.size());
        free = true;
        advance(sender, 1800);
        assertTrue(sent.size() - before <= 101 && sent.size() - before >= 99, "sent " + (sent.size() - before));
    }

    /** The receiver sends a notification for marks, once an interval at most, and none for what is not marked. */
    @Test
    void shouldNotifyOnceAnInterval() {
        final Reno rules = new Reno(64, 2, 100, 40, LOST, 0, LAW);
        final RenoReceiver receiver = new RenoReceiver(RenoReceiver.table(Arena.ofAuto(), 2, rules), rules);
        final long marked = TcpPacket.marked(TcpPacket.segment(1, 0));
        assertFalse(TcpPacket.isMarked(receiver.answer(5, TcpPacket.segment(1, 0), 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(5, marked, 1)));
        assertFalse(TcpPacket.isMarked(receiver.answer(6, marked, 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(6, TcpPacket.marked(TcpPacket.segment(0, 0)), 1)));
        assertFalse(TcpPacket.isMarked(receiver.answer(5 + CNP - 1, marked, 1)));
        assertTrue(TcpPacket.isMarked(receiver.answer(5 + CNP, marked, 1)));
        for (int number = 0; number < 200; number++) {
            assertEquals(number + 1, receiver.onSegment(1, number));
        }
        assertFalse(TcpPacket.isMarked(receiver.answer(5 + 2 * CNP - 1, marked, 1)));
    }

    /** RED between Kmin and Kmax: the share of marked packets, none below and all above. */
    @Test
    void shouldMarkAShareThatGrows() {
        final MarkLaw red = new MarkLaw(1000, 3000, 0.2);
        for (final int bytes : new int[]{1000, 1500, 2000, 3000, 3001}) {
            int marked = 0;
            for (int packet = 0; packet < 100_000; packet++) {
                marked += red.isMarked(bytes, 3, packet / 100, packet) ? 1 : 0;
            }
            final double share = bytes > 3000 ? 1 : 0.2 * (bytes - 1000) / 2000;
            assertEquals(share, marked / 100_000.0, 0.004, "bytes=" + bytes);
        }
        assertFalse(MarkLaw.above(5).isMarked(5, 1, 1, 1));
        assertTrue(MarkLaw.above(5).isMarked(6, 1, 1, 1));
        assertFalse(MarkLaw.NONE.marks());
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(2, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new MarkLaw(1, 2, 0));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(1, 1, 1, 8, 5, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(1, 1, 0, 8, 5, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new Congestion.Dcqcn(0, 1, 1, 8, 5, 1, 1));
    }
}
