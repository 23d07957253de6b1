package dev.skerry.tools.run.fattree;

import dev.skerry.nic.fattree.FatTree;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.HostOptions;

import java.util.List;
import java.util.Set;

/** Packet-switched fat trees and leaf-spine networks as a fabric of the tools. */
public final class FatTreeKind implements FabricKind {
    /** Links on the longest path between two hosts in a fat tree, and in a leaf-spine network. */
    private static final int TREE_HOPS = 6;
    private static final int LEAF_HOPS = 4;

    @Override
    public String name() {
        return "fattree";
    }

    @Override
    public String title() {
        return "fat tree";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(new OptionGroup("Hosts", new HostOptions(), false),
            new OptionGroup("Fat tree", new FatTreeOptions(), false));
    }

    @Override
    public Set<String> shared() {
        return Set.of();
    }

    @Override
    public FabricChoice choose(final RunOptions options) {
        return new FatTreeChoice(options);
    }

    @Override
    public void setForPackets(final RunOptions options, final boolean onThreads) {
        throw new InputException("--fabric", name(), "it carries packets of simulated flows only",
            "use another fabric");
    }

    /**
     * Sets links to the rate of a node without guard bands, and the longest path to the propagation delay of the other
     * fabrics. If no fat tree has this number of hosts, the network is a leaf-spine network.
     */
    @Override
    public List<String> setForComparison(final RunOptions options, final Terms terms) {
        final FatTreeOptions own = options.own.of(FatTreeOptions.class);
        final boolean isTree = own.leaves != null || FatTree.ofPods(terms.nodes()) != null;
        own.leaves = isTree ? own.leaves : FatTreeOptions.leavesOf(terms.nodes());
        options.slotNs = terms.cellNs();
        options.propagationNs = terms.propagationNs() / (own.leaves == null ? TREE_HOPS : LEAF_HOPS);
        return isTree || own.leaves == null ? List.of() : List.of("no fat tree has " + terms.nodes()
            + " hosts; using a leaf-spine network with " + own.leaves + " leaves");
    }

    @Override
    public List<String> comparisonRemarks() {
        return List.of("fat tree: switches forward whole packets; cells are only the unit of counting. "
            + "Acknowledgements use link capacity and do not count as delivered.");
    }
}
