package dev.skerry.nic.shale.follow;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.util.BitSet;
import java.util.Random;

/** Fabrics of devices that obey every law and choose otherwise in their own ways, and followers beside them. */
final class LegalDevices {
    /** A Galois shift register of 16 bits says which of the equally short links. */
    static final TieRule LFSR = (shale, nodes) -> {
        final int[] register = {0xACE1};
        return (id, node, phase, links, count, random) -> {
            register[0] = register[0] >>> 1 ^ -(register[0] & 1) & 0xB400;
            return BitSet.valueOf(links).stream().skip(register[0] % count).findFirst().orElseThrow();
        };
    };

    static final int MOST_FOLLOWED = 81;

    private LegalDevices() {
    }

    /** Any local flow, or none in one slot of {@code pause}. */
    static LocalRule moody(final long seed, final int pause) {
        return (shale, nodes) -> {
            final Random random = new Random(seed);
            return (id, node, link, flows) -> random.nextInt(pause) == 0 ? LocalChoice.NONE
                : random.nextInt(flows.count());
        };
    }

    static Shale shale(final int h, final int r, final int tokens, final int propagation,
        final MechanismSet mechanisms) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), mechanisms, tokens, tokens + 1, propagation, 5);
    }

    static Shale shale(final int h, final int r, final TieRule ties) {
        return shale(h, r, 1, 2, Mechanisms.HBH_SPRAY.with(ties));
    }

    /** Endless flows from every node to some others. */
    static FlowSet flows(final Shale shale, final long seed) {
        final Random random = new Random(seed);
        final FlowSet flows = new FlowSet();
        final int nodes = shale.nodes();
        for (int node = 0; node < nodes; node++) {
            for (int k = 0; k < 3; k++) {
                flows.add(flows.size(), node, (node + 1 + random.nextInt(nodes - 1)) % nodes, Long.MAX_VALUE,
                    FlowSet.ENDLESS, 0);
            }
        }
        return flows;
    }

    /**
     * Follows the nodes of a fabric, at most {@link #MOST_FOLLOWED}.
     *
     * @param devices what the devices do.
     * @param known   what the followers know of it.
     * @return most cells that were open at a node.
     */
    static int follow(final Shale devices, final Shale known, final FlowSet flows, final long slots,
        final FindingLog log) {
        return follow(devices, known, flows, slots, FollowRules.STRICT, log);
    }

    /** The same with other rules. */
    static int follow(final Shale devices, final Shale known, final FlowSet flows, final long slots,
        final FollowRules rules, final FindingLog log) {
        final NodeFollower[] followers = new NodeFollower[Math.min(devices.nodes(), MOST_FOLLOWED)];
        final CellNames names = CellNames.of(flows, devices.population());
        for (int node = 0; node < followers.length; node++) {
            followers[node] = new NodeFollower(known, names, node, rules, log);
        }
        final NodeCells sent = new NodeCells(1);
        final NodeCells received = new NodeCells(1);
        try (FabricModel fabric = new FabricModel(new ShaleParts(devices), flows)) {
            for (long slot = 0; slot < slots && log.none(); slot++) {
                fabric.step();
                for (int node = 0; node < followers.length; node++) {
                    fabric.sent(node, sent);
                    fabric.received(node, received);
                    followers[node].step(slot, received, sent);
                }
            }
        }
        int most = 0;
        for (final NodeFollower follower : followers) {
            most = Math.max(most, follower.mostOpen());
        }
        return most;
    }
}
