package dev.skerry.nic.shale.follow;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FabricFollower;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FirstSlots.Other;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Follows all nodes of a Shale fabric; a link is a position in the epoch. Not thread-safe. */
public class ShaleFabricFollower extends FabricFollower {
    private final Shale shale;
    private final FollowRules rules;
    /** Faults: which nodes are down, which links lose all cells, and where a cell may be lost. Null without faults. */
    private final FaultState script;
    private final boolean[] down;
    /** Possible outcomes by slot, modulo the propagation delay plus one, then sender. */
    private final Fate[][] fates;

    /** Creates followers of all nodes before slot 0, see {@link NodeFollower}. */
    public ShaleFabricFollower(final Shale shale, final CellNames names, final FollowRules rules,
        final FindingLog log) {
        this(shale, names, null, rules, log, IntStream.range(0, shale.nodes())
            .mapToObj(node -> new NodeFollower(shale, names, node, rules, log)).toList());
    }

    /** Creates followers of all nodes before slot 0 that handle failures, see {@link FailureFollower}. */
    public ShaleFabricFollower(final Shale shale, final CellNames names, final Faults faults, final FindingLog log) {
        this(shale, names, faults.state(shale.nodes()), FollowRules.STRICT, log, IntStream.range(0, shale.nodes())
            .mapToObj(node -> new FailureFollower(shale, names, node, log)).toList());
    }

    private ShaleFabricFollower(final Shale shale, final CellNames names, final FaultState script,
        final FollowRules rules, final FindingLog log, final List<? extends Follower> nodes) {
        super(shale, names, log, Route::bucket, nodes);
        this.shale = shale;
        this.rules = rules;
        this.script = script;
        this.down = new boolean[shale.nodes()];
        this.fates = new Fate[shale.propagationSlots() + 1][shale.nodes()];
    }

    @Override
    public void step(final NodeCells[] sent, final NodeCells[] received) {
        if (script != null) {
            script.turnTo(slot());
            for (int node = 0; node < down.length; node++) {
                turn(node, shale.schedule().peerOf(node, slot()));
            }
        }
        super.step(sent, received);
    }

    private void turn(final int node, final int peer) {
        if (script.isDown(node) != down[node]) {
            down[node] = !down[node];
            node(node).setDown(down[node]);
        }
        fates[(int) (slot() % fates.length)][node] = script.isLost(node, peer) ? Fate.LOST
            : script.mayDamage(node, peer) ? Fate.MAY_BE_LOST : Fate.ARRIVES;
    }

    @Override
    public final Stream<Other> others() {
        return script != null ? Stream.empty() : NearSettings.of(shale, rules).stream().map(near -> {
            final FindingLog found = new FindingLog(1);
            return new Other(near.setting(), new ShaleFabricFollower(near.shale(), names, near.rules(), found)::step,
                found);
        });
    }

    @Override
    protected final Fate fate(final long sentIn, final int sender, final int receiver) {
        return script == null ? Fate.ARRIVES : fates[(int) (sentIn % fates.length)][sender];
    }

    @Override
    public final int link(final int node, final int channel, final long at) {
        return shale.schedule().slotInEpoch(at);
    }

    @Override
    public final int phase(final long at) {
        return shale.schedule().slotInEpoch(at) / shale.schedule().linksPerPhase();
    }

    /** Describes the content of the slot, including its tokens. */
    @Override
    public final String text(final NodeCells cells, final int channel) {
        final long feedback = cells.feedback(0);
        final String text = FollowedNode.slot(names, cells.route(0), cells.cell(0));
        return feedback == InFlightCells.NO_FEEDBACK ? text : text + ", tokens "
            + FollowedNode.token((int) feedback) + " " + FollowedNode.token((int) (feedback >>> Integer.SIZE));
    }
}
