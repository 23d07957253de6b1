package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;

import java.util.ArrayDeque;
import java.util.Arrays;

/** A node that counts slots, and has room, as a device does. One thread. */
final class DeviceNode {
    private static final int WORDS_OF_A_CELL = 5;
    /** Where in them is the link on which the cell owes a token. */
    private static final int LINK_BACK = 2;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final NodeModel model;
    private final Timing timing;
    /** What its hardware has room for. */
    private final FollowRules limits;
    /** Null unless there are limits. */
    private final Shale shale;
    /** Tokens that do not count yet; null where they count at once. */
    private final DelayedTokens delayed;
    private boolean isFirst = true;

    /**
     * How a device counts slots.
     *
     * @param receivesFirst whether what arrives in a slot can change what it sends in the same slot.
     * @param tokenDelay    slots until a token that came back counts, beyond the next slot; 0 or more.
     * @param start         the first slot of the device, as its fabric counts them.
     */
    record Timing(boolean receivesFirst, int tokenDelay, long start) {
        /** The model's own. */
        static final Timing USUAL = new Timing(false, 0, 0);
        private static final int MOST_DELAY = 1 << 20;

        Timing {
            if (tokenDelay < 0 || tokenDelay > MOST_DELAY || start < 0) {
                throw new IllegalArgumentException("tokenDelay must be 0 to " + MOST_DELAY
                    + ", start 0 or more: tokenDelay=" + tokenDelay + " start=" + start);
            }
        }
    }

    DeviceNode(final CircuitFabric fabric, final NodeModel model, final Timing timing, final FollowRules limits) {
        final boolean bind = limits.tokensASlot() != FollowRules.STRICT.tokensASlot()
            || Math.min(limits.owed().places(), limits.queue().places()) < Integer.MAX_VALUE;
        if (bind && !(fabric instanceof Shale)) {
            throw new IllegalArgumentException("only nodes of Shale have tokensASlot, owedFifo and queueCells");
        }
        this.model = model;
        this.timing = timing;
        this.limits = limits;
        this.shale = bind ? (Shale) fabric : null;
        this.delayed = timing.tokenDelay() == 0 ? null : new DelayedTokens(fabric, model, timing);
        if (timing.start() > 0) {
            model.beginAt(timing.start());
        }
    }

    /** The slot of the next step. */
    long slot() {
        return timing.receivesFirst() && !isFirst ? model.slot() + 1 : model.slot();
    }

    /** A slot in the order of the device. What it receives first, the model receives at the end of the slot before. */
    NodeCells step(final long slot, final NodeCells received) {
        if (slot != slot()) {
            throw new IllegalArgumentException("slots come one after another: slot=" + slot + " next=" + slot());
        }
        if (timing.receivesFirst()) {
            if (!isFirst) {
                receive(received);
            }
            isFirst = false;
            return send(slot);
        }
        final NodeCells sent = send(slot);
        receive(received);
        return sent;
    }

    private NodeCells send(final long slot) {
        if (limits.owed().full() == Full.STALL) {
            return sendUnlessFull(slot);
        }
        final NodeCells sent = model.send(slot);
        if (shale != null) {
            holdBack(slot, sent);
            limit("_owed_tokens", limits.owed().places(), 1);
        }
        return sent;
    }

    /** Cells of the slot's link that would owe a token on a full link stay out of its queue while it sends. */
    private NodeCells sendUnlessFull(final long slot) {
        final NodeRegisters registers = model.registers();
        final String name = "queue" + shale.slotInEpoch(slot) + "_cells";
        final long[] all = registers.get(name);
        final boolean[] waits = new boolean[all.length / WORDS_OF_A_CELL];
        final long[] free = new long[all.length];
        int end = 0;
        for (int i = 0; i < waits.length; i++) {
            waits[i] = registers.get("queue" + all[i * WORDS_OF_A_CELL + LINK_BACK] + "_owed_tokens").length
                >= limits.owed().places();
            if (!waits[i]) {
                System.arraycopy(all, i * WORDS_OF_A_CELL, free, end, WORDS_OF_A_CELL);
                end += WORDS_OF_A_CELL;
            }
        }
        if (end < all.length) {
            registers.set(name, Arrays.copyOf(free, end));
        }
        final NodeCells sent = model.send(slot);
        if (end < all.length) {
            registers.set(name, rejoined(all, waits, registers.get(name)));
        }
        holdBack(slot, sent);
        return sent;
    }

    /** Cells in their old order: the ones that had to wait, and the others that are left. */
    private static long[] rejoined(final long[] all, final boolean[] waits, final long[] left) {
        final long[] joined = new long[all.length];
        int end = 0;
        int next = 0;
        for (int i = 0; i < waits.length; i++) {
            final int at = i * WORDS_OF_A_CELL;
            final boolean isLeft = next < left.length && all[at] == left[next] && all[at + 1] == left[next + 1];
            if (waits[i] || isLeft) {
                System.arraycopy(all, at, joined, end, WORDS_OF_A_CELL);
                end += WORDS_OF_A_CELL;
                next += waits[i] ? 0 : WORDS_OF_A_CELL;
            }
        }
        return Arrays.copyOf(joined, end);
    }

    /** The second token goes back to the head of its FIFO. */
    private void holdBack(final long slot, final NodeCells sent) {
        final long feedback = sent.feedback(0);
        if (limits.tokensASlot() == 1 && feedback >>> Integer.SIZE != LOW_HALF) {
            final NodeRegisters registers = model.registers();
            final String name = "queue" + shale.slotInEpoch(slot) + "_owed_tokens";
            final long[] rest = registers.get(name);
            final long[] owed = new long[rest.length + 1];
            owed[0] = feedback >>> Integer.SIZE;
            System.arraycopy(rest, 0, owed, 1, rest.length);
            registers.set(name, owed);
            sent.set(0, sent.route(0), sent.cell(0), feedback | LOW_HALF << Integer.SIZE);
        }
    }

    /** What is beyond the room of a link is lost, the newest first. */
    private void limit(final String register, final int places, final int wordsOfOne) {
        for (int link = 0; link < shale.schedule().epochSlots() && places != Integer.MAX_VALUE; link++) {
            final String name = "queue" + link + register;
            final long[] words = model.registers().get(name);
            if (words.length > (long) places * wordsOfOne) {
                model.registers().set(name, Arrays.copyOf(words, places * wordsOfOne));
            }
        }
    }

    private void receive(final NodeCells received) {
        if (delayed != null) {
            delayed.take(received);
        }
        model.receive(received);
        if (delayed != null) {
            delayed.count();
        }
        if (shale != null) {
            limit("_cells", limits.queue().places(), WORDS_OF_A_CELL);
        }
    }

    /** Tokens that came back to a Shale node and count a number of slots later. One thread. */
    private static final class DelayedTokens {
        private final Shale shale;
        private final NodeModel model;
        private final int delay;
        private final ArrayDeque<Token> waiting = new ArrayDeque<>();

        /** A token of a bucket, of a link, and the slot after which it counts. */
        private record Token(long slot, int link, int bucket) {
        }

        DelayedTokens(final CircuitFabric fabric, final NodeModel model, final DeviceNode.Timing timing) {
            if (!(fabric instanceof final Shale of)) {
                throw new IllegalArgumentException("only nodes of Shale have tokens: tokenDelay="
                    + timing.tokenDelay());
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
                final String name = "queue" + token.link + "_outstanding_d" + Route.bucketDestination(token.bucket)
                    + "n" + Route.sprays(token.bucket);
                final long out = model.registers().get(name)[0];
                if (out == 0) {
                    throw new IllegalStateException("surplus token, which the node ignored: it had not spent what came "
                        + "back: slot=" + (model.slot() - 1) + " node=" + model.node());
                }
                model.registers().set(name, out - 1);
            }
        }
    }
}
