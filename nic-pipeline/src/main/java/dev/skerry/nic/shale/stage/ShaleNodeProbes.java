package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.RankedQueues;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shale.ControlProbes;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.ArrayList;
import java.util.List;

/**
 * A Shale node: of each link the length of its queue, the first entry of it and its rank if it has one, what congestion
 * control shows of it, the round-robin pointer and messages that wait; of the node its cells held, active buckets and
 * counts.
 */
public final class ShaleNodeProbes extends NodeProbes {
    private static final int NONE = -1;
    private static final int LENGTH = 0;
    private static final int HEAD = 1;
    private static final int RANK = 2;

    private final Shale shale;
    private final ShaleBank bank;
    private final ControlProbes control;
    /** Null where cells leave as they came. */
    private final RankedQueues ranked;
    /** Where the signals of congestion control begin, after the rank if there is one. */
    private final int first;
    /** Where the signals of congestion control end. */
    private final int pointer;
    private final BucketSignals details;
    private final int node;

    ShaleNodeProbes(final Shale shale, final ShaleBank bank, final int node) {
        this(shale, bank, node, bank.parts().control().probes(node));
    }

    private ShaleNodeProbes(final Shale shale, final ShaleBank bank, final int node, final ControlProbes control) {
        super(bank, node, shale.schedule().epochSlots(), ofLink(control, bank.parts()), "active_buckets");
        this.shale = shale;
        this.bank = bank;
        this.control = control;
        this.ranked = bank.parts().queues().queues() instanceof final RankedQueues queues ? queues : null;
        this.first = ranked == null ? RANK : RANK + 1;
        this.pointer = first + control.ofLink().size();
        this.details = new BucketSignals(shale, bank, node);
        this.node = node;
    }

    private static List<Signal> ofLink(final ControlProbes control, final ShaleBank.Parts parts) {
        final List<Signal> signals = new ArrayList<>(List.of(new Signal("length", 16), new Signal("head", 64)));
        if (parts.queues().queues() instanceof RankedQueues) {
            signals.add(new Signal("rank", 64));
        }
        signals.addAll(control.ofLink());
        signals.add(new Signal("pointer", 32));
        if (parts.endToEnd() != null) {
            signals.addAll(parts.endToEnd().probes());
        }
        return signals;
    }

    /** The signals of each link. */
    List<Signal> ofEachLink() {
        return ofLink(control, bank.parts());
    }

    @Override
    protected long active() {
        return control.active();
    }

    @Override
    protected long ofLink(final int link, final int which) {
        final int queue = link * bank.range().size() + node;
        if (which == pointer) {
            return bank.parts().scheduler().pointer(queue);
        }
        if (which > pointer) {
            return bank.parts().endToEnd().probe(node, link, which - pointer - 1);
        }
        if (which == RANK && ranked != null) {
            return ranked.firstRank(queue);
        }
        final CellQueues queues = bank.parts().queues().queues();
        return switch (which) {
            case LENGTH -> queues.length(queue);
            case HEAD -> queues.length(queue) == 0 ? NONE : queues.first(queue);
            default -> control.ofLink(link, which - first);
        };
    }

    @Override
    public List<Signal> details() {
        return details;
    }

    @Override
    protected int detailOf(final String name) {
        return details.numberOf(name);
    }

    @Override
    protected long detail(final int index) {
        return details.value(index);
    }

    @Override
    public long outstanding(final int link, final int destination, final int sprays) {
        if (link < 0 || link >= links() || destination < 0 || destination >= shale.nodes() || sprays < 0
            || sprays >= shale.schedule().phases()) {
            throw new IllegalArgumentException("no such bucket of a link: link=" + link + " destination=" + destination
                + " sprays=" + sprays);
        }
        return bank.parts().control().outstanding(link * bank.range().size() + node,
            Route.bucket(destination, sprays));
    }

    @Override
    public long[] queue(final int link) {
        final int queue = link * bank.range().size() + node;
        final long[] words = new long[bank.parts().queues().queues().length(queue)];
        final int[] at = new int[1];
        bank.parts().queues().queues().forEach(queue, (entry, cell) -> words[at[0]++] = entry);
        return words;
    }
}
