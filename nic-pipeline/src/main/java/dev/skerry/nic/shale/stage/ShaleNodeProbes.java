package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.RankedQueues;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/**
 * Signals of a Shale node. Of each link: the length of its queue, its first entry, the rank of that entry if there are
 * ranks, signals of congestion control, the round-robin pointer, and messages that wait. Of the node: its cells held,
 * active buckets and counts.
 */
public final class ShaleNodeProbes extends NodeProbes {
    private static final int NONE = -1;
    private static final int LENGTH = 0;
    private static final int HEAD = 1;
    private static final int RANK = 2;

    private final Shale shale;
    private final ShaleBank bank;
    private final CongestionControl control;
    /** Null if queues are in order of arrival. */
    private final RankedQueues ranked;
    /** Index of the first signal of congestion control, after the rank if there is one. */
    private final int first;
    /** Index behind the last signal of congestion control. */
    private final int pointer;
    private final BucketSignals details;
    private final int node;

    ShaleNodeProbes(final Shale shale, final ShaleBank bank, final int node) {
        super(bank, node, shale.schedule().epochSlots(), ofEachLink(bank.parts()), "active_buckets");
        this.shale = shale;
        this.bank = bank;
        this.control = bank.parts().control();
        this.ranked = bank.parts().queues().queues() instanceof final RankedQueues queues ? queues : null;
        this.first = ranked == null ? RANK : RANK + 1;
        this.pointer = first + control.probes().size();
        this.details = new BucketSignals(shale, bank, node);
        this.node = node;
    }

    /** Returns the signals of each link. */
    static List<Signal> ofEachLink(final ShaleBank.Parts parts) {
        final List<Signal> signals = new ArrayList<>(List.of(new Signal("length", 16), new Signal("head", 64)));
        if (parts.queues().queues() instanceof RankedQueues) {
            signals.add(new Signal("rank", 64));
        }
        signals.addAll(parts.control().probes());
        signals.add(new Signal("pointer", 32));
        if (parts.endToEnd() != null) {
            signals.addAll(parts.endToEnd().probes());
        }
        return signals;
    }

    @Override
    protected long active() {
        return control.activeBuckets(node);
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
            default -> control.probe(node, link, which - first);
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
        return words(bank, link * bank.range().size() + node, true);
    }

    /** Returns the first words of the cells of a queue, or the second words. */
    private static long[] words(final ShaleBank bank, final int queue, final boolean first) {
        final LongStream.Builder words = LongStream.builder();
        bank.parts().queues().queues().forEach(queue, (entry, cell) -> words.add(first ? entry : cell));
        return words.build().toArray();
    }

    /**
     * The tokens of each bucket and the first places of the queues of a Shale node's links. Signals are computed by
     * index and not stored: a node of 1,024 has half a million of them. Read between slots, on the thread of the bank.
     *
     * <pre>
     *   queue3_outstanding_d5n1   tokens of bucket (5, 1) that are outstanding
     *   queue3_tokens_d5n1        tokens of it that are left
     *   queue3_owed_d5n1          tokens of it that are owed on the link
     *   queue3_cells_d5n1         cells in the queue that will be in the bucket after their next hop
     *   queue3_owed_0 .. _7       buckets of the tokens owed, oldest first: destination * 8 + sprays, -1 for none
     *   queue3_cell_0 .. _7       cell words of the queue, oldest first, -1 for none
     * </pre>
     */
    private static final class BucketSignals extends AbstractList<Signal> {
        private static final int PLACES = 8;
        private static final List<String> OF_BUCKET = List.of("outstanding", "tokens", "owed", "cells");
        private static final List<String> OF_PLACE = List.of("owed", "cell");
        private static final int COUNT_BITS = 16;
        private static final Pattern NAME = Pattern.compile(
            "queue(\\d{1,5})_(?:(outstanding|tokens|owed|cells)_d(\\d{1,7})n(\\d)|(owed|cell)_(\\d))");

        private final ShaleBank bank;
        private final CongestionControl tokens;
        private final int node;
        private final int links;
        private final int phases;
        private final int nodes;
        /** Number of signals of the buckets of a link, and of all signals of a link. */
        private final int ofBuckets;
        private final int ofLink;

        BucketSignals(final Shale shale, final ShaleBank bank, final int node) {
            this.bank = bank;
            this.tokens = bank.parts().control();
            this.node = node;
            this.links = shale.schedule().epochSlots();
            this.phases = shale.schedule().phases();
            this.nodes = shale.nodes();
            this.ofBuckets = nodes * phases * OF_BUCKET.size();
            this.ofLink = ofBuckets + PLACES * OF_PLACE.size();
        }

        @Override
        public int size() {
            return links * ofLink;
        }

        @Override
        public Signal get(final int index) {
            final String queue = "queue" + index / ofLink + "_";
            final int at = index % ofLink;
            if (at < ofBuckets) {
                final int bucket = at / OF_BUCKET.size();
                return new Signal(queue + OF_BUCKET.get(at % OF_BUCKET.size()) + "_d" + bucket / phases + "n"
                    + bucket % phases, COUNT_BITS);
            }
            final int place = (at - ofBuckets) % PLACES;
            final int which = (at - ofBuckets) / PLACES;
            return new Signal(queue + OF_PLACE.get(which) + "_" + place, which == 0 ? Integer.SIZE : Long.SIZE);
        }

        /** Returns the index of a name, -1 if no signal has it. */
        int numberOf(final String name) {
            final Matcher of = NAME.matcher(name);
            if (!of.matches() || Integer.parseInt(of.group(1)) >= links) {
                return -1;
            }
            final int link = Integer.parseInt(of.group(1)) * ofLink;
            if (of.group(2) == null) {
                final int place = Integer.parseInt(of.group(6));
                return place >= PLACES ? -1 : link + ofBuckets + OF_PLACE.indexOf(of.group(5)) * PLACES + place;
            }
            final int destination = Integer.parseInt(of.group(3));
            final int sprays = Integer.parseInt(of.group(4));
            return destination >= nodes || sprays >= phases ? -1
                : link + (destination * phases + sprays) * OF_BUCKET.size() + OF_BUCKET.indexOf(of.group(2));
        }

        /** Returns the value of a signal. */
        long value(final int index) {
            final int queue = index / ofLink * bank.range().size() + node;
            final int at = index % ofLink;
            if (at >= ofBuckets) {
                final long[] words = at - ofBuckets < PLACES ? owed(queue) : words(bank, queue, false);
                final int place = (at - ofBuckets) % PLACES;
                return place < words.length ? words[place] : NONE;
            }
            final int number = at / OF_BUCKET.size();
            final int bucket = Route.bucket(number / phases, number % phases);
            return switch (at % OF_BUCKET.size()) {
                case 0 -> tokens.outstanding(queue, bucket);
                case 1 -> tokens.budget(bucket) - tokens.outstanding(queue, bucket);
                case 2 -> Arrays.stream(owed(queue)).filter(each -> each == bucket).count();
                default -> Arrays.stream(words(bank, queue, true)).filter(each -> Route.bucket(each) == bucket).count();
            };
        }

        private long[] owed(final int queue) {
            return Arrays.stream(tokens.owed(queue)).asLongStream().toArray();
        }
    }
}
