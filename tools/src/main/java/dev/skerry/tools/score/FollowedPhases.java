package dev.skerry.tools.score;

import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.CellText;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Shale;

/** What all followed fabrics of Shale have in common. One thread. */
abstract class FollowedPhases implements FollowedFabric {
    final Shale shale;
    final CellNames names;

    FollowedPhases(final Shale shale, final CellNames names) {
        this.shale = shale;
        this.names = names;
    }

    @Override
    public final int nodes() {
        return shale.nodes();
    }

    @Override
    public final int channels() {
        return 1;
    }

    @Override
    public final CellNames names() {
        return names;
    }

    @Override
    public final int link(final int node, final int channel, final long slot) {
        return shale.schedule().slotInEpoch(slot);
    }

    @Override
    public final int peer(final int node, final int channel, final long slot) {
        return shale.schedule().peerOf(node, slot);
    }

    @Override
    public final String text(final NodeCells cells, final int channel) {
        return CellText.slot(names, cells.route(channel), cells.cell(channel))
            + (cells.feedback(channel) == -1 ? "" : ", tokens " + CellText.tokens(cells.feedback(channel)));
    }
}
