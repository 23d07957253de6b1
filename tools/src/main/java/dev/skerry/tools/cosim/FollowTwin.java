package dev.skerry.tools.cosim;

import dev.skerry.nic.fabric.NodeRegisters;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.NodeFollower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.tools.run.NodeChoice;

import java.lang.foreign.MemorySegment;

/**
 * Follows a Shale node that somebody else designed, one slot per step; see {@link NodeFollower}. Words are those of
 * {@link NodeTwin}, and -2 for a slot that holds nothing.
 *
 * <pre>
 *   in    slot | received route, cell, feedback | sent route, cell, feedback | joined
 *   out   findings so far | findings of this slot | law | link | destination | sprays | held | open
 *         joined   link that the arriving cell joins, -1 if nobody tells
 *         law      of the first finding of this slot, -1 for none: 0 schedule, 1 route, 2 token, 3 order,
 *                  4 capacity, 5 conservation, 6 payload; then its link and bucket, -1 for none
 * </pre>
 */
final class FollowTwin implements Twin {
    private static final String[] INPUTS = {"slot", "rx_route", "rx_cell", "rx_feedback", "tx_route", "tx_cell",
        "tx_feedback", "joined"};
    private static final String[] OUTPUTS = {"findings", "new", "law", "link", "destination", "sprays", "held", "open"};

    private final FindingLog log;
    private final NodeFollower follower;
    private final NodeChoice run;
    private final int links;
    private final NodeCells received = new NodeCells(1);
    private final NodeCells sent = new NodeCells(1);

    /**
     * Creates a follower before slot 0.
     *
     * @param run   run that has the node.
     * @param node  node id.
     * @param limit most findings that are listed.
     */
    FollowTwin(final NodeChoice run, final int node, final FollowRules rules, final int limit) {
        if (!(run.fabric() instanceof final Shale shale)) {
            throw new IllegalArgumentException("schedules that share the slots cannot be followed");
        }
        if (!run.faults().isEmpty()) {
            throw new IllegalArgumentException("a device that guards against failures cannot be followed");
        }
        this.run = run;
        this.log = new FindingLog(limit);
        this.follower = new NodeFollower(shale, CellNames.of(run.flows(), shale.population()), node, rules, log);
        this.links = shale.schedule().epochSlots();
    }

    @Override
    public String[] inputs() {
        return INPUTS;
    }

    @Override
    public String[] outputs() {
        return OUTPUTS;
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        final int joined = Words.intOf(in, inAt, 7, "joined", NodeFollower.UNTOLD, links - 1);
        received.set(0, Words.get(in, inAt, 1), Words.get(in, inAt, 2), Words.get(in, inAt, 3));
        sent.set(0, Words.get(in, inAt, 4), Words.get(in, inAt, 5), Words.get(in, inAt, 6));
        final long before = log.total();
        final long slot = Words.get(in, inAt, 0);
        follower.step(slot, received, sent, joined);
        final Finding last = log.after(before);
        Words.set(out, outAt, 0, log.total());
        Words.set(out, outAt, 1, log.total() - before);
        Words.set(out, outAt, 2, last == null ? -1 : last.law().ordinal());
        Words.set(out, outAt, 3, last == null ? -1 : last.link());
        final boolean hasBucket = last != null && last.bucket() != Finding.NO_BUCKET;
        Words.set(out, outAt, 4, hasBucket ? Route.bucketDestination(last.bucket()) : -1);
        Words.set(out, outAt, 5, hasBucket ? Route.sprays(last.bucket()) : -1);
        Words.set(out, outAt, 6, follower.held());
        Words.set(out, outAt, 7, follower.open());
    }

    @Override
    public NodeRegisters registers() {
        return follower.registers();
    }

    @Override
    public void beginAt(final long slot) {
        if (follower.slot() != 0 || slot < 0) {
            throw new IllegalArgumentException("only a fresh model begins at a slot: first=" + slot + " slot="
                + follower.slot());
        }
        follower.beginAt(slot);
    }

    @Override
    public long slot() {
        return follower.slot();
    }

    @Override
    public int offer(final long slot, final int source, final int destination, final int cells) {
        return run.offer(follower.slot(), slot, source, destination, cells);
    }

    @Override
    public String report() {
        return log.text();
    }

    @Override
    public long reported() {
        return log.total();
    }
}
