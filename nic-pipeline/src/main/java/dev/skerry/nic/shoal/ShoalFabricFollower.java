package dev.skerry.nic.shoal;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.NodeCells;

import java.util.stream.IntStream;

/** Follows all nodes of a Shoal fabric; links are numbered as in {@link ShoalSlotPlan}. Not thread-safe. */
public final class ShoalFabricFollower extends FabricFollower {
    private final ShoalSlotPlan plan;

    /** Creates followers of all nodes before slot 0, see {@link ShoalFollower}. */
    public ShoalFabricFollower(final Shoal shoal, final CellNames names, final FollowRules rules,
        final FindingLog log) {
        super(shoal, names, log, route -> route & ShoalCell.ENDS, IntStream.range(0, shoal.nodes())
            .mapToObj(node -> new ShoalFollower(shoal, names, node, rules, log)).toList());
        this.plan = new ShoalSlotPlan(shoal);
    }

    @Override
    public int link(final int node, final int channel, final long at) {
        final ShoalSlotPlan.Place place = plan.place(channel, (int) (at % plan.epochSlots()));
        return place.sends(node) ? place.link : NONE;
    }

    @Override
    protected int linkBack(final int node, final int channel, final long sentIn) {
        return plan.place(channel, (int) (sentIn % plan.epochSlots())).linkBack();
    }

    @Override
    public String text(final NodeCells cells, final int channel) {
        final String text = names.text(cells.route(channel), cells.cell(channel));
        return cells.feedback(channel) == InFlightCells.NO_FEEDBACK ? text
            : text + ", report " + cells.feedback(channel);
    }
}
