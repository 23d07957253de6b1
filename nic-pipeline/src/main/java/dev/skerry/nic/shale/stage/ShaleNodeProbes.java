package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.queue.EligibilityQueues;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.shale.ControlProbes;

import java.util.ArrayList;
import java.util.List;

/**
 * A Shale node: of each link the length of its queue, the first entry of it, what congestion control shows of it and
 * the round-robin pointer; of the node its cells held, active buckets and counts.
 */
public final class ShaleNodeProbes extends NodeProbes {
    private static final int NONE = -1;
    private static final int LENGTH = 0;
    private static final int HEAD = 1;
    private static final int CONTROL = 2;

    private final ShaleBank bank;
    private final ControlProbes control;
    /** Where the signals of congestion control end. */
    private final int pointer;
    private final int node;

    ShaleNodeProbes(final ShaleBank bank, final int links, final int node) {
        this(bank, links, node, bank.parts().control().probes(node));
    }

    private ShaleNodeProbes(final ShaleBank bank, final int links, final int node, final ControlProbes control) {
        super(bank, node, links, ofLink(control), "active_buckets");
        this.bank = bank;
        this.control = control;
        this.pointer = CONTROL + control.ofLink().size();
        this.node = node;
    }

    private static List<Signal> ofLink(final ControlProbes control) {
        final List<Signal> signals = new ArrayList<>(List.of(new Signal("length", 16), new Signal("head", 64)));
        signals.addAll(control.ofLink());
        signals.add(new Signal("pointer", 32));
        return signals;
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
        final EligibilityQueues queues = bank.parts().queues().queues();
        return switch (which) {
            case LENGTH -> queues.length(queue);
            case HEAD -> queues.length(queue) == 0 ? NONE : queues.first(queue);
            default -> control.ofLink(link, which - CONTROL);
        };
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
