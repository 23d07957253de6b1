package dev.skerry.nic.shale.follow;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.List;
import java.util.stream.IntStream;

/** Follows all nodes of a fabric of Shale; a link is its position in the epoch. One thread. */
public class ShaleFabricFollower extends FabricFollower {
    /** The fabric. */
    protected final Shale shale;

    /** Followers of all nodes before slot 0, see {@link NodeFollower}. */
    public ShaleFabricFollower(final Shale shale, final CellNames names, final FollowRules rules,
        final FindingLog log) {
        this(shale, names, log, IntStream.range(0, shale.nodes())
            .mapToObj(node -> new NodeFollower(shale, names, node, rules, log)).toList());
    }

    ShaleFabricFollower(final Shale shale, final CellNames names, final FindingLog log,
        final List<? extends Follower> nodes) {
        super(shale, names, log, Route::bucket, nodes);
        this.shale = shale;
    }

    @Override
    public final int link(final int node, final int channel, final long at) {
        return shale.schedule().slotInEpoch(at);
    }

    @Override
    public final int phase(final long at) {
        return shale.schedule().slotInEpoch(at) / shale.schedule().linksPerPhase();
    }

    @Override
    public final String text(final NodeCells cells, final int channel) {
        return BucketText.slot(names, cells);
    }
}
