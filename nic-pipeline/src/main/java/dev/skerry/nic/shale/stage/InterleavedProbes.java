package dev.skerry.nic.shale.stage;

import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shale.Interleaved;

import java.util.List;
import java.util.stream.IntStream;

/**
 * A node of fabrics of Shale that share slots: the links of each fabric, in order of their numbers; of the node its
 * cells held, active buckets and counts.
 */
final class InterleavedProbes extends NodeProbes {
    /** By fabric. */
    private final List<ShaleNodeProbes> fabrics;
    /** By link: its fabric, and its number there. */
    private final int[] fabricOf;
    private final int[] linkOf;

    InterleavedProbes(final Interleaved fabric, final InterleavedBank bank, final int node) {
        this(bank, node, IntStream.range(0, fabric.fabrics().size())
            .mapToObj(number -> new ShaleNodeProbes(fabric.fabrics().get(number), bank.bank(number), node)).toList());
    }

    private InterleavedProbes(final InterleavedBank bank, final int node, final List<ShaleNodeProbes> fabrics) {
        super(bank, node, fabrics.stream().mapToInt(NodeProbes::links).sum(), fabrics.getFirst().ofEachLink(),
            "active_buckets");
        this.fabrics = fabrics;
        this.fabricOf = IntStream.range(0, fabrics.size())
            .flatMap(number -> IntStream.generate(() -> number).limit(fabrics.get(number).links())).toArray();
        this.linkOf = fabrics.stream().flatMapToInt(each -> IntStream.range(0, each.links())).toArray();
    }

    @Override
    protected long ofLink(final int link, final int which) {
        return fabrics.get(fabricOf[link]).ofLink(linkOf[link], which);
    }

    @Override
    protected long active() {
        return fabrics.stream().mapToLong(ShaleNodeProbes::active).sum();
    }

    @Override
    public long[] queue(final int link) {
        return fabrics.get(fabricOf[link]).queue(linkOf[link]);
    }
}
