package dev.skerry.nic.stardust.adapter;

import dev.skerry.dataplane.queue.QueueBits;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NicCounter.BankCounters;
import dev.skerry.nic.host.SlotWheel;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.SlotLists;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.HostPorts;
import org.agrona.collections.IntArrayList;

import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Hands out the credits of a bank's adapters (docs/spec/stardust.md §5.1): at the pace of each port, in turn to the
 * queues that requested them, higher classes first, or by their weights. Congestion marks slow an adapter down as a
 * whole.
 *
 * <pre>
 *   passed   by port and class: credits given, divided by the weight of the class; the least is next
 * </pre>
 *
 * <p>Bytes of credits are counted in units of 1/65536 byte. One thread.
 */
public final class EgressScheduler {
    /** Cells of a link in the window over which marks are counted, W of docs/spec/stardust.md §5.1. */
    static final int WINDOW_SLOTS = 128;
    private static final int FRACTION_BITS = 16;
    private static final double ONE = 1 << FRACTION_BITS;
    /** Advance of a class of weight 1 with a credit: divided by any weight up to 127 it stays above 2^33. */
    private static final long STRIDE = 1L << 40;
    /** Factor by which a rogue adapter grants too many credits. */
    private static final int GREED = 64;
    private static final int MOST_OWED = 1 << 30;
    private static final double SLOWER = 0.2;
    private static final double FASTER = 0.01;
    private static final double LEAST = 0.25;
    private static final int USE_ORDER = 1;
    private static final int USE_PHASE = 2;

    private final Stardust fabric;
    private final SlotLists control;
    private final BankCounters tally;
    private final HostPorts ports;
    private final int first;
    private final int count;
    private final int portsPerAdapter;
    private final int classes;
    private final int perPort;
    private final int places;
    /**
     * By port and class: a bit for each place that asks, the words that these take, and the number of places that ask.
     */
    private final long[] asking;
    private final int words;
    private final int[] askers;
    private final int[] turn;
    private final byte[] issued;
    /** Bytes requested and not yet given, by place and class; null if every credit has the same worth. */
    private final int[] owed;
    /** Null unless queues that hold little request slow rates. */
    private final SlowAskers slow;
    private final int strict;
    private final long[] stride;
    private final long[] passed;
    private final long[] passing;
    /**
     * The order in which each port serves the queues, each of an adapter, that may send to it (a queue is its key):
     * random and separate for each port, so that ports do not favour the same queues at once.
     */
    private final int[] keyOf;
    private final int[] placeOf;
    private final long[] pace;
    private final long[] budget;
    /**
     * By adapter: the share of its capacity that it grants, 1/4 to 1, and the cells of this window, all and marked.
     */
    private final double[] share;
    private final int[] received;
    private final int[] marked;
    private final int[] links;
    private final double perLink;
    private final int window;
    /** Adapters whose schedulers have something to do; all others have saved as much as they may, and no queue asks. */
    private final QueueBits awake;
    private final boolean[] silent;
    private final boolean[] rogue;
    /** Worth of the last credit. */
    private long given;

    /**
     * Creates a scheduler before any queue asks.
     *
     * @param ports the ports for which the credits are.
     * @param first the first adapter of the bank.
     * @param count number of adapters of the bank.
     */
    public EgressScheduler(final Stardust fabric, final HostPorts ports, final SlotLists control,
        final BankCounters tally, final int first, final int count) {
        this.fabric = fabric;
        this.ports = ports;
        this.control = control;
        this.tally = tally;
        this.first = first;
        this.count = count;
        this.portsPerAdapter = fabric.hosts().ports();
        this.classes = fabric.hosts().classes();
        this.perPort = fabric.hosts().queuesPerPort();
        this.places = fabric.clos().fas() * perPort;
        final int all = count * portsPerAdapter;
        this.words = places + Long.SIZE - 1 >>> 6;
        this.asking = new long[all * classes * words];
        this.askers = new int[all * classes];
        this.turn = new int[all * classes];
        this.issued = new byte[all * places * classes];
        this.owed = fabric.credits().voqs().byBacklog() ? new int[issued.length] : null;
        this.slow = fabric.credits().voqs().isSlow() ? new SlowAskers(fabric.credits(), issued.length) : null;
        this.strict = fabric.credits().classes().strict(classes);
        this.stride = new long[classes];
        for (int level = strict; level < classes; level++) {
            stride[level] = STRIDE / fabric.credits().classes().weights().get(level);
        }
        this.passed = new long[all * classes];
        this.passing = new long[all];
        this.keyOf = new int[all * places];
        this.placeOf = new int[all * places];
        for (int port = 0; port < all; port++) {
            shuffle(CounterRandom.slotKey(fabric.seed(), (long) first * portsPerAdapter + port), port * places);
        }
        this.pace = new long[all];
        this.budget = new long[count];
        this.share = new double[count];
        Arrays.fill(share, 1);
        this.received = new int[count];
        this.marked = new int[count];
        this.links = new int[count];
        this.perLink = fabric.bytesPerLinkSlot() * ONE;
        this.window = WINDOW_SLOTS * fabric.cellSlots();
        this.awake = new QueueBits(count);
        IntStream.range(0, count).forEach(awake::set);
        ports.wake(awake);
        this.silent = new boolean[count];
        this.rogue = new boolean[count];
        Arrays.setAll(pace, port -> (long) CounterRandom.below(CounterRandom.bits(fabric.seed(),
            first * portsPerAdapter + port, 0, USE_PHASE), fabric.credits().bytes()) << FRACTION_BITS);
        Arrays.setAll(links, adapter -> fabric.deployment().live(first + adapter));
    }

    /**
     * Applies a request from a queue of another adapter.
     *
     * @param kind  kind of the message.
     * @param bytes bytes that it requests, if credits are worth what is requested; its rung, if it may ask slowly.
     */
    public void request(final int adapter, final int issuer, final int number, final int kind, final int bytes) {
        final int port = (adapter - first) * portsPerAdapter + fabric.hosts().port(number);
        final int place = placeOf[port * places + issuer * perPort + number / classes % perPort];
        awake.set(adapter - first);
        final boolean wants = kind != Control.ENOUGH;
        boolean hasTurn = true;
        if (owed != null) {
            final int at = at(port, place, number % classes);
            owed[at] = kind == Control.WANT ? Math.min(owed[at] + bytes, MOST_OWED) : bytes;
        } else if (slow != null) {
            hasTurn = slow.request(at(port, place, number % classes), wants, bytes);
        }
        ask(port, place, port * classes + number % classes, wants && hasTurn);
    }

    private int at(final int port, final int place, final int level) {
        return (port * places + place) * classes + level;
    }

    private void ask(final int port, final int place, final int list, final boolean wants) {
        if (set(list, place, wants)) {
            // A class without askers does not catch up later.
            passed[list] = Math.max(passed[list], passing[port]);
        }
    }

    /** Gives a queue that asks slowly its turn. */
    private void takeTurn(final int at) {
        final int port = at / (places * classes);
        ask(port, at / classes % places, port * classes + at % classes, true);
        awake.set(port / portsPerAdapter);
    }

    /** Counts a cell that came to an adapter of the bank, marked or not. */
    public void onCell(final int adapter, final int fci) {
        received[adapter]++;
        marked[adapter] += fci == 0 ? 0 : 1;
    }

    /** Sets the links of an adapter that work, which bound what all its ports grant. */
    public void setLinks(final int adapter, final int working) {
        links[adapter] = working;
    }

    /** Returns the links of an adapter that work, as set by {@link #setLinks}. */
    public int links(final int adapter) {
        return links[adapter];
    }

    /** Hands out the credits of a slot. */
    public void issue(final long slot) {
        if (slow != null) {
            slow.turnTo(slot, this::takeTurn);
        }
        if (fabric.credits().reaction() && slot % window == window - 1) {
            react();
        }
        for (int adapter = awake.next(0, count); adapter < count; adapter = awake.next(adapter + 1, count)) {
            if (!silent[adapter] && !issue(slot, adapter)) {
                awake.clear(adapter);
            }
        }
    }

    /** Sets whether an adapter grants no credits. */
    public void setSilent(final int adapter, final boolean isSilent) {
        silent[adapter] = isSilent;
    }

    /** Sets whether an adapter grants {@link #GREED} times the credits of its ports, whatever they hold. */
    public void setRogue(final int adapter, final boolean isRogue) {
        rogue[adapter] = isRogue;
        awake.set(adapter);
    }

    /** Drops the requests of an adapter that cannot be reached. */
    public void forget(final int adapter, final int issuer) {
        for (int number = 0; number < portsPerAdapter * perPort * classes; number++) {
            request(first + adapter, issuer, number, Control.ENOUGH, 0);
        }
    }

    /** Hands out the credits of an adapter; false if the next slot would change nothing without an event. */
    private boolean issue(final long slot, final int adapter) {
        final Credits credits = fabric.credits();
        final long worth = (long) credits.bytes() << FRACTION_BITS;
        final boolean bounded = !rogue[adapter] && credits.kappa() != Double.POSITIVE_INFINITY;
        final long step = (long) (credits.bytesPerSlot() * ONE * (rogue[adapter] ? GREED : bounded ? 1
            : share[adapter]));
        if (bounded) {
            final double most = credits.kappa() * links[adapter] * perLink * share[adapter];
            budget[adapter] = Math.min(budget[adapter] + (long) most, worth + (long) most);
        }
        boolean rests = true;
        final int turnOf = (int) (slot % portsPerAdapter);
        for (int i = 0; i < portsPerAdapter; i++) {
            final int local = i + turnOf < portsPerAdapter ? i + turnOf : i + turnOf - portsPerAdapter;
            final int port = adapter * portsPerAdapter + local;
            long pot = pace[port] + step;
            while (pot >= worth && (!bounded || budget[adapter] >= worth)
                && (rogue[adapter] || ports.mayGive(slot, port, askers(port))) && give(slot, adapter, local, port)) {
                pot -= given;
                budget[adapter] -= bounded ? given : 0;
            }
            // A port without askers, or a stopped one, does not catch up later.
            pace[port] = Math.min(pot, worth + step);
            rests &= pace[port] == worth + step && askers(port) == 0 && ports.isDry(slot, port);
        }
        return !rests || bounded && budget[adapter] < worth;
    }

    /** Returns the number of queues that ask a port of the bank for credits. */
    public int askers(final int port) {
        int sum = 0;
        for (int list = port * classes; list < (port + 1) * classes; list++) {
            sum += askers[list];
        }
        return sum;
    }

    private boolean give(final long slot, final int adapter, final int local, final int port) {
        for (int level = 0; level < strict; level++) {
            if (askers[port * classes + level] > 0) {
                give(slot, adapter, local, port, level);
                return true;
            }
        }
        return strict < classes && giveByWeight(slot, adapter, local, port);
    }

    private boolean giveByWeight(final long slot, final int adapter, final int local, final int port) {
        int best = -1;
        for (int level = strict; level < classes; level++) {
            final int list = port * classes + level;
            if (askers[list] > 0 && (best < 0 || passed[list] < passed[port * classes + best])) {
                best = level;
            }
        }
        if (best < 0) {
            return false;
        }
        passing[port] = passed[port * classes + best];
        passed[port * classes + best] += stride[best];
        give(slot, adapter, local, port, best);
        return true;
    }

    private void give(final long slot, final int adapter, final int local, final int port, final int level) {
        final int list = port * classes + level;
        final int place = next(list, turn[list]);
        turn[list] = place + 1 == places ? 0 : place + 1;
        final int key = keyOf[port * places + place];
        final int number = (local * perPort + key % perPort) * classes + level;
        final int at = at(port, place, level);
        int bytes = fabric.credits().bytes();
        if (owed != null) {
            bytes = Math.min(bytes, owed[at]);
            owed[at] -= bytes;
            if (owed[at] == 0) {
                ask(port, place, list, false);
            }
        } else if (slow != null && slow.isSlowAfterCredit(at)) {
            ask(port, place, list, false);
        }
        given = (long) bytes << FRACTION_BITS;
        issued[at] = (byte) (issued[at] + 1 & Control.NUMBERS - 1);
        control.add(slot, Control.message(key / perPort, first + adapter, number, Control.CREDIT,
            Control.credit(bytes, issued[at])));
        tally.increment(NicCounter.CREDITS_SENT);
    }

    /**
     * Sets whether a queue asks.
     *
     * @return whether it is the first one of its list to ask.
     */
    private boolean set(final int list, final int place, final boolean asks) {
        final int word = list * words + (place >>> 6);
        if ((asking[word] >>> place & 1) == (asks ? 1 : 0)) {
            return false;
        }
        asking[word] ^= 1L << place;
        askers[list] += asks ? 1 : -1;
        return asks && askers[list] == 1;
    }

    /** Returns the next place of a list that asks, from one on and around; there is one. */
    private int next(final int list, final int from) {
        int word = from >>> 6;
        long left = asking[list * words + word] & -1L << from;
        while (left == 0) {
            word = word + 1 == words ? 0 : word + 1;
            left = asking[list * words + word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(left);
    }

    /** Ends a window: congestion marks lower the share of an adapter, a window without marks raises it. */
    private void react() {
        for (int adapter = 0; adapter < share.length; adapter++) {
            final double before = share[adapter];
            if (marked[adapter] > 0) {
                final double part = (double) marked[adapter] / received[adapter];
                share[adapter] = Math.max(LEAST, share[adapter] * (1 - SLOWER * part));
            } else {
                share[adapter] = Math.min(1, share[adapter] + FASTER);
            }
            if (share[adapter] != before) {
                awake.set(adapter);
            }
            received[adapter] = 0;
            marked[adapter] = 0;
        }
    }

    private void shuffle(final long key, final int base) {
        for (int i = 0; i < places; i++) {
            final int j = CounterRandom.below(CounterRandom.bits(key, i, USE_ORDER), i + 1);
            keyOf[base + i] = keyOf[base + j];
            keyOf[base + j] = i;
        }
        for (int i = 0; i < places; i++) {
            placeOf[base + keyOf[base + i]] = i;
        }
    }

    /**
     * Queues that hold little and ask a scheduler for a slow rate (docs/spec/stardust.md §3.2): after a credit such a
     * queue has its next turn when its rate allows, and does not ask until then. A rate is a share of its port's pace.
     *
     * <pre>
     *   one queue   rung 0: full pace | 1 to 8: a rate | slot of its last credit | slot of its next turn, if it waits
     * </pre>
     *
     * <p>One thread.
     */
    static final class SlowAskers {
        /** Percent of a port's pace, by rung: the rates of the SDK in Gb/s on a port of 100 Gb/s. */
        private static final int[] PERCENT = {100, VoqRules.LEAST_PERCENT, 6, 12, 24, 36, 48, 64, 96};
        /** Number of rungs below full pace. */
        static final int RUNGS = PERCENT.length - 1;
        private static final long NEVER = -1;

        private final long[] waitSlots = new long[PERCENT.length];
        private final byte[] rung;
        private final long[] last;
        private final long[] due;
        private final SlotWheel wheel;
        private long now = -1;

        /**
         * Creates the state before any queue asks.
         *
         * @param queues queues that may ask the ports of a bank.
         */
        SlowAskers(final Credits credits, final int queues) {
            for (int of = 1; of < PERCENT.length; of++) {
                waitSlots[of] = wait(credits, of);
            }
            this.rung = new byte[queues];
            this.last = new long[queues];
            this.due = new long[queues];
            this.wheel = new SlotWheel(Integer.highestOneBit((int) waitSlots[1]) << 1);
            Arrays.fill(last, -waitSlots[1]);
            Arrays.fill(due, NEVER);
        }

        /** Returns the slots between two credits of a queue on a rung. */
        static long wait(final Credits credits, final int rung) {
            return Math.max(1, Math.round(100.0 * credits.bytes() / (PERCENT[rung] * credits.bytesPerSlot())));
        }

        /**
         * Applies a request of a queue for a rate, or for no more credits.
         *
         * @param at   number of the queue.
         * @param asks whether it asks; otherwise the rung has no meaning.
         * @param to   its rung.
         * @return whether it has its turn at once, if it asks.
         */
        boolean request(final int at, final boolean asks, final int to) {
            due[at] = NEVER;
            rung[at] = (byte) (asks ? to : 0);
            if (!asks || to == 0 || last[at] + waitSlots[to] <= now + 1) {
                return true;
            }
            await(at, last[at] + waitSlots[to]);
            return false;
        }

        /** Records a credit of a queue; returns true if it has its next turn later and requests nothing until then. */
        boolean isSlowAfterCredit(final int at) {
            last[at] = now;
            if (rung[at] == 0) {
                return false;
            }
            await(at, now + waitSlots[rung[at]]);
            return true;
        }

        /** Begins a slot: queues whose time has come have their turn. Must be called for every slot. */
        void turnTo(final long slot, final IntConsumer turn) {
            now = slot;
            final IntArrayList waited = wheel.due(slot);
            for (int i = 0; i < waited.size(); i++) {
                final int at = waited.getInt(i);
                if (due[at] == slot) {
                    due[at] = NEVER;
                    turn.accept(at);
                }
            }
            waited.clear();
        }

        private void await(final int at, final long slot) {
            due[at] = slot;
            wheel.add(slot, at);
        }
    }
}
