package dev.skerry.nic.shale.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FirstSlots;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.LocalRule.LocalChoice;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

/** Devices that break no law are followed without a finding, whatever they choose. */
final class LegalDevicesTest {
    /** A Galois shift register of 16 bits says which of the equally short links. */
    private static final TieRule LFSR = (shale, nodes) -> {
        final int[] register = {0xACE1};
        return (id, node, phase, links, count, random) -> {
            register[0] = register[0] >>> 1 ^ -(register[0] & 1) & 0xB400;
            return BitSet.valueOf(links).stream().skip(register[0] % count).findFirst().orElseThrow();
        };
    };
    private static final List<TieRule> TIES = List.of(TieRule.DRAWN, TieRule.LOWEST, TieRule.ROTATING, LFSR);
    private static final int MOST_FOLLOWED = 81;
    private static final int NODES = 9;
    /** Of the devices played last. */
    private static String explained;

    private final FindingLog log = new FindingLog(10);
    private final NodeCells sent = new NodeCells(1);
    private final NodeCells received = new NodeCells(1);
    private NodeFollower follower = follower(1, FollowRules.STRICT);

    @ParameterizedTest
    @CsvSource({"2, 3, 0, 4000", "2, 4, 1, 4000", "2, 4, 3, 4000", "4, 2, 0, 3000", "2, 9, 2, 500", "3, 3, 2, 1000",
        "2, 70, 0, 4"})
    void shouldFindNothingInLegalDevices(final int h, final int r, final int ties, final long slots) {
        final Shale devices = shale(h, r, TIES.get(ties));
        final Shale known = shale(h, r, TieRule.DRAWN);
        final FindingLog log = new FindingLog(4);
        follow(devices, known, flows(devices, h), slots, log);
        assertTrue(log.none(), log.text());
    }

    /** Other fabrics, and devices that choose their local flows as they like or keep them back. */
    @Test
    void shouldFindNothingWhateverIsChosen() {
        followRandom(3, 12, 1500);
    }

    /** The property {@code slotsOfNodes} says how many slots; {@code firstSeed} where the draws begin. */
    @Test
    @Tag("long")
    void shouldFindNothingInManySlots() {
        followRandom(Long.getLong("firstSeed", 1), (int) (Long.getLong("slotsOfNodes", 1_000_000L) / 100_000), 100_000);
    }

    /** @param slots of one node. */
    private static void followRandom(final long seed, final int rounds, final long slots) {
        final Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            final int h = 1 + random.nextInt(4);
            final int r = 2 + random.nextInt(h == 1 ? 9 : h == 2 ? 5 : h == 3 ? 3 : 2);
            final boolean shortest = random.nextInt(4) > 0;
            final MechanismSet base = shortest ? Mechanisms.HBH_SPRAY.with(TIES.get(random.nextInt(TIES.size())))
                : Mechanisms.HBH;
            final LocalRule locals = random.nextInt(3) == 0 ? LocalRule.DESTINATION
                : moody(random.nextLong(), 2 + random.nextInt(30));
            final int tokens = 1 + random.nextInt(3);
            final int propagation = random.nextInt(12);
            final Shale devices = shale(h, r, tokens, propagation, base.serving(locals));
            final Shale known = shale(h, r, tokens, propagation, shortest ? Mechanisms.HBH_SPRAY : Mechanisms.HBH);
            if (devices.nodes() > 2) {
                final FlowSet flows = flows(devices, random.nextLong());
                final FindingLog log = new FindingLog(4);
                follow(devices, known, flows, slots / devices.nodes() + 1, log);
                assertTrue(log.none(), "seed=" + seed + " round=" + round + " h=" + h + " r=" + r + " P="
                    + propagation + ": " + log.text());
            }
        }
    }

    /** Devices with settings drawn at random, built without the node model. */
    @Test
    void shouldFindNothingInDevicesOfEverySetting() {
        followSettings(5, 60, 5000);
    }

    /** The property {@code slotsOfNodes} says how many slots; {@code firstSeed} where the draws begin. */
    @Test
    @Tag("long")
    void shouldFindNothingInManySlotsOfEverySetting() {
        followSettings(Long.getLong("firstSeed", 1), (int) (Long.getLong("slotsOfNodes", 1_000_000L) / 20_000),
            20_000);
    }

    /** @param slots of one node. */
    private static void followSettings(final long seed, final int rounds, final long slots) {
        final Random random = new Random(seed);
        for (int round = 0; round < rounds; round++) {
            final int h = 1 + random.nextInt(3);
            final int r = h == 1 ? 3 + random.nextInt(6) : h == 2 ? 2 + random.nextInt(3) : 2 + random.nextInt(2);
            final int propagation = 1 + random.nextInt(9);
            final FollowRules is = settings(random);
            final Shale shale = shale(h, r, 1 + random.nextInt(3), propagation, is.settings().containsKey(
                Setting.QUEUE_CELLS) ? Mechanisms.HBH_SPRAY.with(TieRule.LOWEST)
                : Mechanisms.of(List.of("hbh", "hbh+spray-short", "hbh+spray-bucket").get(random.nextInt(3))));
            final RandomDevice[] devices = new RandomDevice[shale.nodes()];
            Arrays.setAll(devices, node -> new RandomDevice(shale, node, is, is.is(Setting.SATURATED) ? 0
                : 2 + random.nextInt(9), new Random(random.nextLong())));
            final FindingLog log = play(shale, is, devices, slots / shale.nodes() + 1);
            assertTrue(log.none(), "seed=" + seed + " round=" + round + " h=" + h + " r=" + r + " P=" + propagation
                + " " + shale.mechanisms() + " " + is + ": " + log.text());
        }
    }

    private static FollowRules settings(final Random random) {
        FollowRules is = FollowRules.STRICT.with(Setting.TOKENS_A_SLOT, 1 + random.nextInt(2))
            .with(Setting.RECEIVE_FIRST, random.nextInt(2)).with(Setting.SILENCE, 50 * random.nextInt(2))
            .with(Setting.SATURATED, 200 * random.nextInt(2));
        for (final Setting late : List.of(Setting.OWED_LATENCY, Setting.TOKEN_DELAY, Setting.CELL_DELAY)) {
            is = is.with(late, random.nextInt(3) * random.nextInt(6));
        }
        is = random.nextInt(3) == 0 ? is.with(Setting.FREE_ORDER, 1)
            : random.nextBoolean() ? is.with(Setting.SCAN_DEPTH, 1 + random.nextInt(3)) : is;
        if (random.nextInt(3) == 0) {
            is = is.with(Setting.OWED_FIFO, 1 + random.nextInt(4)).with(random.nextBoolean() ? Full.STALL : Full.DROP);
        }
        return is.full() == Full.STALL || random.nextInt(4) > 0 ? is
            : is.with(Setting.QUEUE_CELLS, 1 + random.nextInt(5)).with(Full.DROP);
    }

    /** Followers of devices that are wired to each other; to the first finding, or longer to keep slots of a node. */
    private static FindingLog play(final Shale shale, final FollowRules told, final RandomDevice[] devices,
        final long slots, final FirstSlots... kept) {
        final FindingLog log = new FindingLog(4);
        final NodeFollower[] followers = new NodeFollower[kept.length > 0 ? kept.length : devices.length];
        final NodeCells[][] sent = new NodeCells[devices[0].propagationSlots() + 1][devices.length];
        Arrays.setAll(followers, node -> new NodeFollower(shale, CellNames.pairs(devices.length, 20), node, told, log));
        for (final NodeCells[] row : sent) {
            Arrays.setAll(row, node -> new NodeCells(1));
        }
        for (long slot = 0; slot < slots && (log.none() || kept.length > 0); slot++) {
            final long sentIn = slot - devices[0].propagationSlots();
            for (int node = 0; node < devices.length; node++) {
                final NodeCells in = sentIn < 0 ? new NodeCells(1)
                    : sent[(int) (sentIn % sent.length)][shale.schedule().senderTo(node, sentIn)];
                final NodeCells out = sent[(int) (slot % sent.length)][node];
                devices[node].step(slot, in, out);
                if (node < followers.length) {
                    followers[node].step(slot, in, out);
                }
                if (node < kept.length) {
                    kept[node].keep(new NodeCells[] {out}, new NodeCells[] {in}, log);
                }
            }
        }
        for (int node = 0; node < kept.length; node++) {
            explained = kept[node].explain(followers[node].others());
        }
        return log;
    }

    private static FollowRules rules(final String words) {
        FollowRules rules = FollowRules.STRICT;
        for (final String word : words.split(" ")) {
            for (final Setting setting : Setting.values()) {
                rules = word.startsWith(setting.word() + "=")
                    ? rules.with(setting, Integer.parseInt(word.substring(word.indexOf('=') + 1))) : rules;
            }
        }
        return rules;
    }

    /** Devices that are other than described, that die, or that lose tokens: each is found within its bound. */
    @ParameterizedTest
    @CsvSource({"owedLatency=3, owedLatency=2, token", "owedLatency=2, owedLatency=3, token",
        "tokenDelay=2, tokenDelay=1, order", "tokenDelay=1, tokenDelay=2, token",
        "cellDelay=3, cellDelay=2, order", "cellDelay=2, cellDelay=3, conservation",
        "receiveFirst=1, '', conservation", "'', receiveFirst=1, route", "scanDepth=1, scanDepth=2, order",
        "silence=40 dies, silence=40, schedule", "leaks, saturated=60, token",
        "leaks silence=40, saturated=60 silence=40, token"})
    void shouldFindAnotherDevice(final String is, final String told, final String law) {
        final Shale shale = shale(2, 3, 1, 3, Mechanisms.HBH_SPRAY);
        final RandomDevice[] devices = new RandomDevice[NODES];
        Arrays.setAll(devices, node -> new RandomDevice(shale, node, rules(is), 0, new Random(node)));
        devices[4].diesIn = is.contains("dies") ? 1000 : Long.MAX_VALUE;
        devices[4].leaks = is.contains("leaks") ? 50 : 0;
        final FindingLog log = play(shale, rules(told), devices, 4000);
        assertEquals(law, log.list().getFirst().law().toString(), log.text());
        assertTrue(law.equals("schedule") || !is.matches("dies|leaks") || log.list().getFirst().node() == 4,
            log.text());
    }

    /** A wrong description is named by what is seen at one node. */
    @ParameterizedTest
    @CsvSource({"'', propagation=4, propagation 3", "'', propagation=2, propagation 3", "tokens=2, '', tokens 2",
        "firstHop=3, '', first-hop tokens 3", "owedLatency=3, owedLatency=2, owedLatency=3",
        "owedLatency=2, '', owedLatency=2", "tokenDelay=2, tokenDelay=1, tokenDelay=2", "cellDelay=2, '', cellDelay=2",
        "cellDelay=1 tokenDelay=1 propagation=2, propagation=2, store", "receiveFirst=1, '', receiveFirst=1",
        "tokensASlot=1 firstHop=3, firstHop=3, tokensASlot=1", "scanDepth=2 firstHop=3, firstHop=3, scanDepth=2",
        "silence=9, '', mayBeSilent=1", "freeOrder=1 firstHop=3, firstHop=3, freeOrder=1",
        "owedFifo=1 stall firstHop=3, firstHop=3, owedFifo=1 full=stall", "hbh, '', hbh and any", "leaks, '', ''",
        "dies, '', ''"})
    void shouldNameTheWrongSetting(final String is, final String told, final String named) {
        final Shale shale = described(is);
        final FollowRules rules = is.contains("stall") ? rules(is).with(Full.STALL) : rules(is);
        final RandomDevice[] devices = new RandomDevice[NODES];
        Arrays.setAll(devices, node -> new RandomDevice(shale, node, rules, 9, new Random(node)));
        devices[0].diesIn = is.contains("dies") ? 100 : Long.MAX_VALUE;
        devices[0].leaks = is.contains("leaks") ? 50 : 0;
        play(described(told), rules(told), devices, 4000, new FirstSlots());
        assertTrue(named.isEmpty() ? explained.isEmpty() : explained.startsWith("With " + named), explained);
    }

    private static Shale described(final String words) {
        final int[] numbers = {1, 1, 3};
        for (final String word : words.split(" ")) {
            final int of = List.of("tokens", "firstHop", "propagation").indexOf(word.split("=")[0]);
            if (of >= 0) {
                numbers[of] = Integer.parseInt(word.split("=")[1]);
            }
        }
        final Phased schedule = new Phased(2, 3);
        return new Shale(schedule, Population.complete(schedule), words.contains("hbh") ? Mechanisms.HBH
            : Mechanisms.HBH_SPRAY, numbers[0], Math.max(numbers[0], numbers[1]), numbers[2], 5);
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 3000, 1", "4, 2, 1500, 2", "3, 3, 800, 3", "2, 9, 150, 4"})
    void shouldFindNothingInDevicesWithBucketSpray(final int h, final int r, final long slots, final long seed) {
        final Random random = new Random(seed);
        final int tokens = 1 + random.nextInt(3);
        final int propagation = random.nextInt(12);
        final Shale devices = shale(h, r, tokens, propagation, Mechanisms.of("hbh+spray-bucket"));
        final FlowSet flows = flows(devices, seed);
        final FindingLog log = new FindingLog(4);
        follow(devices, devices, flows, slots, log);
        assertTrue(log.none(), "seed=" + seed + " P=" + propagation + ": " + log.text());
    }

    @Test
    @Tag("long")
    void shouldFindNothingInAMillionSlotsOfBucketSpray() {
        for (int seed = 0; seed < 20; seed++) {
            shouldFindNothingInDevicesWithBucketSpray(seed % 2 == 0 ? 2 : 4, seed % 2 == 0 ? 4 : 2, 4000, seed);
        }
    }

    /** Of links with equally much of the bucket, the shorter queue; link 3 has a cell of another bucket. */
    @ParameterizedTest
    @CsvSource({"3, false", "4, true", "5, true"})
    void shouldJudgeLengthsAfterBuckets(final int joined, final boolean isLegal) {
        final Shale shale = shale(2, 4, 1, 0, Mechanisms.of("hbh+spray-bucket"));
        final FindingLog log = new FindingLog(4);
        final NodeFollower follower = new NodeFollower(shale, CellNames.pairs(16, 14), 0, FollowRules.STRICT, log);
        follower.hold(Cell.of(16 + 5, 0), 3, Route.bucket(5, 0), 0, Route.bucket(5, 1));
        final NodeCells received = new NodeCells(1);
        received.set(0, Route.bucket(10, 1), Cell.of(2 * 16 + 10, 0), InFlightCells.NO_FEEDBACK);
        follower.step(0, received, new NodeCells(1), joined);
        assertEquals(isLegal, log.none(), log.text());
    }

    @ParameterizedTest
    @CsvSource({"hbh+spray+priority, 2, 4, 3000", "hbh+spray-bucket+priority, 4, 2, 1500", "hbh+priority, 3, 3, 800"})
    void shouldFindNothingInDevicesWithPriority(final String is, final int h, final int r, final long slots) {
        followPriority(is, h, r, slots, h);
    }

    @Test
    @Tag("long")
    void shouldFindNothingInAMillionSlotsOfPriority() {
        for (int seed = 0; seed < 20; seed++) {
            followPriority("hbh+spray+priority", seed % 2 == 0 ? 2 : 4, seed % 2 == 0 ? 4 : 2, 4000, seed);
        }
    }

    private static void followPriority(final String is, final int h, final int r, final long slots, final long seed) {
        final Random random = new Random(seed);
        final Shale devices = shale(h, r, 1 + random.nextInt(2), random.nextInt(12), Mechanisms.of(is));
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < 4 * devices.nodes(); flow++) {
            final int cells = 1 + random.nextInt(flow < devices.nodes() ? 1 << 20 : 40);
            final int from = flow % devices.nodes();
            flows.add(flow, from, (from + 1 + random.nextInt(devices.nodes() - 1)) % devices.nodes(), cells * 244L,
                cells, flow / devices.nodes() * 100L);
        }
        final FollowRules anyOrder = FollowRules.STRICT.with(Setting.FREE_ORDER, 1);
        final FindingLog log = new FindingLog(4);
        follow(devices, devices, flows, slots, anyOrder, log);
        assertTrue(log.none(), is + " seed=" + seed + ": " + log.text());
        assertThrows(IllegalArgumentException.class, () -> follow(devices, devices, flows, 1, log));
        // The same devices, of which it is told that they have a token less, are found out.
        final Shale less = shale(h, r, 3, devices.propagationSlots(), Mechanisms.of(is));
        final Shale told = shale(h, r, 1, devices.propagationSlots(), Mechanisms.of(is));
        follow(less, told, flows, slots, anyOrder, log);
        assertTrue(log.text().contains("token:") || log.text().contains("capacity:"), log.text());
    }

    @ParameterizedTest
    @CsvSource({"hbh, hbh+spray-bucket", "hbh+spray-short, hbh+spray-bucket", "hbh+spray-bucket, hbh+spray-short"})
    void shouldFindAnotherSpraying(final String is, final String says) {
        final Shale devices = shale(2, 4, 2, 5, Mechanisms.of(is));
        final Shale known = shale(2, 4, 2, 5, Mechanisms.of(says));
        final FindingLog log = new FindingLog(4);
        follow(devices, known, flows(devices, 3), 4000, log);
        assertTrue(log.text().contains("order:") || log.text().contains("route:"), log.text());
    }

    @Test
    void shouldFindAnotherTieRule() {
        final Shale devices = shale(2, 4, TieRule.DRAWN);
        final FindingLog log = new FindingLog(4);
        follow(devices, shale(2, 4, TieRule.LOWEST), flows(devices, 2), 1000, log);
        assertEquals(Law.ORDER, log.list().getFirst().law(), log.text());
        assertTrue(log.list().getFirst().slot() < 12, log.text());
    }

    /** The property {@code slotsOfRule} says how many slots with each rule. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({"4, 0", "4, 1", "4, 2", "4, 3", "9, 0", "9, 1", "9, 2", "9, 3"})
    void shouldFollowEachRule(final int r, final int ties) {
        final Shale devices = shale(2, r, TIES.get(ties));
        final FindingLog log = new FindingLog(4);
        final int open = follow(devices, shale(2, r, TieRule.DRAWN),
            flows(devices, r), Long.getLong("slotsOfRule", 100_000L), log);
        assertTrue(log.none(), "r=" + r + " ties=" + ties + ": " + log.text());
        System.out.println("r=" + r + " ties=" + ties + " most open at a node: " + open);
    }

    /** Any local flow, or none in one slot of {@code pause}. */
    private static LocalRule moody(final long seed, final int pause) {
        return (shale, nodes) -> {
            final Random random = new Random(seed);
            return (id, node, link, flows) -> random.nextInt(pause) == 0 ? LocalChoice.NONE
                : random.nextInt(flows.count());
        };
    }

    private static Shale shale(final int h, final int r, final int tokens, final int propagation,
        final MechanismSet mechanisms) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), mechanisms, tokens, tokens + 1, propagation, 5);
    }

    private static Shale shale(final int h, final int r, final TieRule ties) {
        return shale(h, r, 1, 2, Mechanisms.HBH_SPRAY.with(ties));
    }

    private static FlowSet flows(final Shale shale, final long seed) {
        final Random random = new Random(seed);
        final FlowSet flows = new FlowSet();
        final int nodes = shale.nodes();
        for (int node = 0; node < nodes; node++) {
            for (int k = 0; k < 3; k++) {
                flows.add(flows.size(), node, (node + 1 + random.nextInt(nodes - 1)) % nodes, Long.MAX_VALUE,
                    FlowSet.ENDLESS, 0);
            }
        }
        return flows;
    }

    /**
     * Follows the nodes of a fabric, at most {@link #MOST_FOLLOWED}.
     *
     * @param devices what the devices do.
     * @param known   what the followers know of it.
     * @return most cells that were open at a node.
     */
    private static int follow(final Shale devices, final Shale known, final FlowSet flows, final long slots,
        final FindingLog log) {
        return follow(devices, known, flows, slots, FollowRules.STRICT, log);
    }

    private static int follow(final Shale devices, final Shale known, final FlowSet flows, final long slots,
        final FollowRules rules, final FindingLog log) {
        final NodeFollower[] followers = new NodeFollower[Math.min(devices.nodes(), MOST_FOLLOWED)];
        final CellNames names = CellNames.of(flows, devices.population());
        for (int node = 0; node < followers.length; node++) {
            followers[node] = new NodeFollower(known, names, node, rules, log);
        }
        final NodeCells sent = new NodeCells(1);
        final NodeCells received = new NodeCells(1);
        try (FabricModel fabric = new FabricModel(new ShaleParts(devices), flows)) {
            for (long slot = 0; slot < slots && log.none(); slot++) {
                fabric.step();
                for (int node = 0; node < followers.length; node++) {
                    fabric.sent(node, sent);
                    fabric.received(node, received);
                    followers[node].step(slot, received, sent);
                }
            }
        }
        int most = 0;
        for (final NodeFollower follower : followers) {
            most = Math.max(most, follower.mostOpen());
        }
        return most;
    }

    private NodeFollower follower(final int tokens, final FollowRules rules) {
        final Phased schedule = new Phased(2, 3);
        return new NodeFollower(new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, tokens, tokens,
            0, 1), CellNames.pairs(NODES, 4), 0, rules, log);
    }

    private static long cell(final int source, final int destination, final int sequence) {
        return Cell.of(source * NODES + destination, sequence);
    }

    private void receives(final int source, final int destination, final int sequence, final int sprays) {
        received.set(0, Route.first(destination, sprays, 0), cell(source, destination, sequence),
            InFlightCells.NO_FEEDBACK);
    }

    private void sends(final int source, final int destination, final int sequence, final int sprays) {
        sent.set(0, Route.first(destination, sprays, 0), cell(source, destination, sequence),
            InFlightCells.NO_FEEDBACK);
    }

    private void step(final int joined) {
        follower.step(follower.slot(), received, sent, joined);
        sent.clear();
        received.clear();
    }

    private void step() {
        step(NodeFollower.UNTOLD);
    }

    private void steps(final int slots) {
        for (int slot = 0; slot < slots; slot++) {
            step();
        }
    }

    private String first() {
        return log.list().getFirst().toString();
    }

    @Test
    void shouldKnowACellWhenItIsSeen() {
        receives(2, 8, 0, 1);
        step();
        assertEquals(1, follower.open());
        steps(2);
        assertEquals(0, follower.open(), "it might have gone to node 3");
        sends(2, 8, 0, 0);
        step();
        assertEquals(1, follower.spent(3, Route.bucket(8, 0)));
        step();
        sent.set(0, InFlightCells.NO_CELL, 0, Route.bucket(8, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
    }

    @Test
    void shouldFindWhatStaysAway() {
        receives(2, 8, 0, 1);
        steps(4);
        assertEquals("slot 3 node 0 link 3 bucket <8,1>: order: expected cell 2>8 seq 0 to <8,0>, seen a dummy",
            first());
    }

    @Test
    void shouldFindALinkThatIsNotShortest() {
        receives(2, 8, 0, 1);
        step(2);
        receives(1, 7, 0, 1);
        step(2);
        assertEquals("slot 1 node 0 link 2 bucket <7,1>: route: expected cell 1>7 seq 0 to <7,0> to join a shortest "
            + "queue of phase 1, seen link 2", first());
        assertEquals(2, follower.held());
    }

    @Test
    void shouldFindANeighbourThatSendsTooMuch() {
        for (int epoch = 0; epoch < 2; epoch++) {
            receives(2, 8, epoch, 1);
            step(2);
            steps(3);
        }
        assertTrue(log.list().stream().anyMatch(each -> each.law() == Law.CAPACITY && each.slot() == 4
            && each.link() == 1), log.text());
    }

    /** A token that waits for its link counts as a cell does. */
    @Test
    void shouldFindANeighbourThatDoesNotWaitForItsToken() {
        receives(2, 8, 0, 1);
        step(3);
        steps(2);
        sends(2, 8, 0, 0);
        step();
        receives(2, 8, 1, 1);
        step(2);
        assertEquals("slot 4 node 0 link 1 bucket <8,1>: capacity: expected at most 1 cells of a bucket and tokens "
            + "owed for it, seen a cell beside 1", first());
    }

    @Test
    void shouldFindATokenFromNowhereAndGoOn() {
        received.set(0, InFlightCells.NO_CELL, 0, Route.bucket(5, 1) | -1L << Integer.SIZE);
        step();
        assertEquals("slot 0 node 0 link 1 bucket <5,1>: token: expected no token to arrive, as none is out, seen "
            + "<5,1>", first());
        steps(100);
        assertEquals(1, log.total());
    }

    @Test
    void shouldTellWrappedSequenceNumbersFromRepeatedOnes() {
        for (int sequence = 0; sequence < 40; sequence++) {
            sends(0, 1, sequence % 16, 1);
            steps(4);
        }
        assertTrue(log.none(), log.text());
        sends(0, 1, 7, 1);
        step();
        assertEquals("slot 160 node 0 link 0 bucket <1,1>: conservation: expected seq 8, seen cell 0>1 seq 7 to <1,1>, "
            + "which left before", first());
    }

    @Test
    void shouldTakeSilenceWherePermitted() {
        sent.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
        step();
        assertEquals("slot 0 node 0 link 0: schedule: expected a cell or a dummy, seen nothing", first());
        final long before = log.total();
        follower = follower(1, FollowRules.STRICT.with(Setting.SILENCE, 1000));
        sent.set(0, InFlightCells.SILENCE, 0, InFlightCells.NO_FEEDBACK);
        step();
        assertEquals(before, log.total());
    }

    @Test
    void shouldListEachPlaceOnceAndUpToTheLimit() {
        final FindingLog few = new FindingLog(2);
        for (int slot = 0; slot < 5; slot++) {
            for (int link = 0; link < 3; link++) {
                few.add(new Finding(Law.ORDER, slot, 0, link, null, "a", "b"));
            }
        }
        assertEquals(15, few.total());
        assertEquals(2, few.list().size());
        assertEquals("""
            first: slot 0 node 0 link 0: order: expected a, seen b (5 times, last in slot 4)
            then:  slot 0 node 0 link 1: order: expected a, seen b (5 times, last in slot 4)
            5 more beyond the limit of 2
            """, few.text());
    }

    @Test
    void shouldCompareRegistersAndTakeThemOver() {
        follower.step(0, received, sent);
        follower.expectHeld(0);
        follower.expectLength(1, 0);
        follower.expectTokensLeft(1, Route.bucket(5, 1), 1);
        assertTrue(log.none(), log.text());
        follower.registers().set("queue1_tokens_d5n1", 0);
        follower.registers().set("queue1_outstanding_d5n1", 1);
        follower.registers().set("cells_held", 1);
        follower.registers().set("queue1_length", 1);
        assertThrows(IllegalArgumentException.class, () -> follower.registers().set("queue1_cells", 1));
        assertEquals(3, log.total());
        assertEquals("slot 0 node 0 link 1 bucket <5,1>: token: expected 1 tokens left, seen 0 left", first());
    }

    @Test
    void shouldBeginWithTheRegistersOfADevice() {
        follower.beginAt(1001);
        follower.hold(cell(2, 8, 5), 3, Route.bucket(8, 0), 1, Route.bucket(8, 1));
        follower.owe(2, Route.bucket(4, 1));
        follower.setSpent(1, Route.bucket(5, 1), 1);
        follower.setNext(1, 9);
        received.set(0, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
        sent.set(0, InFlightCells.NO_CELL, 0, InFlightCells.NO_FEEDBACK);
        step();
        sent.set(0, InFlightCells.NO_CELL, 0, Route.bucket(4, 1) | -1L << Integer.SIZE);
        step();
        sends(2, 8, 5, 0);
        step();
        sends(0, 1, 9, 1);
        received.set(0, InFlightCells.NO_CELL, 0, Route.bucket(5, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
        assertEquals(0, follower.spent(1, Route.bucket(5, 1)));
        sends(0, 5, 1, 1);
        sent.set(0, sent.route(0), sent.cell(0), Route.bucket(8, 1) | -1L << Integer.SIZE);
        step();
        assertTrue(log.none(), log.text());
        sends(0, 5, 3, 1);
        step();
        assertEquals(Law.ORDER, log.list().getFirst().law(), log.text());
    }

    @Test
    void shouldRefuseOtherFabrics() {
        final Phased schedule = new Phased(2, 3);
        for (final Shale shale : new Shale[] {
            new Shale(schedule, Population.complete(schedule), Mechanisms.NONE.with(TieRule.LOWEST), 1, 1, 0, 1),
            new Shale(schedule, Population.of(schedule, 7, 0), Mechanisms.HBH, 1, 1, 0, 1)}) {
            assertThrows(IllegalArgumentException.class, () -> new NodeFollower(shale, CellNames.pairs(NODES, 4), 0,
                FollowRules.STRICT, log));
        }
        assertThrows(IllegalArgumentException.class, () -> follower.step(1, received, sent));
    }
}
