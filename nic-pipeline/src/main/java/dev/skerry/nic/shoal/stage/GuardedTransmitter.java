package dev.skerry.nic.shoal.stage;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.LinkFaultInjector;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.NeighbourTable;
import dev.skerry.nic.shoal.SentCells;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.nic.shoal.ShoalQueues;
import dev.skerry.nic.shoal.ShoalSlotPlan;
import dev.skerry.nic.shoal.Throttles;

/**
 * What every node of a bank sends in a slot where things fail and flows have classes (docs/spec/shoal.md §4.4 SEND, §5,
 * §6.1): as {@link ShoalTransmitter}, but a neighbour that is down is sent a probe or nothing, cells that came damaged
 * and messages go before others, and of the classes the highest goes first. One thread.
 */
final class GuardedTransmitter {
    private static final int NONE = -1;

    private final NodeRange range;
    private final int nodes;
    private final int channels;
    private final int classes;
    private final int probeEpochs;
    private final ShoalSlotPlan turns;
    private final GuardedBank.Parts parts;
    private final GuardedReports reports;
    private final NeighbourProtocol keeper;
    private final InFlightCells link;
    private final LinkFaultInjector medium;
    private final GuardedAdmission admission;
    private final long[][] report;
    private long forwarded;
    private long resent;
    private long probes;
    private long notices;
    private long unused;
    /** Of the row being sent. */
    private long slot;
    private int epoch;
    private int place;
    private int onLink;

    GuardedTransmitter(final NodeRange range, final Shoal shoal, final GuardedBank.Parts parts,
        final GuardedReports reports, final NeighbourProtocol keeper, final InFlightCells link,
            final LinkFaultInjector medium) {
        this.range = range;
        this.nodes = shoal.nodes();
        this.channels = shoal.channels();
        this.classes = parts.queues().length;
        this.probeEpochs = shoal.resilience().probeEpochs();
        this.turns = parts.turns();
        this.parts = parts;
        this.reports = reports;
        this.keeper = keeper;
        this.link = link;
        this.medium = medium;
        this.admission = new GuardedAdmission(range, shoal, parts);
        this.report = new long[channels][range.size()];
    }

    /** Sends one slot for every node of the bank, and lets happen to it what happens on the way. */
    void send(final long now) {
        final long epochs = now / turns.epochSlots();
        if (epochs >= Shoal.MAX_EPOCHS) {
            throw new IllegalStateException("a run of Shoal ends after " + Shoal.MAX_EPOCHS + " epochs: slot=" + now);
        }
        slot = now;
        epoch = (int) epochs;
        final int inEpoch = (int) (now - epochs * turns.epochSlots());
        keeper.turnTo(now, epoch, inEpoch == 0);
        parts.scheduler().activate(now);
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * turns.epochSlots() + inEpoch);
            for (int node = firstSender(); node < endSender(); node++) {
                report[channel][node] = reports.sample(node, onLink);
            }
        }
        for (int channel = 0; channel < channels; channel++) {
            turnTo(channel * turns.epochSlots() + inEpoch);
            admission.turnTo(now, epoch, onLink);
            sendRow(link.offset(now) + ((long) channel * nodes + range.first()) * InFlightCells.PLACE_BYTES,
                report[channel]);
        }
        medium.afflict(now);
    }

    private void turnTo(final int toPlace) {
        place = toPlace;
        onLink = turns.link(toPlace);
    }

    private int firstSender() {
        return onLink == ShoalSlotPlan.IDLE ? range.size()
            : Math.clamp((long) turns.firstSender(place) - range.first(), 0, range.size());
    }

    private int endSender() {
        return onLink == ShoalSlotPlan.IDLE ? range.size()
            : Math.clamp((long) turns.endSender(place) - range.first(), 0, range.size());
    }

    private void sendRow(final long linkAt, final long[] feedback) {
        final int first = firstSender();
        final int end = endSender();
        for (int node = 0; node < range.size(); node++) {
            final long at = linkAt + (long) node * InFlightCells.PLACE_BYTES;
            if (node >= first && node < end) {
                final int entry = sendTurn(node, at, feedback[node]);
                parts.sent().set(parts.sent().offset(epoch, onLink) + (long) node * Integer.BYTES, entry);
                parts.sent().setJustSent(node, entry < 0 ? SentCells.NONE : SentCells.flow(entry));
            } else {
                link.sendIdle(at, InFlightCells.NO_FEEDBACK);
            }
        }
    }

    /** One turn of a node; returns what a report on it is about. */
    private int sendTurn(final int node, final long at, final long feedback) {
        final long copy = parts.copies().at(epoch, onLink, node);
        parts.copies().put(copy, InFlightCells.NO_CELL, InFlightCells.NO_CELL);
        final long line = parts.pairs().line(onLink, node);
        final int state = parts.pairs().state(line);
        if (state == NeighbourTable.UP) {
            return sendUp(node, line, at, feedback, copy);
        }
        if (parts.presence().isDown(node)) {
            link.silence(at);
            return SentCells.NONE;
        }
        unused++;
        if (state == NeighbourTable.HEARD || (epoch + range.first() + node) % probeEpochs == 0) {
            link.sendControl(at, feedback);
            parts.control().probe(at, state == NeighbourTable.HEARD, parts.presence().incarnation(node));
            probes++;
        } else {
            link.silence(at);
        }
        return SentCells.NONE;
    }

    /** First local cells join the queues, then one cell goes (docs/spec/shoal.md §4.4 SEND 2 to 5). */
    private int sendUp(final int node, final long line, final long at, final long feedback, final long copy) {
        admission.admit(node);
        int entry = SentCells.NONE;
        int from = NONE;
        if (parts.pairs().takeResend(line)) {
            entry = resend(node, at, feedback, copy);
        } else if (parts.pairs().notices(line) > 0) {
            sendNotice(node, line, at, feedback, copy);
        } else {
            from = highest(node);
            if (from == NONE) {
                link.sendIdle(at, feedback);
            } else {
                entry = sendFirst(node, from, at, feedback, copy);
            }
        }
        admission.countHeld(node, from != NONE);
        return entry;
    }

    private int highest(final int node) {
        for (int number = 0; number < classes; number++) {
            if (parts.queues()[number].length(parts.queues()[number].queue(onLink, node)) > 0) {
                return number;
            }
        }
        return NONE;
    }

    private int sendFirst(final int node, final int number, final long at, final long feedback, final long copy) {
        final ShoalQueues queues = parts.queues()[number];
        final int queue = queues.queue(onLink, node);
        queues.pop(queue);
        final int id = range.first() + node;
        if (ClassedCell.source(queues.word()) != id) {
            forwarded++;
            put(at, queues.word(), queues.cell(), feedback, copy);
            return SentCells.NONE;
        }
        final int flow = queues.local(queue);
        queues.setLocal(queue, ShoalQueues.NONE);
        parts.throttles().set(node, flow, onLink, Throttles.AWAIT);
        put(at, ShoalCell.sent(queues.word(), slot), queues.cell(), feedback, copy);
        return SentCells.entry(flow, turns.services(place, id, ShoalCell.destination(queues.word())));
    }

    /** Sends a cell once more; its age goes on from when it was sent first. */
    private int resend(final int node, final long at, final long feedback, final long copy) {
        final long waiting = parts.pairs().word();
        final long word = ClassedCell.unwaiting(waiting);
        final int id = range.first() + node;
        resent++;
        put(at, word, parts.pairs().cell(), feedback, copy);
        if (ClassedCell.source(word) != id) {
            return SentCells.NONE;
        }
        final int destination = ShoalCell.destination(word);
        final int row = node * classes + ClassedCell.trafficClass(word);
        final int entry = SentCells.entry(parts.scheduler().numberOf(row, destination),
            turns.services(place, id, destination));
        if (ClassedCell.isAwaited(waiting)) {
            return entry;
        }
        return SentCells.joins(entry) ? SentCells.UNAWAITED : SentCells.NONE;
    }

    private void put(final long at, final long word, final long cell, final long feedback, final long copy) {
        link.send(at, word, cell, feedback);
        parts.copies().put(copy, word, cell);
    }

    private void sendNotice(final int node, final long line, final long at, final long feedback, final long copy) {
        final int left = parts.pairs().notices(line) - 1;
        parts.pairs().setNotices(line, left);
        link.sendControl(at, feedback);
        parts.reachability().write(node, left % parts.reachability().chunks(), parts.control().bytes(),
            parts.control().offset(at));
        parts.copies().put(copy, InFlightCells.CONTROL, InFlightCells.NO_CELL);
        notices++;
    }

    /** What it has counted. */
    long count(final NicCounter counter) {
        return switch (counter) {
            case CELLS_FORWARDED -> forwarded;
            case CELLS_RESENT -> resent;
            case PROBES_SENT -> probes;
            case NOTICES_SENT -> notices;
            case TURNS_UNUSED -> unused;
            default -> throw new AssertionError(counter);
        };
    }
}
