package dev.skerry.nic.shale.follow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Route;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Random;

/** Devices that break no law are followed without a finding, whatever they choose. */
final class LegalDevicesTest {
    private static final List<TieRule> TIES = List.of(TieRule.DRAWN, TieRule.LOWEST, TieRule.ROTATING,
        LegalDevices.LFSR);

    @ParameterizedTest
    @CsvSource({"2, 3, 0, 4000", "2, 4, 1, 4000", "2, 4, 3, 4000", "4, 2, 0, 3000", "2, 9, 2, 500", "3, 3, 2, 1000",
        "2, 70, 0, 4"})
    void shouldFindNothingInLegalDevices(final int h, final int r, final int ties, final long slots) {
        final Shale devices = LegalDevices.shale(h, r, TIES.get(ties));
        final Shale known = LegalDevices.shale(h, r, TieRule.DRAWN);
        final FindingLog log = new FindingLog(4);
        LegalDevices.follow(devices, known, LegalDevices.flows(devices, h), slots, log);
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
        followRandom(Long.getLong("firstSeed", 1), (int) (Long.getLong("slotsOfNodes", 1_000_000L) / 100_000),
            100_000);
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
                : LegalDevices.moody(random.nextLong(), 2 + random.nextInt(30));
            final int tokens = 1 + random.nextInt(3);
            final int propagation = random.nextInt(12);
            final Shale devices = LegalDevices.shale(h, r, tokens, propagation, base.serving(locals));
            final Shale known = LegalDevices.shale(h, r, tokens, propagation,
                shortest ? Mechanisms.HBH_SPRAY : Mechanisms.HBH);
            if (devices.nodes() > 2) {
                final FlowSet flows = LegalDevices.flows(devices, random.nextLong());
                final FindingLog log = new FindingLog(4);
                LegalDevices.follow(devices, known, flows, slots / devices.nodes() + 1, log);
                assertTrue(log.none(), "seed=" + seed + " round=" + round + " h=" + h + " r=" + r + " P="
                    + propagation + ": " + log.text());
            }
        }
    }

    /** Bucket spray: which link is judged by what each has of the bucket, and then by the length of its queue. */
    @ParameterizedTest
    @CsvSource({"2, 4, 3000, 1", "4, 2, 1500, 2", "3, 3, 800, 3", "2, 9, 150, 4"})
    void shouldFindNothingInDevicesWithBucketSpray(final int h, final int r, final long slots, final long seed) {
        followBucketSpray(h, r, slots, seed);
    }

    @Test
    @Tag("long")
    void shouldFindNothingInAMillionSlotsOfBucketSpray() {
        for (int seed = 0; seed < 20; seed++) {
            followBucketSpray(seed % 2 == 0 ? 2 : 4, seed % 2 == 0 ? 4 : 2, 4000, seed);
        }
    }

    private static void followBucketSpray(final int h, final int r, final long slots, final long seed) {
        final Random random = new Random(seed);
        final int tokens = 1 + random.nextInt(3);
        final int propagation = random.nextInt(12);
        final Shale devices = LegalDevices.shale(h, r, tokens, propagation, Mechanisms.of("hbh+spray-bucket"));
        final FlowSet flows = LegalDevices.flows(devices, seed);
        final FindingLog log = new FindingLog(4);
        LegalDevices.follow(devices, devices, flows, slots, log);
        assertTrue(log.none(), "seed=" + seed + " P=" + propagation + ": " + log.text());
    }

    /** Of links with equally much of the bucket, the shorter queue; link 3 has a cell of another bucket. */
    @ParameterizedTest
    @CsvSource({"3, false", "4, true", "5, true"})
    void shouldJudgeLengthsAfterBuckets(final int joined, final boolean isLegal) {
        final Shale shale = LegalDevices.shale(2, 4, 1, 0, Mechanisms.of("hbh+spray-bucket"));
        final FindingLog log = new FindingLog(4);
        final NodeFollower follower = new NodeFollower(shale, CellNames.pairs(16, 14), 0, FollowRules.STRICT, log);
        follower.hold(Cell.of(16 + 5, 0), 3, Route.bucket(5, 0), 0, Route.bucket(5, 1));
        final NodeCells received = new NodeCells(1);
        received.set(0, Route.bucket(10, 1), Cell.of(2 * 16 + 10, 0), InFlightCells.NO_FEEDBACK);
        follower.step(0, received, new NodeCells(1), joined);
        assertEquals(isLegal, log.none(), log.text());
    }

    /** Priority: any order of the cells of a link, but nothing idles, and routes and tokens are judged. */
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
        final Shale devices = LegalDevices.shale(h, r, 1 + random.nextInt(2), random.nextInt(12), Mechanisms.of(is));
        final FlowSet flows = new FlowSet();
        for (int flow = 0; flow < 4 * devices.nodes(); flow++) {
            final int cells = 1 + random.nextInt(flow < devices.nodes() ? 1 << 20 : 40);
            final int from = flow % devices.nodes();
            flows.add(flow, from, (from + 1 + random.nextInt(devices.nodes() - 1)) % devices.nodes(), cells * 244L,
                cells, flow / devices.nodes() * 100L);
        }
        final FollowRules anyOrder = new FollowRules(false, true, 2, FollowRules.Room.ENDLESS, FollowRules.Room.ENDLESS,
            Integer.SIZE);
        final FindingLog log = new FindingLog(4);
        LegalDevices.follow(devices, devices, flows, slots, anyOrder, log);
        assertTrue(log.none(), is + " seed=" + seed + ": " + log.text());
        assertThrows(IllegalArgumentException.class, () -> LegalDevices.follow(devices, devices, flows, 1, log));
        // The same devices, of which it is told that they have a token less, are found out.
        final Shale less = LegalDevices.shale(h, r, 3, devices.propagationSlots(), Mechanisms.of(is));
        final Shale told = LegalDevices.shale(h, r, 1, devices.propagationSlots(), Mechanisms.of(is));
        LegalDevices.follow(less, told, flows, slots, anyOrder, log);
        assertTrue(log.text().contains("token:") || log.text().contains("capacity:"), log.text());
    }

    /** Devices that spray otherwise than they say. */
    @ParameterizedTest
    @CsvSource({"hbh, hbh+spray-bucket", "hbh+spray-short, hbh+spray-bucket", "hbh+spray-bucket, hbh+spray-short"})
    void shouldFindAnotherSpraying(final String is, final String says) {
        final Shale devices = LegalDevices.shale(2, 4, 2, 5, Mechanisms.of(is));
        final Shale known = LegalDevices.shale(2, 4, 2, 5, Mechanisms.of(says));
        final FindingLog log = new FindingLog(4);
        LegalDevices.follow(devices, known, LegalDevices.flows(devices, 3), 4000, log);
        assertTrue(log.text().contains("order:") || log.text().contains("route:"), log.text());
    }

    /** The rule binds a device whose rule is known. */
    @Test
    void shouldFindAnotherTieRule() {
        final Shale devices = LegalDevices.shale(2, 4, TieRule.DRAWN);
        final FindingLog log = new FindingLog(4);
        LegalDevices.follow(devices, LegalDevices.shale(2, 4, TieRule.LOWEST), LegalDevices.flows(devices, 2), 1000,
            log);
        assertEquals(Law.ORDER, log.list().getFirst().law(), log.text());
        assertTrue(log.list().getFirst().slot() < 12, log.text());
    }

    /** The property {@code slotsOfRule} says how many slots with each rule. */
    @Tag("long")
    @ParameterizedTest
    @CsvSource({"4, 0", "4, 1", "4, 2", "4, 3", "9, 0", "9, 1", "9, 2", "9, 3"})
    void shouldFollowEachRule(final int r, final int ties) {
        final Shale devices = LegalDevices.shale(2, r, TIES.get(ties));
        final FindingLog log = new FindingLog(4);
        final int open = LegalDevices.follow(devices, LegalDevices.shale(2, r, TieRule.DRAWN),
            LegalDevices.flows(devices, r), Long.getLong("slotsOfRule", 100_000L), log);
        assertTrue(log.none(), "r=" + r + " ties=" + ties + ": " + log.text());
        System.out.println("r=" + r + " ties=" + ties + " most open at a node: " + open);
    }
}
