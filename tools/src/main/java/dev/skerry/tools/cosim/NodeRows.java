package dev.skerry.tools.cosim;

import dev.skerry.codec.ShoalControl;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.FailureNotices;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalCell;
import dev.skerry.tools.run.CircuitParts;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The cells of a node in the rows of {@link NodeTwin}. Received words index the tables of the node, which do not check
 * bounds. Each word is therefore checked here. One thread.
 */
final class NodeRows {
    /** Beyond the length of any queue. */
    private static final int MAX_REPORT = 1 << 28;
    /** Beyond what a probe of Shale says. */
    private static final long MAX_PROBE = (1L << 40) - 1;
    private static final int BUCKET_BITS = 23;
    private static final int MESSAGE_WORDS = ShoalControl.BYTES / Long.BYTES;

    private final CircuitFabric fabric;
    private final FlowSet flows;
    /** Whether nodes tell each other of failures. */
    private final boolean guards;
    private final int messageWords;

    NodeRows(final CircuitFabric fabric, final FlowSet flows, final boolean guards) {
        this.fabric = fabric;
        this.flows = flows;
        this.guards = guards;
        this.messageWords = guards && fabric instanceof Shoal ? MESSAGE_WORDS : 0;
    }

    /** Appends the names of the words of all channels. */
    void name(final String side, final List<String> names) {
        for (int channel = 0; channel < fabric.channels(); channel++) {
            names.add(side + channel + "_route");
            names.add(side + channel + "_cell");
            names.add(side + channel + "_feedback");
            for (int word = 0; word < messageWords; word++) {
                names.add(side + channel + "_message" + word);
            }
        }
    }

    /**
     * Reads what a node receives.
     *
     * @param slot in which it receives it.
     * @throws IllegalArgumentException if no node of the fabric sends that.
     */
    void read(final MemorySegment in, final long inAt, final int first, final long slot, final NodeCells into) {
        int at = first;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            final long route = Words.get(in, inAt, at++);
            final long cell = Words.get(in, inAt, at++);
            final long feedback = Words.get(in, inAt, at++);
            check(slot, route, cell, feedback);
            if (messageWords > 0 && route == InFlightCells.CONTROL) {
                final long[] message = new long[messageWords];
                for (int word = 0; word < messageWords; word++) {
                    message[word] = Words.get(in, inAt, at + word);
                }
                into.setMessage(channel, feedback, message);
            } else {
                into.set(channel, route, cell, feedback);
            }
            at += messageWords;
        }
    }

    /** Writes what a node sends; returns where the next word goes. */
    int write(final MemorySegment out, final long outAt, final NodeCells sent) {
        int at = 0;
        for (int channel = 0; channel < fabric.channels(); channel++) {
            Words.set(out, outAt, at++, sent.route(channel));
            Words.set(out, outAt, at++, sent.cell(channel));
            Words.set(out, outAt, at++, sent.feedback(channel));
            final long[] message = messageWords == 0 ? null : sent.message(channel);
            for (int word = 0; word < messageWords; word++) {
                Words.set(out, outAt, at++, message == null ? 0 : message[word]);
            }
        }
        return at;
    }

    private void check(final long slot, final long route, final long cell, final long feedback) {
        if (route == InFlightCells.SILENCE) {
            if (feedback != InFlightCells.NO_FEEDBACK) {
                throw new IllegalArgumentException("nothing arrives, and carries feedback: feedback=0x"
                    + Long.toHexString(feedback));
            }
            return;
        }
        final boolean isDamaged = guards && route == InFlightCells.DAMAGED && fabric instanceof Shoal;
        if (guards && route == InFlightCells.CONTROL) {
            if (messageWords == 0 && (cell < 0 || cell > MAX_PROBE)) {
                throw new IllegalArgumentException("not a probe: cell=0x" + Long.toHexString(cell));
            }
        } else if (route != InFlightCells.NO_CELL && !isDamaged) {
            checkRoute(slot, route);
            checkCell(cell);
        }
        if (feedback != InFlightCells.NO_FEEDBACK && !isFeedback(slot, feedback, isDamaged)) {
            throw new IllegalArgumentException("not a feedback word of this fabric: feedback=0x"
                + Long.toHexString(feedback));
        }
    }

    /** The fabric of Shale whose slot it was when what arrives was sent. */
    private Shale owner(final long slot) {
        return fabric instanceof final Interleaved interleaved
            ? interleaved.fabrics().get(interleaved.shares().owner(Math.max(slot - fabric.propagationSlots(), 0)))
            : (Shale) fabric;
    }

    private void checkRoute(final long slot, final long route) {
        final boolean known = InFlightCells.isCell(route) && switch (fabric) {
            case Shale _, Interleaved _ -> isBucket(owner(slot), Route.bucket(route))
                && Route.forwarded(route) == route;
            case final Shoal shoal -> ShoalCell.destination(route) < shoal.nodes()
                && ClassedCell.source(route) < shoal.nodes() && ClassedCell.trafficClass(route) < flows.classes()
                && ClassedCell.of(ClassedCell.source(route), ShoalCell.destination(route),
                ClassedCell.trafficClass(route)) == (int) route;
            default -> throw CircuitParts.unknown(fabric);
        };
        if (!known) {
            throw new IllegalArgumentException("not a route word of this fabric: route=0x" + Long.toHexString(route));
        }
    }

    /** Whether a word is a bucket of Shale: a destination, and fewer remaining spraying hops than phases. */
    private static boolean isBucket(final Shale shale, final int bucket) {
        final int destination = Route.bucketDestination(bucket);
        return destination < shale.nodes() && shale.population().present(destination)
            && Route.sprays(bucket) < shale.schedule().phases();
    }

    private void checkCell(final long cell) {
        final int flow = Cell.flow(cell);
        if (flow < 0 || flow >= flows.size() || Cell.sequence(cell) < 0 || Cell.sequence(cell) >= flows.cells(flow)) {
            throw new IllegalArgumentException("not a cell of a flow: cell=0x" + Long.toHexString(cell) + " flows="
                + flows.size());
        }
    }

    private boolean isFeedback(final long slot, final long feedback, final boolean isDamaged) {
        if (fabric instanceof final Shoal shoal && (guards || flows.classes() > 1)) {
            return feedback >= 0 && feedback <= ReportWord.HEADER_BITS
                && (isDamaged || ReportWord.feedback(feedback) <= ReportWord.maxFeedback(shoal.nodes()));
        }
        return isFeedback(slot, (int) feedback) && isFeedback(slot, (int) (feedback >>> Integer.SIZE));
    }

    private boolean isFeedback(final long slot, final int half) {
        return half == (int) InFlightCells.NO_FEEDBACK || half >= 0 && switch (fabric) {
            case Shale _, Interleaved _ -> isBucket(owner(slot), half & (1 << BUCKET_BITS) - 1)
                && (FailureNotices.isToken(half) || guards && isNotice(owner(slot), half));
            case Shoal _ -> half <= MAX_REPORT;
            default -> throw CircuitParts.unknown(fabric);
        };
    }

    private static boolean isNotice(final Shale shale, final int half) {
        return FailureNotices.isMissing(half) ? shale.failures().missLimit() > 1 : FailureNotices.isNotice(half);
    }
}
