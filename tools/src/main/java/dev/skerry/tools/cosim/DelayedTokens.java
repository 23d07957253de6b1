package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;

import java.util.ArrayDeque;

/** Tokens that came back to a Shale node and count a number of slots later. One thread. */
final class DelayedTokens {
    private final Shale shale;
    private final NodeModel model;
    private final int delay;
    private final ArrayDeque<Token> waiting = new ArrayDeque<>();

    /** A token of a bucket, of a link, and the slot after which it counts. */
    private record Token(long slot, int link, int bucket) {
    }

    DelayedTokens(final CircuitFabric fabric, final NodeModel model, final DeviceNode.Timing timing) {
        if (!(fabric instanceof final Shale of)) {
            throw new IllegalArgumentException("only nodes of Shale have tokens: tokenDelay=" + timing.tokenDelay());
        }
        this.shale = of;
        this.model = model;
        this.delay = timing.tokenDelay();
    }

    /** Takes the tokens from the cell that arrives. */
    void take(final NodeCells received) {
        final long sent = model.slot() - shale.propagationSlots();
        final long feedback = received.feedback(0);
        if (sent >= 0 && feedback != InFlightCells.NO_FEEDBACK) {
            final Phased schedule = shale.schedule();
            final int position = schedule.slotInEpoch(sent);
            final int links = schedule.linksPerPhase();
            final int back = position / links * links + schedule.reverseLink(position % links);
            add(back, (int) feedback);
            add(back, (int) (feedback >>> Integer.SIZE));
            received.set(0, received.route(0), received.cell(0), InFlightCells.NO_FEEDBACK);
        }
    }

    private void add(final int link, final int bucket) {
        if (bucket != Admission.NO_NOTICE) {
            waiting.add(new Token(model.slot() + delay, link, bucket));
        }
    }

    /** After a slot: the tokens whose time has come are back. */
    void count() {
        while (!waiting.isEmpty() && waiting.getFirst().slot < model.slot()) {
            final Token token = waiting.removeFirst();
            final String name = "queue" + token.link + "_outstanding_d" + Route.bucketDestination(token.bucket) + "n"
                + Route.sprays(token.bucket);
            final long out = model.registers().get(name)[0];
            if (out == 0) {
                throw new IllegalStateException("surplus token, which the node ignored: it had not spent what came "
                    + "back: slot=" + (model.slot() - 1) + " node=" + model.node());
            }
            model.registers().set(name, out - 1);
        }
    }
}
