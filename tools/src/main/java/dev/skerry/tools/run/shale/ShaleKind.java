package dev.skerry.tools.run.shale;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.follow.FailureFollower;
import dev.skerry.nic.shale.follow.NodeFollower;
import dev.skerry.nic.shale.stage.InterleavedParts;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;

import java.util.List;
import java.util.Set;

/** Shale (SIGCOMM'24) as a fabric of the tools. */
public final class ShaleKind implements FabricKind {
    private static final int NODES_OF_PACKETS = 9;
    /**
     * Default delay with packets, by which the clocks of agents on threads may differ. Without a delay, each slot costs
     * two hand-overs between threads.
     */
    private static final int SLOTS_OF_PACKETS = 2;

    @Override
    public String name() {
        return "shale";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(new OptionGroup("Shale", new ShaleOptions(), true),
            new OptionGroup("Shale", new FailedOptions(), false),
            new OptionGroup("Shale: RD and NDP", new ReceiverDrivenOptions(), true),
            new OptionGroup("Shale: limits of hardware", new HostLimitOptions(), true));
    }

    @Override
    public Set<String> shared() {
        return Set.of("--guard-ns", "--failed-nodes", "--miss-limit");
    }

    @Override
    public FabricChoice choose(final RunOptions options) {
        return new ShaleChoice(options);
    }

    @Override
    public void setForPackets(final RunOptions options, final boolean onThreads) {
        options.nodes = options.nodes == 0 ? NODES_OF_PACKETS : options.nodes;
        options.propagationSlots = options.propagationSlots != null ? options.propagationSlots
            : Integer.valueOf(onThreads ? SLOTS_OF_PACKETS : 0);
    }

    /**
     * Makes surplus nodes forward cells, unless the options select failed nodes, and sets the minimum numbers of tokens
     * for which the guarantee holds at the propagation delay.
     */
    @Override
    public List<String> setForComparison(final RunOptions options, final Terms terms) {
        final ShaleOptions own = options.own.of(ShaleOptions.class);
        final FailedOptions absent = options.own.of(FailedOptions.class);
        absent.fill |= absent.isEmpty();
        if (own.interleave != null) {
            return List.of();
        }
        final int h = own.h == null ? ShaleChoice.PHASES : own.h;
        final double epochSlots = h * (Math.ceil(Math.pow(terms.nodes(), 1.0 / h) - 1e-9) - 1);
        own.tokens = own.tokens != null ? own.tokens : Integer.valueOf(tokens(terms, epochSlots * epochSlots));
        own.firstHopTokens = own.firstHopTokens != null ? own.firstHopTokens
            : Integer.valueOf(Math.max(own.tokens, tokens(terms, h * epochSlots)));
        return List.of();
    }

    /** Returns the minimum number of tokens if one token covers a number of slots of the delay. */
    private static int tokens(final Terms terms, final double servedSlots) {
        return (int) Math.clamp(Math.ceil(Math.ceil(terms.propagationNs() / terms.circuitNs() - 1e-9) / servedSlots), 1,
            Shale.MAX_TOKENS);
    }

    @Override
    public List<String> comparisonRemarks() {
        return List.of("Shale: a cell takes up to 2h hops through other nodes, so 1/(2h) of the rate is guaranteed; "
            + "the network has only circuits, and each node has a queue for each neighbour.");
    }

    @Override
    public Follower follower(final Device device, final FindingLog log) {
        if (device.fabric() instanceof Interleaved) {
            throw new IllegalArgumentException("schedules that share the slots cannot be followed");
        }
        if (!(device.fabric() instanceof final Shale shale)) {
            return null;
        }
        if (device.names().classes() > 1) {
            throw new IllegalArgumentException("a Shale device that has traffic classes cannot be followed");
        }
        if (!device.guards()) {
            return new NodeFollower(shale, device.names(), device.node(), device.rules(), log);
        }
        if (!device.rules().equals(FollowRules.STRICT)) {
            throw new IllegalArgumentException("a device that guards against failures is followed without limits of "
                + "its hardware, and never silent by choice: rules=" + device.rules());
        }
        return new FailureFollower(shale, device.names(), device.node(), log);
    }

    @Override
    public FabricParts parts(final CircuitFabric fabric) {
        return fabric instanceof final Shale shale ? new ShaleParts(shale)
            : fabric instanceof final Interleaved interleaved ? new InterleavedParts(interleaved) : null;
    }
}
