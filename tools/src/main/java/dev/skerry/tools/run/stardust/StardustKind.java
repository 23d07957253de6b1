package dev.skerry.tools.run.stardust;

import dev.skerry.codec.CellPacker;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.run.HostOptions;
import dev.skerry.tools.run.stardust.StardustOptions.StardustEnds;
import dev.skerry.tools.run.stardust.StardustOptions.StardustLinks;

import java.util.List;
import java.util.Set;

/** Stardust (NSDI'19) as a fabric of the tools. */
public final class StardustKind implements FabricKind {
    private static final int NODES_OF_PACKETS = 8;
    /** Default delay of each link with packets, by which the clocks of agents on threads may differ. */
    private static final int SLOTS_OF_PACKETS = 8;
    /** Links on the path between two adapters. */
    private static final int COMPARED_LINKS = 4;

    @Override
    public String name() {
        return "stardust";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(new OptionGroup("Stardust", new StardustOptions(), true),
            new OptionGroup("Hosts", new HostOptions(), false),
            new OptionGroup("Stardust: hosts", new StardustEnds(), false),
            new OptionGroup("Stardust: links", new StardustLinks(), true));
    }

    @Override
    public Set<String> shared() {
        return Set.of("--channels", "--class-bytes");
    }

    @Override
    public FabricChoice choose(final RunOptions options) {
        return new StardustChoice(options);
    }

    /** Selects adapters in one tier, because the networks of the papers have fixed numbers of adapters. */
    @Override
    public void setForPackets(final RunOptions options, final boolean onThreads) {
        final StardustOptions own = options.own.of(StardustOptions.class);
        own.topology = own.topology == null ? StardustChoice.SINGLE : own.topology;
        options.nodes = options.nodes != 0 ? options.nodes
            : own.topology.equals(StardustChoice.SINGLE) ? NODES_OF_PACKETS : StardustChoice.USUAL_NODES;
        options.propagationSlots = options.propagationSlots != null ? options.propagationSlots
            : Integer.valueOf(onThreads ? SLOTS_OF_PACKETS : 1);
        options.own.of(HostOptions.class).packetBytes = CellPacker.MAX_PACKET_BYTES;
    }

    /** Selects links without guard bands. A cell crosses two tiers; options count only its payload. */
    @Override
    public List<String> setForComparison(final RunOptions options, final Terms terms) {
        options.cellBytes = terms.cellBytes() - StardustChoice.HEADER_BYTES;
        options.slotNs = terms.cellNs();
        options.propagationNs = terms.propagationNs() / COMPARED_LINKS;
        return List.of();
    }

    @Override
    public List<String> comparisonRemarks() {
        return List.of("Stardust: a cell crosses the fabric once, through switches that read its header, so there "
            + "are no guard bands and no relays; the hosts have the rate of the links divided by the speed-up.",
            "Stardust: the flows of a pair of hosts are sent one after another; the other fabrics serve them in turn.",
            "Stardust: queues are those before links, including switches; a flow is complete when the port has sent "
                + "the last byte to its host, in the other fabrics when the last cell has arrived; reordering is the "
                + "number of cells waiting for others at once, in the other fabrics the distance by which a cell was "
                + "late.");
    }
}
