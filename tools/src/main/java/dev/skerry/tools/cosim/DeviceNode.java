package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.NodeProbes.NodeRegisters;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Phased;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.LongStream;

/** A node with the latencies and limits of a device. Not thread-safe. */
final class DeviceNode {
    private static final int WORDS_OF_A_CELL = 5;
    /** Index, among these words, of the link on which the cell owes a token. */
    private static final int LINK_BACK = 2;
    private static final long LOW_HALF = 0xFFFF_FFFFL;

    private final NodeModel model;
    /** Latencies and limits of the device. */
    private final FollowRules rules;
    private final boolean receivesFirst;
    /** Null if no latency or limit affects what the node sends or holds. */
    private final Shale shale;
    /** Returned tokens that do not count yet; null if tokens count immediately. */
    private final DelayedTokens delayed;
    /** Cells that have arrived and that the model has not received yet. */
    private final ArrayDeque<NodeCells> stored = new ArrayDeque<>();
    /** Owed tokens that must not be sent yet, oldest first. */
    private final ArrayDeque<Young> young = new ArrayDeque<>();
    private boolean isFirst = true;

    /** A token owed on a link, and the first slot in which it may be sent. */
    private record Young(int link, long due) {
    }

    /** @param start first slot of the device, in the numbering of its fabric. */
    DeviceNode(final CircuitFabric fabric, final NodeModel model, final long start, final FollowRules rules) {
        final Set<Setting> binding = EnumSet.of(Setting.TOKENS_A_SLOT, Setting.OWED_FIFO, Setting.QUEUE_CELLS,
            Setting.SCAN_DEPTH, Setting.OWED_LATENCY, Setting.TOKEN_DELAY, Setting.CELL_DELAY);
        binding.retainAll(rules.settings().keySet());
        if (!binding.isEmpty() && !(fabric instanceof Shale) || start < 0) {
            throw new IllegalArgumentException("start must be 0 or more, and only nodes of Shale have "
                + "tokensASlot, owedFifo, queueCells, scanDepth, owedLatency, tokenDelay and cellDelay: start=" + start
                + " settings=" + rules.settings());
        }
        this.model = model;
        this.rules = rules;
        this.receivesFirst = rules.is(Setting.RECEIVE_FIRST);
        this.shale = binding.isEmpty() ? null : (Shale) fabric;
        this.delayed = rules.is(Setting.TOKEN_DELAY) || rules.is(Setting.CELL_DELAY)
            ? new DelayedTokens(shale, model, rules) : null;
        if (start > 0) {
            model.beginAt(start);
        }
    }

    /** Returns the slot of the next step. */
    long slot() {
        return receivesFirst && !isFirst ? model.slot() + 1 : model.slot();
    }

    /** Returns the state of the model and a byte that tells whether the first step is still to come. */
    byte[] save() {
        if (delayed != null || rules.is(Setting.OWED_LATENCY)) {
            throw new IllegalArgumentException("a node with tokenDelay, cellDelay or owedLatency has no saved state");
        }
        final byte[] state = model.save();
        final byte[] all = Arrays.copyOf(state, state.length + 1);
        all[state.length] = (byte) (isFirst ? 1 : 0);
        return all;
    }

    /** Restores what {@link #save} returned. */
    void restore(final byte[] state) {
        model.restore(Arrays.copyOf(state, state.length - 1));
        isFirst = state[state.length - 1] == 1;
    }

    /**
     * Executes a slot in the order of the device. If the device receives first, the model receives the words at the end
     * of the previous slot.
     */
    NodeCells step(final long slot, final NodeCells received) {
        if (slot != slot()) {
            throw new IllegalArgumentException("slots must be consecutive: slot=" + slot + " next=" + slot());
        }
        if (receivesFirst) {
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
        if (shale == null) {
            return model.send(slot);
        }
        final NodeRegisters registers = model.registers();
        final int link = shale.slotInEpoch(slot);
        final long[] cells = registers.get("queue" + link + "_cells");
        final long[] notYet = withhold(slot, link);
        final NodeCells sent = sendFrom(slot, cells, notYet.length);
        if (rules.is(Setting.OWED_LATENCY)) {
            age(slot, link, sent, cells, notYet);
        }
        holdBack(slot, sent);
        if (rules.full() != Full.STALL && limit("_owed_tokens", rules.get(Setting.OWED_FIFO), 1)) {
            young.pollLast();
        }
        return sent;
    }

    private static String owed(final int link) {
        return "queue" + link + "_owed_tokens";
    }

    /** Removes the owed tokens that must not be sent yet from their FIFO, and returns them. */
    private long[] withhold(final long slot, final int link) {
        while (!young.isEmpty() && young.getFirst().due <= slot) {
            young.removeFirst();
        }
        final int count = (int) young.stream().filter(each -> each.link == link).count();
        final long[] owed = model.registers().get(owed(link));
        if (count > 0) {
            model.registers().set(owed(link), Arrays.copyOf(owed, owed.length - count));
        }
        return Arrays.copyOfRange(owed, owed.length - count, owed.length);
    }

    /** Puts the withheld tokens back into the FIFO, and adds the token that the departed cell owes to them. */
    private void age(final long slot, final int link, final NodeCells sent, final long[] cells, final long[] notYet) {
        final long[] rest = model.registers().get(owed(link));
        long[] owed = LongStream.concat(LongStream.concat(LongStream.of((int) sent.feedback(0),
            (int) (sent.feedback(0) >>> Integer.SIZE)).filter(token -> token >= 0), LongStream.of(rest)),
            LongStream.of(notYet)).toArray();
        int riders = owed.length - rest.length - notYet.length;
        for (int at = 0; at < cells.length && InFlightCells.isCell(sent.route(0)); at += WORDS_OF_A_CELL) {
            if (cells[at] == sent.cell(0)) {
                final int back = (int) cells[at + LINK_BACK];
                young.add(new Young(back, slot + rules.get(Setting.OWED_LATENCY)));
                if (back == link) {
                    // The model has queued the token ahead of the withheld ones, or has sent it immediately.
                    riders -= rest.length == 0 ? 1 : 0;
                    final int of = owed.length - notYet.length - 1;
                    final long token = owed[of];
                    System.arraycopy(notYet, 0, owed, of, notYet.length);
                    owed[owed.length - 1] = token;
                }
                break;
            }
        }
        sent.set(0, sent.route(0), sent.cell(0), riders < 1 ? InFlightCells.NO_FEEDBACK
            : owed[0] | (riders < 2 ? LOW_HALF : owed[1]) << Integer.SIZE);
        owed = Arrays.copyOfRange(owed, riders, owed.length);
        model.registers().set(owed(link), owed);
    }

    /** Sends while the queue lacks the cells that the device does not consider, and cells whose token has no room. */
    private NodeCells sendFrom(final long slot, final long[] all, final int withheld) {
        final NodeRegisters registers = model.registers();
        final String name = "queue" + shale.slotInEpoch(slot) + "_cells";
        final boolean[] waits = new boolean[all.length / WORDS_OF_A_CELL];
        final long[] free = new long[all.length];
        int end = 0;
        for (int i = 0; i < waits.length; i++) {
            final int back = (int) all[i * WORDS_OF_A_CELL + LINK_BACK];
            waits[i] = i >= rules.get(Setting.SCAN_DEPTH) || rules.full() == Full.STALL
                && registers.get(owed(back)).length + (back == shale.slotInEpoch(slot) ? withheld : 0)
                >= rules.get(Setting.OWED_FIFO);
            if (!waits[i]) {
                System.arraycopy(all, i * WORDS_OF_A_CELL, free, end, WORDS_OF_A_CELL);
                end += WORDS_OF_A_CELL;
            }
        }
        if (end == all.length) {
            return model.send(slot);
        }
        registers.set(name, Arrays.copyOf(free, end));
        final NodeCells sent = model.send(slot);
        registers.set(name, rejoined(all, waits, registers.get(name)));
        return sent;
    }

    /** Returns cells in their old order: the ones that had to wait, and the others that have not left. */
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

    /** Returns the second token to the head of its FIFO if the device sends one token per slot. */
    private void holdBack(final long slot, final NodeCells sent) {
        final long feedback = sent.feedback(0);
        if (rules.get(Setting.TOKENS_A_SLOT) == 1 && feedback >>> Integer.SIZE != LOW_HALF) {
            final String name = owed(shale.slotInEpoch(slot));
            model.registers().set(name, LongStream.concat(LongStream.of(feedback >>> Integer.SIZE),
                LongStream.of(model.registers().get(name))).toArray());
            sent.set(0, sent.route(0), sent.cell(0), feedback | LOW_HALF << Integer.SIZE);
        }
    }

    /** Drops what exceeds the capacity of a link, newest first; returns whether anything was dropped. */
    private boolean limit(final String register, final int places, final int wordsOfOne) {
        boolean isLost = false;
        for (int link = 0; link < shale.schedule().epochSlots() && places != Integer.MAX_VALUE; link++) {
            final String name = "queue" + link + register;
            final long[] words = model.registers().get(name);
            if (words.length > (long) places * wordsOfOne) {
                model.registers().set(name, Arrays.copyOf(words, places * wordsOfOne));
                isLost = true;
            }
        }
        return isLost;
    }

    private void receive(final NodeCells received) {
        if (delayed != null) {
            delayed.take(received);
        }
        NodeCells now = received;
        if (rules.is(Setting.CELL_DELAY)) {
            final NodeCells last = new NodeCells(1);
            last.set(received);
            stored.add(last);
            now = stored.size() > rules.get(Setting.CELL_DELAY) ? stored.remove() : new NodeCells(1);
        }
        model.receive(now);
        if (delayed != null) {
            delayed.count();
        }
        if (shale != null) {
            limit("_cells", rules.get(Setting.QUEUE_CELLS), WORDS_OF_A_CELL);
        }
    }

    /** Tokens that were returned to a Shale node and count a number of slots later. Not thread-safe. */
    private static final class DelayedTokens {
        private final Shale shale;
        private final NodeModel model;
        private final int delay;
        /** Number of slots until the model receives what arrives now. */
        private final int cellDelay;
        private final ArrayDeque<Token> waiting = new ArrayDeque<>();

        /** A token of a bucket and a link, and the slot after which it counts. */
        private record Token(long slot, int link, int bucket) {
        }

        DelayedTokens(final Shale shale, final NodeModel model, final FollowRules rules) {
            this.shale = shale;
            this.model = model;
            this.delay = rules.get(Setting.TOKEN_DELAY);
            this.cellDelay = rules.get(Setting.CELL_DELAY);
        }

        /** Removes the tokens from the arriving cell and delays them. */
        void take(final NodeCells received) {
            final long sent = model.slot() - (shale.propagationSlots() - cellDelay);
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

        /** Credits the tokens whose delay has passed, after a slot. */
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
