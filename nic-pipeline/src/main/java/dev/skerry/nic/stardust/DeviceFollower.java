package dev.skerry.nic.stardust;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;
import dev.skerry.schedule.check.Bounds;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Follows a Stardust adapter or element of another design, in a fabric without faults. The device chooses which queue
 * gets a credit, which credit it uses first, which link a cell takes and which cells it marks; the follower accepts
 * every choice. Illegal behaviour becomes a {@link Finding}, with the adapter and the queue as its bucket; the follower
 * then adopts what the device did and continues. It checks:
 *
 * <ul>
 * <li>conservation: an element sends each received cell once and does not lose it; an adapter sends each number of a
 *     stream once, and no bytes beyond those of its flows.
 * <li>order: the cells of a link and fabric priority leave in the order in which they joined its queue, priority 0
 *     first.
 * <li>route: a cell takes a link that leads to its destination.
 * <li>payload: an element changes only the congestion level of a cell, and never lowers it; the bytes of a stream are
 *     continuous.
 * <li>schedule: no cell leaves on a paused link.
 * <li>token: each packet of an adapter leaves on a credit, and each credit counts once; an adapter grants credits only
 *     to queues that ask for them, and numbers them.
 * </ul>
 *
 * <p>Not checked: pace and fairness of credits, when a queue asks, which links a device pauses and when, marks, and
 * reachability messages. Not thread-safe.
 */
public final class DeviceFollower {
    private static final int NO_LINK = -1;
    private static final int MOST_FCI = 3;
    private static final int ORDERS = 2;
    /** Sign extension of a difference of numbers. */
    private static final int NUMBER_SHIFT = Integer.SIZE - StardustCell.NUMBER_BITS;

    private final Stardust fabric;
    private final FlowSet flows;
    private final int device;
    private final boolean isAdapter;
    private final int perPair;
    /** Maximum number of slots by which cells and pauses may take effect late. */
    private final int late;
    private final FindingLog log;
    private final Packets packets;
    /** Links that lead to each adapter. */
    private final int[][] leadsTo;
    /** By link: whether it is paused, and the slot in which that last changed. */
    private final boolean[] paused;
    private final long[] changed;
    /** By link and order: all cells that joined the queue up to this slot have left it. */
    private final long[][] cleared;
    /** Whether a link that has a cell and is not paused always sends. */
    private final boolean neverIdles;
    /** In an element: cells by destination, source, queue and number; and by destination and order, oldest first. */
    private final Map<Long, Held> held = new HashMap<>();
    private final Map<Integer, ArrayDeque<Held>> waiting = new HashMap<>();
    /** In an adapter, by the other adapter and queue. */
    private final Map<Integer, Stream> streams = new HashMap<>();
    private final Map<Integer, Asker> askers = new HashMap<>();
    private final Set<Stream> gapped = new HashSet<>();
    private long slot;
    private int link;

    /**
     * Creates a follower before slot 0.
     *
     * @param flows  flows of all devices, as for a {@link DeviceModel}.
     * @param device number of the device; adapters have the lowest numbers.
     * @param rules  only {@link Setting#CELL_DELAY}, the slots by which cells and pauses may take effect late.
     * @param log    receives the findings; several devices may share one.
     * @throws IllegalArgumentException if there is no such device, hosts use TCP, packets come from ports, the fabric
     *     drops cells, or another rule is set.
     */
    public DeviceFollower(final Stardust fabric, final FlowSet flows, final int device, final FollowRules rules,
        final FindingLog log) {
        final FoldedClos clos = fabric.clos();
        Bounds.refuseIf(device < 0 || device >= clos.devices(), "no such device: device=", device, " devices=",
            clos.devices());
        Bounds.refuseIf(fabric.hosts().model() instanceof Reno || flows.isOnDemand() || flows.waits() != null
            || !fabric.pull() || !fabric.links().lossless(), "followed devices require credits, lossless links and "
                + "flows that are known beforehand, not flows of TCP, ports or dependencies: fabric=", fabric);
        Bounds.refuseIf(!rules.equals(FollowRules.STRICT.with(Setting.CELL_DELAY, rules.get(Setting.CELL_DELAY))),
            "followers of Stardust devices support only the rule cellDelay: rules=", rules);
        this.fabric = fabric;
        this.flows = flows;
        this.device = device;
        this.isAdapter = device < clos.fas();
        this.perPair = fabric.hosts().queues();
        this.late = rules.get(Setting.CELL_DELAY);
        this.log = log;
        this.packets = Packets.of(Arena.ofAuto(), fabric, flows);
        final UpDownReach reach = new UpDownReach(fabric.deployment());
        final int links = clos.ports(device);
        this.leadsTo = new int[clos.fas()][];
        Arrays.setAll(leadsTo, to -> IntStream.range(0, links).filter(of -> reach.leads(device, of, to)).toArray());
        this.paused = new boolean[links];
        this.changed = new long[links];
        Arrays.fill(changed, -late);
        this.cleared = new long[links][ORDERS];
        Arrays.stream(cleared).forEach(orders -> Arrays.fill(orders, -1));
        this.neverIdles = fabric.links().charge() == null && !fabric.links().carriesControl();
    }

    /**
     * Follows one slot.
     *
     * @param now      the slot: 0 first, then consecutive slots.
     * @param received what the device received.
     * @param observed what the device sent.
     * @throws IllegalArgumentException if {@code now} is not the next slot, or links are missing.
     */
    public void step(final long now, final DeviceSignals received, final DeviceSignals observed) {
        if (now != slot || received.links() != paused.length || observed.links() != paused.length) {
            throw new IllegalArgumentException("slots must be consecutive, with " + paused.length
                + " links: slot=" + now + " next=" + slot);
        }
        for (link = 0; link < paused.length; link++) {
            if (received.pause(link) != paused[link]) {
                paused[link] ^= true;
                changed[link] = slot;
            }
            if (received.first(link) != 0) {
                receive(received.first(link), received.second(link));
            }
        }
        link = NO_LINK;
        for (int i = 0; i < received.messages(); i++) {
            receiveMessage(received.message(i));
        }
        for (link = 0; link < paused.length; link++) {
            send(observed.first(link), observed.second(link));
        }
        link = NO_LINK;
        for (int i = 0; i < observed.messages(); i++) {
            sendMessage(observed.message(i));
        }
        findLost();
        slot++;
    }

    /** Returns the next slot. */
    public long slot() {
        return slot;
    }

    /**
     * Returns the number of cells that an element holds; for an adapter, of cells that have overtaken another cell of
     * their stream.
     */
    public int held() {
        return isAdapter ? streams.values().stream().mapToInt(each -> each.early.size()).sum() : held.size();
    }

    private void find(final Law law, final int adapter, final int queue, final String expected, final String seen) {
        log.add(new Finding(law, slot, device, link, new Finding.Bucket(adapter, queue), expected, seen));
    }

    private void find(final Law law, final long first, final long second, final String expected) {
        find(law, StardustCell.to(first), StardustCell.queue(second), expected, text(first, second));
    }

    private static String text(final long first, final long second) {
        return "cell " + StardustCell.from(first) + ">" + StardustCell.to(first) + " queue "
            + StardustCell.queue(second) + " number " + StardustCell.number(second);
    }

    /** Whether the words are a cell between two adapters of the fabric. */
    private boolean isCell(final long first, final long second) {
        return StardustCell.isCell(first) && StardustCell.to(first) < leadsTo.length
            && StardustCell.from(first) < leadsTo.length && StardustCell.from(first) != StardustCell.to(first)
            && StardustCell.queue(second) < perPair && StardustCell.bytes(first) <= fabric.cut().cellBytes()
            && StardustCell.order(first) == fabric.order(StardustCell.queue(second));
    }

    private void receive(final long first, final long second) {
        if (!isCell(first, second) || isAdapter != (StardustCell.to(first) == device)
            || !isAdapter && leadsTo[StardustCell.to(first)].length == 0) {
            find(Law.ROUTE, first, second, "a cell of this fabric to arrive");
        } else if (!isAdapter) {
            final Held cell = new Held(first, second, slot);
            final Held before = held.put(cell.key(), cell);
            if (before != null) {
                before.isGone = true;
                find(Law.CONSERVATION, first, second, "each cell to arrive once");
            }
            waiting.computeIfAbsent(cell.place(), each -> new ArrayDeque<>()).add(cell);
        }
    }

    /** Checks what a link sends; a first word of 0 means that it sends nothing. */
    private void send(final long first, final long second) {
        final boolean isSettled = slot - changed[link] >= late;
        if (first == 0) {
            if (neverIdles && !paused[link] && isSettled) {
                Arrays.fill(cleared[link], slot - late);
            }
            return;
        }
        if (paused[link] && isSettled) {
            find(Law.SCHEDULE, first, second, "nothing on a paused link");
        }
        if (!isCell(first, second) || isAdapter && StardustCell.from(first) != device) {
            find(Law.ROUTE, first, second, "a cell of this fabric");
            return;
        }
        final boolean leads = Arrays.binarySearch(leadsTo[StardustCell.to(first)], link) >= 0;
        if (isAdapter) {
            stream(StardustCell.to(first), StardustCell.queue(second)).send(first, second);
        } else if (!forward(first, second, leads)) {
            return;
        }
        if (!leads) {
            find(Law.ROUTE, first, second, "a link that leads to adapter " + StardustCell.to(first));
        } else if (StardustCell.order(first) == 1) {
            cleared[link][0] = Math.max(cleared[link][0], slot - late);
        }
    }

    /**
     * Checks a cell that an element sends, by a link that leads to its destination or not; returns whether the element
     * held the cell.
     */
    private boolean forward(final long first, final long second, final boolean leads) {
        final Held cell = held.remove(new Held(first, second, slot).key());
        if (cell == null) {
            find(Law.CONSERVATION, first, second, "a cell that is held");
            return false;
        }
        cell.isGone = true;
        if (StardustCell.marked(first, MOST_FCI) != StardustCell.marked(cell.first, MOST_FCI)
            || second != cell.second || StardustCell.fci(first) < StardustCell.fci(cell.first)) {
            find(Law.PAYLOAD, first, second, String.format("0x%x 0x%x", cell.first, cell.second));
        }
        final long[] left = cleared[link];
        final int order = StardustCell.order(cell.first);
        if (leads && cell.slot <= left[order]) {
            find(Law.ORDER, first, second, "a cell that came after slot " + left[order]);
        } else if (leads) {
            left[order] = Math.max(left[order], cell.slot - 1);
        }
        return true;
    }

    /**
     * Finds cells that cannot be in the queue of any link. Each slot checks the cells of one destination, and streams
     * with gaps.
     */
    private void findLost() {
        for (final Stream stream : Set.copyOf(gapped)) {
            stream.findLost();
        }
        final int to = (int) (slot % leadsTo.length);
        for (int order = 0; order < ORDERS; order++) {
            final ArrayDeque<Held> cells = waiting.get(to * ORDERS + order);
            while (cells != null && !cells.isEmpty() && (cells.peek().isGone || isLost(cells.peek()))) {
                cells.poll();
            }
        }
    }

    private boolean isLost(final Held cell) {
        for (final int each : leadsTo[StardustCell.to(cell.first)]) {
            if (cleared[each][StardustCell.order(cell.first)] < cell.slot) {
                return false;
            }
        }
        held.remove(cell.key());
        find(Law.CONSERVATION, StardustCell.to(cell.first), StardustCell.queue(cell.second),
            text(cell.first, cell.second) + ", which came in slot " + cell.slot + ", to leave", "it is in no queue");
        return true;
    }

    private Stream stream(final int adapter, final int queue) {
        return streams.computeIfAbsent(adapter * perPair + queue, each -> new Stream(adapter, queue));
    }

    private Asker asker(final long message, final int adapter) {
        return askers.computeIfAbsent(adapter * perPair + Control.queue(message), each -> new Asker());
    }

    private boolean isMessage(final long message, final int from, final int to) {
        return isAdapter && Control.issuer(message) == from && Control.target(message) == to && from != to
            && from < leadsTo.length && to < leadsTo.length && Control.queue(message) < perPair;
    }

    /** Handles a message that arrives. */
    private void receiveMessage(final long message) {
        final int issuer = Control.issuer(message);
        if (!isMessage(message, issuer, device)) {
            find(Law.ROUTE, issuer, Control.queue(message), "a message for this adapter to arrive",
                "0x" + Long.toHexString(message));
        } else if (Control.kind(message) == Control.CREDIT) {
            stream(issuer, Control.queue(message)).credit(message);
        } else {
            asker(message, issuer).request(message);
        }
    }

    /** Checks a message that the device sends. */
    private void sendMessage(final long message) {
        final int target = Control.target(message);
        if (!isMessage(message, device, target)) {
            find(Law.ROUTE, target, Control.queue(message), "a message of this adapter", "0x"
                + Long.toHexString(message));
        } else if (Control.kind(message) == Control.CREDIT) {
            final String broken = asker(message, target).grant(message);
            if (broken != null) {
                find(Law.TOKEN, target, Control.queue(message), broken, "a credit of " + Control.worth(message)
                    + " bytes, number " + Control.number(message));
            }
        }
    }

    /** A cell that an element received. */
    private static final class Held {
        private final long first;
        private final long second;
        private final long slot;
        private boolean isGone;

        Held(final long first, final long second, final long slot) {
            this.first = first;
            this.second = second;
            this.slot = slot;
        }

        /** Destination, source, queue and number. */
        long key() {
            return first >>> Integer.SIZE << Integer.SIZE | second >>> Integer.SIZE;
        }

        /** Destination and order. */
        int place() {
            return StardustCell.to(first) * ORDERS + StardustCell.order(first);
        }
    }

    /** A queue of another adapter that asks this one for credits. */
    private final class Asker {
        private boolean asks;
        private long owed;
        private int number;

        void request(final long message) {
            final long before = Control.kind(message) == Control.WANT ? owed : 0;
            asks = Control.kind(message) != Control.ENOUGH;
            owed = before + Control.asked(message);
        }

        /** Records a credit for the queue; returns what the law requires, null if the credit is legal. */
        String grant(final long message) {
            final boolean byBacklog = fabric.credits().voqs().byBacklog();
            final int next = number + 1 & Control.NUMBERS - 1;
            final long most = byBacklog ? Math.min(fabric.credits().bytes(), owed) : fabric.credits().bytes();
            final String broken = !asks ? "no credit for a queue that does not ask"
                : Control.number(message) != next ? "the credit of number " + next
                : Control.worth(message) > most ? "a credit of up to " + most + " bytes" : null;
            number = Control.number(message);
            owed = Math.max(0, owed - Control.worth(message));
            asks &= !byBacklog || owed > 0;
            return broken;
        }
    }

    /** Stream of a queue of an adapter: what it sends, and its credits. */
    private final class Stream {
        private final int to;
        private final int queue;
        private final boolean needsCredit;
        /** Whether packets may be missing, because the adapter may have dropped them. */
        private final boolean hasGaps = fabric.credits().voqs().isCapped() || fabric.credits().voqs().givesUp()
            || fabric.credits().classes().lowLatency();
        /** Number of the next cell, its place, and the slot in which a later cell was first seen. */
        private long next;
        private int place;
        private long since;
        /** Later cells that have left: first and second word by number. */
        private final Map<Long, long[]> early = new HashMap<>();
        /** Largest number that has left, by link. */
        private final long[] last = new long[paused.length];
        /** Packet of the next cell, and its bytes that have left. */
        private long packet;
        private int done;
        private long balance;
        private int credit;

        Stream(final int to, final int queue) {
            this.to = to;
            this.queue = queue;
            this.needsCredit = queue % fabric.hosts().classes() >= fabric.credits().classes().withoutCredit();
            this.packet = Packets.word(packets.first((to * leadsTo.length + device) * perPair + queue), 0);
            Arrays.fill(last, -1);
        }

        void send(final long first, final long second) {
            final long number = next + (StardustCell.number(second) - (int) next << NUMBER_SHIFT >> NUMBER_SHIFT);
            if (number < next || early.containsKey(number)) {
                find(Law.CONSERVATION, first, second, "each cell to leave once");
                return;
            }
            if (last[link] > number) {
                find(Law.ORDER, first, second, "a number above " + last[link] % (1 << StardustCell.NUMBER_BITS)
                    + " on this link");
            }
            last[link] = Math.max(last[link], number);
            early.put(number, new long[] {first, second});
            if (number == next) {
                takeAll();
            } else if (gapped.add(this)) {
                since = slot;
            }
        }

        /** Processes the cells that have left without a gap after the last processed one. */
        private void takeAll() {
            for (long[] cell = early.remove(next); cell != null; cell = early.remove(next)) {
                next++;
                take(StardustCell.bytes(cell[0]), StardustCell.place(cell[1]));
            }
            since = slot;
            if (early.isEmpty()) {
                gapped.remove(this);
            }
        }

        void findLost() {
            for (final int each : leadsTo[to]) {
                if (last[each] < next && cleared[each][fabric.order(queue)] < since) {
                    return;
                }
            }
            find(Law.CONSERVATION, to, queue, "number " + next % (1 << StardustCell.NUMBER_BITS) + " to leave",
                "later ones on every link");
            next = Collections.min(early.keySet());
            place = StardustCell.place(early.get(next)[1]);
            takeAll();
        }

        private void take(final int bytes, final int at) {
            final int gap = at - place;
            if (gap < 0 || gap > 0 && !hasGaps) {
                find(Law.PAYLOAD, to, queue, "place " + Integer.toUnsignedString(place), "place "
                    + Integer.toUnsignedString(at));
            }
            skip(gap, false);
            skip(bytes, true);
            place = at + bytes;
        }

        /** Advances by some bytes; {@code pays} tells whether packets that begin in them use credits. */
        private void skip(final int bytes, final boolean pays) {
            for (int left = bytes; left > 0;) {
                if (hasNothingMore(packet)) {
                    find(Law.CONSERVATION, to, queue, "no bytes beyond those of its flows", left + " more");
                    return;
                }
                final int length = packets.length(packet);
                if (done == 0 && pays && needsCredit) {
                    pay(length);
                }
                final int part = Math.min(left, length + fabric.cut().prefixBytes() - done);
                left -= part;
                done += part;
                if (done == length + fabric.cut().prefixBytes()) {
                    done = 0;
                    packet = packets.after(packet);
                }
            }
        }

        private void pay(final int length) {
            if (balance <= 0) {
                find(Law.TOKEN, to, queue, "no packet without a credit", "one of " + length + " bytes");
                balance = 1;
            }
            balance -= length + fabric.credits().adjustBytes();
            if (hasNothingMore(packets.after(packet))) {
                balance = Math.min(balance, fabric.credits().capBytes());
            }
        }

        /** Whether there is no packet, or its flow has not started. */
        private boolean hasNothingMore(final long of) {
            return Packets.flow(of) == Packets.NONE || flows.startSlot(Packets.flow(of)) > slot;
        }

        /** Adds a credit that arrived; a credit that arrives twice counts once. */
        void credit(final long message) {
            if (Control.number(message) != credit && needsCredit) {
                balance += Control.worth(message);
            }
            credit = Control.number(message);
            if (hasNothingMore(done == 0 ? packet : packets.after(packet))) {
                balance = Math.min(balance, fabric.credits().capBytes());
            }
        }
    }
}
