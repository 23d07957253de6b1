package dev.skerry.nic.stardust.element;

import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.LinkRules.Spraying;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.LinkSets;
import dev.skerry.schedule.UpDownReach;

import java.util.Arrays;
import java.util.BitSet;
import java.util.stream.IntStream;

/**
 * Selects the port by which a cell for an adapter leaves a device (docs/spec/stardust.md §4): the only port that leads
 * there, or the next one of an arbiter, which all adapters with the same set of ports share (§3.6). Not thread-safe.
 *
 * <pre>
 *   a device, by adapter:   port, 0 or more  |  NONE  |  -2 - number of an arbiter
 * </pre>
 */
public final class ForwardingTable {
    /** Value for no port. */
    public static final int NONE = -1;
    private static final int ARBITERS = -2;

    private final FoldedClos clos;
    /** First device of all tables. */
    private final int base;
    private final long seed;
    private final Spraying spraying;
    private final boolean hashed;
    private final int[][] routes;
    private final SprayOrder[] arbiters;
    private final int[][][] hashedPorts;
    private final int[] taught;

    /** Creates tables for a share of devices, none of which has a path yet. */
    public ForwardingTable(final FoldedClos clos, final DeviceRange share, final long seed, final Spraying spraying) {
        this.clos = clos;
        this.base = share.base();
        this.seed = seed;
        this.spraying = spraying;
        this.hashed = spraying == Spraying.HASHED;
        this.routes = new int[share.span()][];
        this.arbiters = new SprayOrder[share.span()];
        this.hashedPorts = new int[share.span()][][];
        this.taught = new int[share.span()];
    }

    /** Sets the links of a device from its reachability table: down-links if there are any, otherwise up-links. */
    void learn(final int device, final ReachTable table) {
        learn(device, new LinkSets(clos.ports(device), clos.downPorts(device), clos.fas(),
            (link, fa) -> device != fa && table.leads(link, fa)));
    }

    /** Sets the links of a device from the whole deployment, or to none for a bring-up. */
    public void learn(final int device, final UpDownReach reach, final boolean bringUp) {
        learn(device, bringUp ? new LinkSets(0, 0, clos.fas(), (link, fa) -> false) : reach.linkSets(device));
    }

    /** Sets the links that lead to each adapter from a device, and restarts its arbiters. */
    private void learn(final int device, final LinkSets sets) {
        final boolean each = spraying == Spraying.PER_DESTINATION;
        final int[] setOf = IntStream.range(0, each ? clos.fas() : sets.count())
            .map(arbiter -> each ? sets.setOf(arbiter) : arbiter).toArray();
        final SprayOrder order = new SprayOrder(seed,
            spraying == Spraying.FIXED_ORDER ? SprayOrder.NEVER : SprayOrder.DEFAULT_ROUNDS,
            Arrays.stream(setOf).map(set -> set == LinkSets.NONE ? 0 : sets.size(set)).toArray());
        final int[][] ports = new int[setOf.length][];
        for (int arbiter = 0; arbiter < setOf.length; arbiter++) {
            if (setOf[arbiter] != LinkSets.NONE) {
                final long[] links = sets.links(setOf[arbiter]);
                order.assign(arbiter, ((long) device << 16 | arbiter) << 24 | taught[device - base], links);
                ports[arbiter] = BitSet.valueOf(links).stream().map(link -> clos.firstPort(device) + link).toArray();
            }
        }
        final int[] route = new int[clos.fas()];
        for (int fa = 0; fa < route.length; fa++) {
            final int set = sets.setOf(fa);
            final int arbiter = each ? fa : set;
            route[fa] = set == LinkSets.NONE ? NONE : ports[arbiter].length == 1 ? ports[arbiter][0]
                : ARBITERS - arbiter;
        }
        routes[device - base] = route;
        arbiters[device - base] = order;
        hashedPorts[device - base] = hashed ? ports : null;
        taught[device - base]++;
    }

    /** Tells which links are paused. */
    @FunctionalInterface
    public interface Paused {
        /** Tells whether the link out of a port is paused. */
        boolean isPaused(int port);

        /** Tells whether any link is paused. */
        default boolean any() {
            return true;
        }
    }

    /**
     * Returns the port by which a cell leaves a device, or {@link #NONE}. If several ports lead to the destination, one
     * that is not paused is preferred.
     */
    public int port(final int device, final long first, final long second, final Paused paused) {
        final int turn = port(device, first, second);
        if (!paused.any()) {
            return turn;
        }
        final int route = routes[device - base][StardustCell.to(first)];
        if (route >= NONE || hashed || !paused.isPaused(turn)) {
            return turn;
        }
        // Every link has its turn within two rounds, even if the order is renewed between them.
        for (int i = 2 * arbiters[device - base].size(ARBITERS - route); i > 0; i--) {
            final int other = port(device, first, second);
            if (!paused.isPaused(other)) {
                return other;
            }
        }
        return turn;
    }

    private int port(final int device, final long first, final long second) {
        final int route = routes[device - base][StardustCell.to(first)];
        if (route >= NONE) {
            return route;
        }
        if (hashed) {
            final int[] ports = hashedPorts[device - base][ARBITERS - route];
            final long bits = StardustCell.streamHash(first, second);
            return ports[CounterRandom.below(CounterRandom.mix(bits + device), ports.length)];
        }
        return clos.firstPort(device) + arbiters[device - base].next(ARBITERS - route);
    }

    /** Tells whether cells for an adapter may leave a device by one of its links. */
    public boolean leads(final int device, final int link, final int to) {
        final int route = routes[device - base][to];
        if (route >= NONE) {
            return route == clos.firstPort(device) + link;
        }
        return arbiters[device - base].has(ARBITERS - route, link);
    }

    /** Tells whether a cell that arrived by a link from above would go up again, so that it could loop. */
    public boolean turnsUp(final int device, final int in, final int out) {
        final int up = clos.firstPort(device) + clos.downPorts(device);
        return in >= up && out >= up;
    }

    /**
     * The reachability table of a device: the adapters to which its links lead, and the health of each link
     * (docs/spec/stardust.md §6). A bit changes after several equal reports in a row. A link fails when messages or
     * cells are missing. Not thread-safe.
     *
     * <pre>
     *   by link: what holds | the last three reports, a bit for each adapter
     *   health:  + 1 for a message up to 63, - 16 for a missed one, - 8 for a damaged cell; faulty below 16, valid from
     *   32
     * </pre>
     */
    static final class ReachTable {
        private static final int MOST_HEALTH = 63;
        private static final int VALID = 32;
        private static final int FAULTY = 16;
        private static final int MISSED_COSTS = 16;
        private static final int DAMAGE_COSTS = 8;

        private final int words;
        private final int reports;
        private final int mostMissed;
        private final long[] holds;
        private final long[][] heard;
        private final byte[] health;
        private final byte[] missed;
        private final boolean[] failed;
        private final boolean[] flagged;
        private boolean changed;

        /** Creates a table in which all links are valid and lead to no adapter. */
        ReachTable(final int links, final int adapters, final ReachTiming healing) {
            this.words = 2 * ((adapters + ReachTiming.BLOCK - 1) / ReachTiming.BLOCK);
            this.reports = healing.reports();
            this.mostMissed = healing.missed();
            this.holds = new long[links * words];
            this.heard = new long[3][links * words];
            this.health = new byte[links];
            this.missed = new byte[links];
            this.failed = new boolean[links];
            this.flagged = new boolean[links];
            Arrays.fill(health, (byte) MOST_HEALTH);
        }

        /** Sets initially that a link leads to an adapter. */
        void start(final int link, final int adapter) {
            final int at = link * words + (adapter >>> 6);
            holds[at] |= 1L << adapter;
            for (final long[] report : heard) {
                report[at] |= 1L << adapter;
            }
        }

        /** Sets initially that nothing has arrived over a link. */
        void startFailed(final int link) {
            failed[link] = true;
            health[link] = 0;
        }

        /** Applies a message about a block of adapters. */
        void onMessage(final int link, final int block, final long low, final long high, final boolean faulty) {
            missed[link] = 0;
            health[link] = (byte) Math.min(MOST_HEALTH, health[link] + 1);
            changed |= flagged[link] != faulty;
            flagged[link] = faulty;
            update(link * words + 2 * block, low);
            update(link * words + 2 * block + 1, high);
            if (failed[link] && health[link] >= VALID) {
                failed[link] = false;
                changed = true;
            }
        }

        /** Records a missing message. */
        void onMissed(final int link) {
            missed[link] = (byte) Math.min(mostMissed, missed[link] + 1);
            harm(link, MISSED_COSTS);
            if (missed[link] == mostMissed && !failed[link]) {
                fail(link);
            }
        }

        /** Records that a link has no signal in at least one direction; the link fails immediately. */
        void onSignalLost(final int link) {
            if (!failed[link]) {
                fail(link);
            }
        }

        /** Records a damaged cell. */
        void onDamage(final int link) {
            harm(link, DAMAGE_COSTS);
        }

        /** Tells whether this end considers a link faulty, which it reports to the other end. */
        boolean isFailed(final int link) {
            return failed[link];
        }

        /** Tells whether cells may be sent over a link. */
        boolean isUsable(final int link) {
            return !failed[link] && !flagged[link];
        }

        /** Returns one bit for each of 64 adapters, set if a link leads to it; 0 if the link must not be used. */
        long word(final int link, final int word) {
            return isUsable(link) ? holds[link * words + word] : 0;
        }

        /** Tells whether cells for an adapter may take a link. */
        boolean leads(final int link, final int adapter) {
            return (word(link, adapter >>> 6) >>> adapter & 1) != 0;
        }

        /** Tells whether the table has changed since the last call. */
        boolean takeChange() {
            final boolean was = changed;
            changed = false;
            return was;
        }

        private void harm(final int link, final int cost) {
            health[link] = (byte) Math.max(0, health[link] - cost);
            if (health[link] < FAULTY && !failed[link]) {
                fail(link);
            }
        }

        /** Removes all adapters to which a failed link leads. */
        private void fail(final int link) {
            failed[link] = true;
            health[link] = 0;
            changed = true;
            Arrays.fill(holds, link * words, (link + 1) * words, 0);
            for (final long[] report : heard) {
                Arrays.fill(report, link * words, (link + 1) * words, 0);
            }
        }

        private void update(final int at, final long report) {
            heard[2][at] = heard[1][at];
            heard[1][at] = heard[0][at];
            heard[0][at] = report;
            long all = report;
            long none = ~report;
            for (int back = 1; back < reports; back++) {
                all &= heard[back][at];
                none &= ~heard[back][at];
            }
            final long now = holds[at] & ~none | all;
            changed |= now != holds[at];
            holds[at] = now;
        }
    }
}
