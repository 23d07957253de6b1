package dev.skerry.nic.shale.limit;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.CellBatch;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.ControlProbes;
import dev.skerry.nic.shale.DroppedCells;
import dev.skerry.nic.shale.LinkTokens;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.SlotMath;

/**
 * A congestion control of links in hardware of limited size: asks another one whatever that is asked, and beside it
 * what the limits let pass. All nodes take every slot, none rests. Faults are not for it. One bank, one thread.
 */
final class HostControl implements CongestionControl {
    private final CongestionControl control;
    private final SlotMath numbers;
    private final int ownSprays;
    private final PieoWindow pieo;
    private final TokenFifos fifos;
    private final BucketLimit buckets;
    private final CellFifos cells;
    private final SlotClocks clocks;
    /** Whether there are tokens, so that buckets are active. */
    private final boolean hasTokens;
    /** By node of a block: 1 for a local cell that may be asked for, then for a node that keeps what it received. */
    private final int[] asks;

    /**
     * Empty hardware of a bank.
     *
     * @param control   what decides where there is room.
     * @param hasTokens whether it spends and returns tokens.
     */
    HostControl(final HostLimits limits, final Shale shale, final int nodes, final CongestionControl control,
        final boolean hasTokens) {
        this.control = control;
        this.hasTokens = hasTokens;
        this.numbers = new SlotMath(shale.schedule(), nodes);
        this.ownSprays = shale.schedule().phases() - 1;
        this.pieo = new PieoWindow(numbers.queues(), limits.pieoEntries());
        this.fifos = new TokenFifos(control, numbers.queues(), limits.tokenFifo());
        this.buckets = new BucketLimit(limits, nodes);
        this.cells = new CellFifos(shale, numbers, nodes, hasTokens);
        this.clocks = new SlotClocks(nodes, limits.slotClocks());
        this.asks = new int[CellBatch.block(nodes)];
    }

    @Override
    public void trySpend(final int link, final int first, final int count, final int[] oldest, final int[] waiting,
        final int[] destinations, final int[] local, final int[] paid) {
        pieo.begin();
        if (!hasTokens) {
            control.trySpend(link, first, count, oldest, waiting, destinations, local, paid);
            return;
        }
        for (int i = 0; i < count; i++) {
            asks[i] = local[i] != 0 && buckets.admits(first + i, Route.bucket(destinations[i], ownSprays)) ? 1 : 0;
        }
        control.trySpend(link, first, count, oldest, waiting, destinations, asks, paid);
        for (int i = 0; i < count; i++) {
            if ((asks[i] & paid[i]) != 0) {
                become(first + i, Route.bucket(destinations[i], ownSprays));
            }
        }
    }

    @Override
    public boolean eligible(final int queue, final long entry) {
        if (!pieo.hasNext(queue)) {
            return false;
        }
        if (control.eligible(queue, entry)) {
            return true;
        }
        if (pieo.refuse(queue)) {
            final int node = numbers.nodeOf(queue);
            clocks.access(node, true);
            clocks.access(node, true);
        }
        return false;
    }

    @Override
    public void onDequeue(final int queue, final long entry) {
        pieo.leaves(queue);
        control.onDequeue(queue, entry);
    }

    @Override
    public boolean admitLocal(final int queue, final int node, final int destination) {
        final int bucket = Route.bucket(destination, ownSprays);
        if (!buckets.admits(node, bucket)) {
            buckets.holdBack();
            return false;
        }
        if (!control.admitLocal(queue, node, destination)) {
            return false;
        }
        become(node, bucket);
        return true;
    }

    /** A bucket of a node has one more reason to be active. */
    private void become(final int node, final int bucket) {
        clocks.access(node, hasTokens && buckets.add(node, bucket));
    }

    @Override
    public void onForward(final CellBatch sent) {
        control.onForward(sent);
        for (int i = 0; i < sent.count(); i++) {
            final int node = sent.node()[i];
            final int queue = sent.queue()[i];
            clocks.work(node, 1);
            clocks.access(node, pieo.leave(queue));
            cells.leave(node, queue, sent.word()[i]);
            owe(node, sent.word()[i]);
        }
    }

    @Override
    public void onForward(final int node, final long entry) {
        control.onForward(node, entry);
        owe(node, entry);
    }

    private void owe(final int node, final long entry) {
        if (hasTokens) {
            clocks.access(node, fifos.owe(numbers.queue(Route.owedLink(entry), node)));
        }
    }

    @Override
    public long takeFeedback(final int queue) {
        throw new IllegalStateException("links send in blocks: queue=" + queue);
    }

    /** The last call of the sending of a slot, which comes in every slot: it ends the slot of these nodes. */
    @Override
    public void takeFeedback(final int firstQueue, final int count, final long[] into) {
        fifos.take(firstQueue, count, into);
        final int first = numbers.nodeOf(firstQueue);
        for (int i = 0; i < count; i++) {
            if (into[i] != InFlightCells.NO_FEEDBACK) {
                clocks.access(first + i, fifos.took(firstQueue + i, into[i]));
            }
        }
        clocks.end(first, count);
    }

    @Override
    public void onArrive(final int first, final CellBatch arriving, final DroppedCells drops) {
        control.onArrive(first, arriving, drops);
    }

    @Override
    public void onReceive(final int link, final int first, final int count, final CellBatch joined,
        final long[] feedback) {
        for (int i = 0; i < count; i++) {
            asks[i] = feedback[i] != InFlightCells.NO_FEEDBACK ? 1 : 0;
        }
        for (int i = 0; i < joined.count(); i++) {
            final int node = joined.node()[i];
            final long word = joined.word()[i];
            final int queue = joined.queue()[i];
            asks[node - first] = 1;
            clocks.access(node, pieo.join(queue, joined.length()[i]));
            cells.join(node, queue, word);
            if (Route.tokens(word) > 0) {
                become(node, Route.bucket(word));
            }
        }
        control.onReceive(link, first, count, joined, feedback);
        for (int i = 0; i < count; i++) {
            clocks.work(first + i, asks[i]);
            if (feedback[i] != InFlightCells.NO_FEEDBACK) {
                end(first + i, (int) feedback[i]);
                end(first + i, (int) (feedback[i] >>> Integer.SIZE));
            }
        }
    }

    /** A token has come back: its bucket has a reason less. */
    private void end(final int node, final int bucket) {
        if (hasTokens && bucket != NO_NOTICE) {
            clocks.access(node, buckets.remove(node, bucket));
        }
    }

    @Override
    public int maxActiveBuckets(final int node) {
        return control.maxActiveBuckets(node);
    }

    @Override
    public int activeBuckets(final int node) {
        return control.activeBuckets(node);
    }

    @Override
    public long anomalies() {
        return control.anomalies();
    }

    @Override
    public int outstanding(final int queue, final int bucket) {
        return control.outstanding(queue, bucket);
    }

    @Override
    public LinkTokens registers() {
        return control.registers();
    }

    @Override
    public ControlProbes probes(final int node) {
        return control.probes(node);
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case PIEO_OVERFLOWS -> pieo.overflowed();
            case TOKEN_OVERFLOWS -> fifos.overflowed();
            case BUCKET_OVERFLOWS -> buckets.overflowed();
            case FIFO_OVERFLOWS -> cells.overflowed();
            case FLOWS_HELD_BACK -> buckets.heldBack();
            case SLOT_OVERRUN -> clocks.overruns();
            case MOST_PIEO_ENTRIES -> pieo.most();
            case MOST_TOKENS_OWED -> fifos.most();
            case MOST_ACTIVE_BUCKETS -> buckets.most();
            case MOST_FIFO_CELLS -> cells.mostCells();
            case MOST_FIFOS -> cells.mostFifos();
            case MOST_SLOT_CLOCKS -> clocks.most();
            default -> control.count(counter);
        };
    }

    /** What decides where there is room. */
    CongestionControl control() {
        return control;
    }

    /** Entries of PIEOs. */
    PieoWindow pieo() {
        return pieo;
    }

    /** Tokens of return FIFOs. */
    TokenFifos fifos() {
        return fifos;
    }

    /** Active buckets. */
    BucketLimit buckets() {
        return buckets;
    }
}
