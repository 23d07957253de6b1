package dev.skerry.nic.shale.stage;

import dev.skerry.dataplane.circuit.ArrivalFlags;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.queue.Branchless;
import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Admission;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.CongestionControl.Requests;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.stage.ShaleBank.FewNodes;
import dev.skerry.nic.shale.stage.ShaleBank.Flight;
import dev.skerry.schedule.Population;

import java.util.Arrays;

/**
 * Sends a slot for every node of a bank (Shale §4.1 TX path, docs/spec/shale.md §5.3): the first forwarded cell that
 * the admission lets go, else the next cell of a local flow, else only feedback. One thread.
 *
 * <p>A block of nodes goes through each step together, as in {@link ShaleReceiver} and for the same reasons.
 */
final class ShaleTransmitter extends ShaleBank.Stage {
    /**
     * From this number of queues on, the queues of a bank leave the near caches and are fetched before they are read.
     */
    private static final int FAR_QUEUES = 1 << 14;

    private final Population population;
    private final int firstSprays;
    private final boolean complete;
    private final CongestionControl control;
    /** The admission of congestion control, or that of failures before it. */
    private final Admission admission;
    private final ShaleFlowScheduler scheduler;
    /** Number of the bank among the senders. */
    private final int sender;
    /** Sends slots in which few nodes of a block have work; null if such slots are not treated specially. */
    private final SparseSender sparse;
    /** 1 for a node that has a peer, else 0. */
    private final int[] joined;
    /** The requests of the nodes, and their columns except the paid ones. */
    private final Requests asks;
    private final int[] waiting;
    private final int[] local;
    private final int[] oldest;
    private final int[] destination;
    /** 1 for a node whose local cell goes to the peer itself, else 0. */
    private final int[] direct;
    /** 1 for a node that has to ask separately: a cell restarts there, or failures may block its local cell. */
    private final int[] hindered;
    /** The next flow of each node. */
    private final int[] flow;
    /** The words that each node sends. */
    private final long[] route;
    private final long[] cell;
    private final long[] feedback;
    /** Nodes of a block; an extra entry absorbs the last branchless write. */
    private final int[] list;
    /**
     * Lists of nodes by what they do, and their lengths: forward the oldest cell, search the queue, send a local cell
     * that is paid for, or try anything else. An extra entry absorbs the last branchless write.
     */
    private final int[] sendingOn;
    private final int[] searching;
    private final int[] starting;
    private final int[] others;
    private int sendOn;
    private int search;
    private int start;
    private int other;
    /** Tells whether the refusal of local cells that are not paid for is final. */
    private boolean decided;
    /** Cells sent on for others. */
    long forwarded;
    /** The last slot in which a node may have sent something. All places are idle at first. */
    private long lastSent = Long.MIN_VALUE / 2;

    ShaleTransmitter(final NodeRange range, final Shale shale, final ShaleBank.Parts parts, final Flight flight,
        final FewNodes few) {
        super(range, shale, parts, flight, few);
        this.population = shale.population();
        this.firstSprays = schedule.phases() - 1;
        this.complete = population.allPresent() && failures == null;
        this.control = parts.control();
        this.admission = failures == null ? control : failures;
        this.scheduler = parts.scheduler();
        this.sender = flags.join(range.first(), range.size(), packs);
        this.joined = new int[block];
        this.asks = new Requests(block);
        this.waiting = asks.waiting();
        this.local = asks.local();
        this.oldest = asks.oldest();
        this.destination = asks.destinations();
        this.direct = new int[block];
        this.hindered = new int[block];
        this.flow = new int[block];
        this.route = new long[block];
        this.cell = new long[block];
        this.feedback = new long[block];
        this.list = new int[block + 1];
        this.sendingOn = new int[block + 1];
        this.searching = new int[block + 1];
        this.starting = new int[block + 1];
        this.others = new int[block + 1];
        this.sparse = few.mayBe() ? new SparseSender() : null;
    }

    /** Sends one slot for every node of the bank. */
    void send(final long slot) {
        final int inEpoch = epoch.turnTo(slot);
        final int row = rows.turnTo(slot);
        final int nodes = range.size();
        final long linkAt = link.offset(row) + Region.offset(range.first(), InFlightCells.PLACE_BYTES);
        queues.turnToSending(inEpoch);
        scheduler.activate(slot);
        int sent = ArrivalFlags.NOTHING;
        for (int first = 0; first < nodes; first += block) {
            final int count = Math.min(block, nodes - first);
            final int some = sparse == null ? count : sparse.look(inEpoch, first, count);
            lastSent = some > 0 ? slot : lastSent;
            if (sparse != null && some <= few.most()) {
                sparse.send(slot, inEpoch, row, linkAt, first, count, some <= few.single());
                sent |= some > 0 ? ArrivalFlags.FLAGGED : ArrivalFlags.NOTHING;
            } else {
                sendBlock(slot, inEpoch, linkAt, first, count);
                sent |= ArrivalFlags.FULL;
                if (sparse != null) {
                    sparse.onBlock(row, first, count);
                }
            }
        }
        if (hasFlags) {
            flags.setSent(row, sender, sent);
        }
    }

    private void sendBlock(final long slot, final int inEpoch, final long linkAt, final int first, final int count) {
        join(inEpoch, first, count);
        Arrays.fill(route, 0, count, InFlightCells.NO_CELL);
        if (queues.queues().held() > 0 || scheduler.isActive() || failures != null) {
            ask(inEpoch, first, count);
            spend(inEpoch, first, count);
            sort(all, count);
            sendSorted(slot, inEpoch, first);
        }
        admission.takeFeedback(numbers.queue(inEpoch, first), count, feedback);
        link.send(linkAt + Region.offset(first, InFlightCells.PLACE_BYTES), 0, count, route, cell,
            feedback);
    }

    /**
     * Tells whether nothing waits to be sent, and all places of the bank are idle before a slot is sent: each row of
     * the link was sent at least once since the last row with a place in use.
     */
    boolean isIdle(final long slot) {
        return slot - lastSent > rows.period && queues.queues().held() == 0
            && !scheduler.isActive() && control.isIdle();
    }

    /** Determines which nodes of a block have a peer in this slot; the others send nothing. */
    private void join(final int inEpoch, final int first, final int count) {
        if (complete) {
            Arrays.fill(joined, 0, count, 1);
        } else if (failures == null) {
            population.joined(range.first() + first, count, numbers.phase(inEpoch), numbers.link(inEpoch), joined);
        } else {
            failures.up(inEpoch, first, count, joined);
        }
    }

    /** Determines what each node would send: its oldest cell, else its next local cell. */
    private void ask(final int inEpoch, final int first, final int count) {
        final int[] isJoined = joined;
        final int[] waits = waiting;
        final int[] hasNone = local;
        queues.queues().oldest(numbers.queue(inEpoch, first), count, oldest, waits);
        for (int i = 0; i < count; i++) {
            waits[i] &= isJoined[i];
        }
        for (int i = 0; i < count; i++) {
            hasNone[i] = isJoined[i] & ~waits[i];
        }
        Arrays.fill(direct, 0, count, 0);
        if (failures != null) {
            // Restarted cells take precedence over local flows.
            failures.hinderByRestarts(first, count, hasNone, hindered);
        } else if (scheduler.isPaced()) {
            Arrays.fill(hindered, 0, count, 0);
        }
        if (scheduler.isPaced()) {
            scheduler.askEach(numbers.queue(inEpoch, first), first, count, hasNone, hindered);
        } else {
            askOwn(inEpoch, first, count);
        }
    }

    private void askOwn(final int inEpoch, final int first, final int count) {
        int asked = 0;
        for (int i = 0; i < count; i++) {
            list[asked] = i;
            asked += local[i];
        }
        askOwn(inEpoch, first, list, asked);
        if (failures != null) {
            failures.hinder(inEpoch, first, count, destination, local, hindered);
        }
    }

    private void spend(final int inEpoch, final int first, final int count) {
        int asking = 0;
        for (int i = 0; i < count; i++) {
            list[asking] = i;
            asking += waiting[i] | local[i];
        }
        Arrays.fill(asks.paid(), 0, count, 0);
        decided = control.trySpend(numbers.queue(inEpoch, first), list, asking, asks);
    }

    /** Sorts nodes of a block into the lists of what they do. */
    private void sort(final int[] which, final int some) {
        final int[] paid = asks.paid();
        int on = 0;
        int searched = 0;
        int started = 0;
        int more = 0;
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            final int may = paid[i] | direct[i];
            sendingOn[on] = i;
            searching[searched] = i;
            starting[started] = i;
            others[more] = i;
            on += waiting[i] & may;
            searched += waiting[i] & ~may;
            started += may & ~waiting[i];
            more += (local[i] | hindered[i]) & ~(may | waiting[i]);
        }
        sendOn = on;
        search = searched;
        start = started;
        other = more;
    }

    /** Finds the next local cell of nodes without a waiting cell; cells to the peer itself need no admission. */
    private void askOwn(final int inEpoch, final int first, final int[] which, final int asked) {
        scheduler.ask(numbers.queue(inEpoch, first), first, which, asked, flow, destination, local);
        final int phase = numbers.phase(inEpoch);
        final int phaseLink = numbers.link(inEpoch);
        final int firstId = range.first() + first;
        for (int k = 0; k < asked; k++) {
            final int i = which[k];
            direct[i] = Branchless.ifEqual(destination[i], schedule.peerOf(firstId + i, phase, phaseLink)) & local[i];
            local[i] -= direct[i];
        }
    }

    /** Marks nodes without a waiting cell whose flows have to be asked one after the other. */
    private void askEach(final int[] which, final int asked) {
        for (int k = 0; k < asked; k++) {
            final int i = which[k];
            local[i] = 0;
            direct[i] = 0;
            hindered[i] = 1;
        }
    }

    /** Sends for the sorted nodes. If nothing may go, the route keeps its value. */
    private void sendSorted(final long slot, final int inEpoch, final int first) {
        final int firstQueue = numbers.queue(inEpoch, first);
        final int without = queues.dequeue(firstQueue, first, sendingOn, sendOn, searching, search, batch);
        forward(first);
        sendOwn(slot, firstQueue, first);
        sendOthers(slot, inEpoch, first, searching, without);
        sendOthers(slot, inEpoch, first, others, other);
    }

    /** Sends the chosen cells on. */
    private void forward(final int first) {
        forwarded += batch.count();
        final int count = batch.count();
        final int[] node = batch.node();
        final long[] word = batch.word();
        final long[] chosen = batch.cell();
        for (int i = 0; i < count; i++) {
            route[node[i] - first] = Route.forwarded(word[i]);
            cell[node[i] - first] = chosen[i];
        }
    }

    /** Sends the local cells that are paid for. */
    private void sendOwn(final long slot, final int firstQueue, final int first) {
        scheduler.take(firstQueue, first, starting, start, flow, cell);
        for (int k = 0; k < start; k++) {
            final int i = starting[k];
            route[i] = Route.first(destination[i], firstSprays, slot);
        }
    }

    /**
     * Sends for each listed node a restarted cell (docs/spec/shale.md §5.3 step 3), or a cell of any of its
     * flows.
     */
    private void sendOthers(final long slot, final int inEpoch, final int first, final int[] which, final int some) {
        final int firstQueue = numbers.queue(inEpoch, first);
        for (int k = 0; k < some; k++) {
            final int i = which[k];
            if (failures != null && failures.pollRestart(first + i, inEpoch)) {
                forwarded++;
                route[i] = failures.route();
                cell[i] = failures.cell();
            } else if (decided && local[i] != 0 && scheduler.isAlone(flow[i])) {
                refuse(firstQueue + i);
            } else {
                start(slot, i, first + i, firstQueue + i, schedule.peerOf(range.first() + first + i, inEpoch));
            }
        }
    }

    /** Sends the first cell that may go of any flow of a node, the i-th of its block. */
    private void start(final long slot, final int i, final int node, final int queue, final int peer) {
        if (scheduler.hasFlow(node) && scheduler.poll(queue, node, peer, admission)) {
            route[i] = Route.first(scheduler.destination, firstSprays, slot);
            cell[i] = scheduler.cell;
        } else if (!scheduler.declined) {
            refuse(queue);
        }
    }

    /** Marks a queue that no cell may leave until a notice arrives over its link. */
    private void refuse(final int queue) {
        if (sparse != null) {
            queues.refused().set(queue);
        }
    }

    /**
     * Sends for a block in which few nodes have a cell, a flow or feedback. The bits of these nodes are scanned, the
     * nodes are listed and go through the same steps; the others cost nothing. If there are very few, each goes through
     * the whole slot by itself, since its state is then cached and loops over so few nodes are not worth their start.
     *
     * <p>The words stand on the link at the place of each node, or side by side at the places of the first nodes.
     * Places that were filled one turn of the rows ago and stay empty now become idle.
     */
    private final class SparseSender {
        /**
         * One bit for each node of a block: where a cell waits, where none waits but a flow is active, and where
         * feedback is.
         */
        private final long[] waits = new long[wordsOf(block)];
        private final long[] owns = new long[waits.length];
        private final long[] feeds = new long[waits.length];
        /** Number of nodes of the block that may have a cell to send, and of nodes that have feedback. */
        private int mayAsk;
        private int mayFeed;
        /** Nodes that ask to send a cell, nodes that send one, and nodes that send feedback. */
        private final int[] asking = new int[block + QueueBits.SPARE];
        private final int[] senders = new int[block + QueueBits.SPARE];
        private final int[] riders = new int[block + QueueBits.SPARE];
        /** 1 if the node asked for has a peer, else 0. */
        private final int[] joinedOne = new int[1];
        /** One bit for each node of a block, set if it sends. */
        private final long[] sending = new long[waits.length];
        /** One bit for each node of the bank, by row of the link: set if its place is not idle. */
        private final long[] filled;
        private final int words = wordsOf(range.size());
        /** Number of places from the first on that may not be idle, by row, if cells stand side by side. */
        private final int[] packed = new int[packs ? rows.period : 0];
        /** Row, place of the bank's first node, phase and link of the slot; and the block's first node. */
        private int row;
        private long rowAt;
        private int phase;
        private int phaseLink;
        private int firstOfBlock;
        /** Nodes of the block that have sent something. */
        private int sent;

        /** Creates the sender with every place of the link idle. */
        SparseSender() {
            this.filled = new long[packs ? 0 : hasFlags ? words * rows.period : words];
            Arrays.fill(filled, hasFlags ? 0 : -1L);
        }

        /** Finds the nodes of a block that may have something to send; returns their number. */
        int look(final int inEpoch, final int first, final int count) {
            final int firstQueue = numbers.queue(inEpoch, first);
            int some = 0;
            mayAsk = 0;
            mayFeed = 0;
            for (int from = 0; from < count; from += Long.SIZE) {
                final long open = mask(count - from) & ~queues.refused().from(firstQueue + from);
                final long wait = queues.waiting().from(firstQueue + from) & open;
                final long own = scheduler.activeFrom(first + from) & open & ~wait;
                final long feed = control.feedbackFrom(firstQueue + from) & mask(count - from);
                waits[from >>> 6] = wait;
                owns[from >>> 6] = own;
                feeds[from >>> 6] = feed;
                mayAsk += Long.bitCount(wait | own);
                mayFeed += Long.bitCount(feed);
                some += Long.bitCount(wait | own | feed);
            }
            return some;
        }

        /** Sends a slot for the nodes found by {@link #look}; the others send nothing. */
        void send(final long slot, final int inEpoch, final int toRow, final long linkAt, final int first,
            final int count, final boolean singly) {
            row = toRow;
            rowAt = linkAt;
            phase = numbers.phase(inEpoch);
            phaseLink = numbers.link(inEpoch);
            firstOfBlock = first;
            Arrays.fill(sending, 0);
            sent = 0;
            if (singly) {
                for (int from = 0; from < count; from += Long.SIZE) {
                    sendSingly(slot, inEpoch, from);
                }
                leaveIdle(count);
                return;
            }
            final int asked = mayAsk == 0 ? 0 : ask(inEpoch, first, count);
            if (asked > 0) {
                decided = control.trySpend(numbers.queue(inEpoch, first), asking, asked, asks);
                sort(asking, asked);
                sendSorted(slot, inEpoch, first);
                sendCells(inEpoch, first, asked);
            }
            if (mayFeed > 0) {
                sendFeedback(inEpoch, first, count);
            }
            leaveIdle(count);
        }

        /** Lists the nodes that ask to send a cell, with their requests; returns their number. */
        private int ask(final int inEpoch, final int first, final int count) {
            final int owning = joinListed(inEpoch, first, 0, append(owns, count, asking, 0));
            final int asked = joinListed(inEpoch, first, owning, append(waits, count, asking, owning));
            final CellQueues cells = queues.queues();
            final int firstQueue = numbers.queue(inEpoch, first);
            if (numbers.queues() >= FAR_QUEUES) {
                cells.fetch(firstQueue, asking, owning, asked);
                control.fetch(firstQueue, asking, asked, riders, mayFeed == 0 ? 0 : append(feeds, count, riders, 0));
            }
            for (int k = 0; k < owning; k++) {
                waiting[asking[k]] = 0;
                route[asking[k]] = InFlightCells.NO_CELL;
            }
            if (scheduler.isPaced()) {
                askEach(asking, owning);
            } else {
                askOwn(inEpoch, first, asking, owning);
            }
            for (int k = owning; k < asked; k++) {
                final int i = asking[k];
                oldest[i] = (int) cells.first(firstQueue + i);
                waiting[i] = 1;
                local[i] = 0;
                direct[i] = 0;
                hindered[i] = 0;
                route[i] = InFlightCells.NO_CELL;
            }
            return asked;
        }

        /** Appends the nodes of a block whose bit is set to a list; returns its new end. */
        private static int append(final long[] bits, final int count, final int[] into, final int at) {
            int end = at;
            for (int from = 0; from < count; from += Long.SIZE) {
                end = QueueBits.list(bits[from >>> 6], from, into, end);
            }
            return end;
        }

        /**
         * Removes the listed nodes that have no peer on this link, which is permanent; returns the new end of the list.
         */
        private int joinListed(final int inEpoch, final int first, final int from, final int end) {
            if (complete) {
                return end;
            }
            int with = from;
            for (int k = from; k < end; k++) {
                final int i = asking[k];
                population.joined(range.first() + first + i, 1, phase, phaseLink, joinedOne);
                if (joinedOne[0] == 0) {
                    queues.refused().set(numbers.queue(inEpoch, first + i));
                }
                asking[with] = i;
                with += joinedOne[0];
            }
            return with;
        }

        /** Sends the cells of the nodes that asked, with feedback. */
        private void sendCells(final int inEpoch, final int first, final int asked) {
            int cells = 0;
            int riding = 0;
            for (int k = 0; k < asked; k++) {
                final int i = asking[k];
                senders[cells] = i;
                cells += (int) Branchless.ifAny(~route[i]);
            }
            final int firstQueue = numbers.queue(inEpoch, first);
            for (int k = 0; k < cells; k++) {
                final int i = senders[k];
                feedback[i] = InFlightCells.NO_FEEDBACK;
                riders[riding] = i;
                riding += (int) control.feedbackFrom(firstQueue + i) & 1;
            }
            control.takeFeedback(firstQueue, riders, riding, feedback);
            for (int k = 0; k < cells; k++) {
                final int i = senders[k];
                link.send(place(i, k), route[i], cell[i], feedback[i]);
            }
            flag(senders, cells);
        }

        /** Sends feedback from the nodes that send no cell. */
        private void sendFeedback(final int inEpoch, final int first, final int count) {
            int riding = 0;
            for (int from = 0; from < count; from += Long.SIZE) {
                riding = QueueBits.list(feeds[from >>> 6] & ~sending[from >>> 6], from, riders, riding);
            }
            control.takeFeedback(numbers.queue(inEpoch, first), riders, riding, feedback);
            for (int k = 0; k < riding; k++) {
                link.sendIdle(place(riders[k], k), feedback[riders[k]]);
            }
            flag(riders, riding);
        }

        /** Sends from 64 nodes of the block, one after the other; {@code from} is the first of them. */
        private void sendSingly(final long slot, final int inEpoch, final int from) {
            final long waiting = waits[from >>> 6];
            final long asks = waiting | owns[from >>> 6];
            final int base = firstOfBlock + from;
            for (long left = asks | feeds[from >>> 6]; left != 0; left &= left - 1) {
                final int bit = Long.numberOfTrailingZeros(left);
                final int node = base + bit;
                final int queue = numbers.queue(inEpoch, node);
                final int peer = schedule.peerOf(range.first() + node, phase, phaseLink);
                final int i = from + bit;
                route[i] = InFlightCells.NO_CELL;
                if ((waiting >>> bit & 1) != 0 && queues.dequeue(node, queue)) {
                    route[i] = Route.forwarded(queues.queues().entry());
                    cell[i] = queues.queues().payload();
                    forwarded++;
                } else if ((asks >>> bit & 1) != 0) {
                    start(slot, i, node, queue, peer);
                }
                // A cell sent on may have left feedback for this link.
                final long rides = (control.feedbackFrom(queue) & 1) == 0 ? InFlightCells.NO_FEEDBACK
                    : control.takeFeedback(queue);
                if (route[i] != InFlightCells.NO_CELL || rides != InFlightCells.NO_FEEDBACK) {
                    link.send(place(i, 0), route[i], cell[i], rides);
                    flag(i, peer);
                }
            }
        }

        private static int wordsOf(final int nodes) {
            return nodes + Long.SIZE - 1 >>> 6;
        }

        /** Returns the offset on the link for the k-th sender without a place; {@code i} is its index in the block. */
        private long place(final int i, final int k) {
            return rowAt + Region.offset(packs ? sent + k : firstOfBlock + i, InFlightCells.PLACE_BYTES);
        }

        /** Flags the receivers of the listed nodes of the block, which have sent. */
        private void flag(final int[] which, final int some) {
            for (int k = 0; k < some; k++) {
                flag(which[k], schedule.peerOf(range.first() + firstOfBlock + which[k], phase, phaseLink));
            }
        }

        /** Records that a node of the block has sent something to a peer. */
        private void flag(final int i, final int peer) {
            if (hasFlags) {
                flags.set(row, peer, packs ? sent : 0);
            }
            sending[i >>> 6] |= 1L << i;
            sent++;
        }

        /** Sets places of the block idle that were filled before and stay empty now. */
        private void leaveIdle(final int count) {
            if (packs) {
                if (packed[row] > sent) {
                    link.leaveIdle(place(0, 0), packed[row] - sent, InFlightCells.NO_FEEDBACK);
                }
                packed[row] = sent;
                return;
            }
            int idle = 0;
            for (int from = 0; from < count; from += Long.SIZE) {
                final int at = filledAt(row, firstOfBlock + from);
                idle = QueueBits.list(filled[at] & mask(count - from) & ~sending[from >>> 6], from, asking, idle);
                filled[at] = hasFlags ? sending[from >>> 6] : -1L;
            }
            for (int k = 0; k < idle; k++) {
                link.sendIdle(place(asking[k], 0), InFlightCells.NO_FEEDBACK);
            }
        }

        /** Returns a mask with one bit for each node left, at most 64. */
        private static long mask(final int nodes) {
            return nodes < Long.SIZE ? ~(-1L << nodes) : -1L;
        }

        /** Records that a block sent without this object: every place may be filled. */
        void onBlock(final int ofRow, final int first, final int count) {
            if (packs) {
                packed[ofRow] = count;
            } else if (hasFlags) {
                final int at = filledAt(ofRow, first);
                Arrays.fill(filled, at, at + wordsOf(count), -1L);
            }
        }

        /**
         * Returns the word of the filled places of a node. Where senders set no flags, receivers read every place and
         * other parts may write them, so all count as filled.
         */
        private int filledAt(final int ofRow, final int node) {
            return (hasFlags ? ofRow * words : 0) + (node >>> 6);
        }
    }
}
