package dev.skerry.tools.run.shoal;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalFailureFollower;
import dev.skerry.nic.shoal.ShoalFollower;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.spi.RunOptions.KindOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.run.shoal.ShoalOptions.ClosOptions;

import java.util.List;
import java.util.Set;

/** Shoal (NSDI'19) as a fabric of the tools. */
public final class ShoalKind implements FabricKind {
    private static final int NODES_OF_PACKETS = 8;
    /**
     * Default delay with packets, by which the clocks of agents on threads may differ. Without a delay, each slot costs
     * two hand-overs between threads. With a longer delay, a flow has less than half of a link, because it sends one
     * cell through each relay and waits for its report.
     */
    private static final int SLOTS_OF_PACKETS = 2;

    @Override
    public String name() {
        return "shoal";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(new OptionGroup("Shoal", new ShoalOptions(), false),
            new OptionGroup("Shoal", new ClosOptions(), true));
    }

    @Override
    public Set<String> shared() {
        return Set.of("--channels", "--class-bytes", "--guard-ns", "--failed-nodes", "--miss-limit");
    }

    @Override
    public FabricChoice choose(final RunOptions options) {
        return new ShoalChoice(options);
    }

    /** Selects one channel, which a single flow can fill; each channel costs time even if it is not used. */
    @Override
    public void setForPackets(final RunOptions options, final boolean onThreads) {
        options.nodes = options.nodes == 0 ? NODES_OF_PACKETS : options.nodes;
        options.channels = options.channels == null ? Integer.valueOf(1) : options.channels;
        options.propagationSlots = options.propagationSlots != null ? options.propagationSlots
            : Integer.valueOf(onThreads ? SLOTS_OF_PACKETS : 0);
    }

    /**
     * Selects one channel, and a schedule of Appendix A if there is one that hides the delay; other schedules guarantee
     * nothing.
     */
    @Override
    public List<String> setForComparison(final RunOptions options, final Terms terms) {
        options.channels = 1;
        final ShoalOptions own = options.own.of(ShoalOptions.class);
        Choices.refuse("--shoal-preset", own.preset, "nodes, slot and delay of a comparison are the same for all",
            "leave it out");
        Choices.refuse("--reconfiguration-ns", own.reconfigurationNs, "a comparison sets the guard band",
            "leave it out");
        Choices.refuse("--clock-drift-ppm", own.driftPpm, "nothing fails in a comparison", "leave it out");
        if (own.schedule != null) {
            return List.of();
        }
        try {
            RoundRobin.rearranged(terms.nodes(), 1, (int) Math.ceil(terms.propagationNs() / terms.circuitNs()));
            own.schedule = ShoalChoice.DELAY;
            return List.of();
        } catch (final IllegalArgumentException e) {
            own.schedule = ShoalChoice.PLAIN;
            return List.of("with " + terms.nodes() + " nodes no schedule hides the delay of the fibres, so it carries "
                + "less than half of the rate: use a shorter --propagation-ns or more --nodes");
        }
    }

    @Override
    public List<String> comparisonRemarks() {
        return List.of("Shoal: a cell crosses the fabric twice, through a relay, so half of the rate carries cells "
            + "of other nodes; the schedule is that of Appendix A if it hides the delay; the network has only "
            + "circuits, and each node has a queue for each neighbour.");
    }

    @Override
    public boolean needsThreads(final KindOptions options) {
        return options.of(ClosOptions.class).ports != null;
    }

    @Override
    public Follower follower(final Device device, final FindingLog log) {
        if (!(device.fabric() instanceof final Shoal shoal)) {
            return null;
        }
        if (device.guards() || device.names().classes() > 1) {
            if (!device.rules().equals(FollowRules.STRICT)) {
                throw new IllegalArgumentException("a device with failures or classes is followed without latencies, "
                    + "and never silent by choice: rules=" + device.rules());
            }
            return new ShoalFailureFollower(shoal, device.names(), device.node(), device.guards(), log);
        }
        return new ShoalFollower(shoal, device.names(), device.node(), device.rules(), log);
    }

    @Override
    public FabricParts parts(final CircuitFabric fabric) {
        return fabric instanceof final Shoal shoal ? new ShoalParts(shoal) : null;
    }
}
