package dev.skerry.tools.run.fattree;

import dev.skerry.nic.fattree.FatTree;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.HostOptions;

import java.util.List;
import java.util.Set;

/** Packet switches in a fat tree or leaf-spine network, with TCP or DCQCN, as a fabric of the tools. */
public final class FatTreeKind implements FabricKind {
    /** Links from a host to another, in three tiers and in two. */
    private static final int LONGEST_WAY = 6;
    private static final int LEAF_WAY = 4;

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
        throw new InputException("--fabric", name(), "its hosts send the packets of flows, not those of ports",
            "use another fabric");
    }

    /**
     * Links of the rate of a node without guard bands, and the same delay over the longest way; leaves and spines where
     * no fat tree has so many hosts.
     */
    @Override
    public List<String> setForComparison(final RunOptions options, final Terms terms) {
        final FatTreeOptions own = options.own.of(FatTreeOptions.class);
        final boolean isTree = own.leaves != null || FatTree.ofPods(terms.nodes()) != null;
        own.leaves = isTree ? own.leaves : FatTreeOptions.leavesOf(terms.nodes());
        options.slotNs = terms.cellNs();
        options.propagationNs = terms.propagationNs() / (own.leaves == null ? LONGEST_WAY : LEAF_WAY);
        return isTree || own.leaves == null ? List.of() : List.of("no fat tree has " + terms.nodes()
            + " hosts: a leaf-spine network of " + own.leaves + " leaves");
    }

    @Override
    public List<String> comparisonRemarks() {
        return List.of("fat tree: packets, not cells, which wait at switches for each other; a cell is what a host's "
            + "link sends in its time. Acknowledgements take capacity of links and do not count as delivered.");
    }
}
