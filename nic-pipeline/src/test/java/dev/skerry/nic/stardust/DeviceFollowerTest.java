package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.Finding.Law;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.DeviceModelTest.Case;
import dev.skerry.nic.stardust.DeviceModelTest.WiredDevices;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.UpDownReach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A follower of Stardust finds nothing in random legal devices, nor in Skerry's, and finds each planted mistake. */
final class DeviceFollowerTest {
    private static final int SLOTS = 3000;
    private static final int PLANTED_FROM = 400;

    private static DeviceFollower[] followers(final Stardust fabric, final FlowSet flows, final int late,
        final FindingLog log) {
        final DeviceFollower[] followers = new DeviceFollower[fabric.clos().devices()];
        for (int device = 0; device < followers.length; device++) {
            followers[device] = new DeviceFollower(fabric, flows, device,
                FollowRules.STRICT.with(Setting.CELL_DELAY, late), log);
        }
        return followers;
    }

    /** Follows random devices; returns the cells that adapters sent. */
    private static long findNothing(final long seed) {
        final RandomDevices devices = new RandomDevices(seed);
        final FindingLog log = new FindingLog(4);
        final DeviceFollower[] followers = followers(devices.fabric, devices.flows, devices.late, log);
        for (long slot = 0; slot < SLOTS; slot++) {
            devices.step(slot, false);
            for (int device = 0; device < followers.length; device++) {
                followers[device].step(slot, devices.received(device), devices.sent(slot, device));
            }
            assertTrue(log.none(), () -> "seed=" + seed + " " + devices.fabric + " " + log.text());
        }
        return devices.cells;
    }

    @Test
    void shouldFindNothingInRandomDevices() {
        long cells = 0;
        for (long seed = 1; seed <= 6; seed++) {
            cells += findNothing(seed);
        }
        assertTrue(cells > 20_000, "cells=" + cells);
    }

    @Test
    @Tag("long")
    void shouldFindNothingInTenMillionCells() {
        long cells = 0;
        for (long seed = 1000; cells < 10_000_000; seed++) {
            cells += findNothing(seed);
        }
    }

    static Stream<Stardust> fabrics() {
        final Credits credits = new Credits(2048, 235, 0, 0, 1, true);
        return Stream.of(Case.CREDITS.fabric, Case.N62.fabric, Case.PAUSES.fabric,
            Fabrics.packed(1, LinkRules.USUAL, false), Fabrics.packed(3, LinkRules.USUAL.carryingControl(), true),
            Fabrics.withCredits(credits.with(VoqRules.usual(2048).sizedByBacklog())),
            Fabrics.withCredits(credits.with(VoqRules.ahead(2048, 2)).keeping(10_240)),
            Fabrics.withCredits(credits.with(VoqRules.usual(2048).slowUpTo(16_384))));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void shouldFindNothingInDevicesOfOurs(final Stardust fabric) {
        final FlowSet flows = Fabrics.mixed(fabric.nodes(), 4 * fabric.nodes());
        final FindingLog log = new FindingLog(4);
        final DeviceFollower[] followers = followers(fabric, flows, 0, log);
        try (WiredDevices models = new WiredDevices(fabric, flows, Faults.NONE, DeviceModelTest.HEALING)) {
            for (long slot = 0; slot < 500; slot++) {
                models.step(slot, false);
                for (int device = 0; device < followers.length; device++) {
                    followers[device].step(slot, models.received(device), models.sent(slot, device));
                }
            }
            assertTrue(models.count(NicCounter.CELLS_DELIVERED) > 1000, fabric.toString());
        }
        assertEquals("", log.text(), fabric.toString());
    }

    /** What one device received and sent. */
    private static final class Recorded {
        final RandomDevices of;
        final int device;
        final DeviceSignals[] received = new DeviceSignals[SLOTS];
        final DeviceSignals[] sent = new DeviceSignals[SLOTS];

        Recorded(final long seed, final boolean adapter) {
            of = new RandomDevices(seed);
            device = adapter ? 0 : of.fabric.clos().fas();
            for (int slot = 0; slot < SLOTS; slot++) {
                of.step(slot, false);
                received[slot] = new DeviceSignals(of.received(device).links());
                sent[slot] = new DeviceSignals(of.received(device).links());
                Wires.copy(of.received(device), received[slot]);
                Wires.copy(of.sent(slot, device), sent[slot]);
            }
        }

        FindingLog follow() {
            final FindingLog log = new FindingLog(4);
            final DeviceFollower follower = new DeviceFollower(of.fabric, of.flows, device,
                FollowRules.STRICT.with(Setting.CELL_DELAY, of.late), log);
            for (int slot = 0; slot < SLOTS; slot++) {
                follower.step(slot, received[slot], sent[slot]);
            }
            return log;
        }

        boolean has(final int slot, final int link) {
            return sent[slot].first(link) != 0;
        }

        boolean set(final int slot, final int link, final long first, final long second) {
            sent[slot].setCell(link, first, second);
            return true;
        }

        /** The slot in which a cell of the words came, or was sent; -1 if there is none. */
        static int slotOf(final DeviceSignals[] all, final long first, final long second) {
            return IntStream.range(0, SLOTS).filter(slot -> IntStream.range(0, all[slot].links()).anyMatch(link ->
                all[slot].second(link) == second && first >>> 32 == all[slot].first(link) >>> 32)).findFirst()
                .orElse(-1);
        }

        /** The next slot in which a link sends, after a slot. */
        int next(final int slot, final int link) {
            return IntStream.range(slot + 1, SLOTS).filter(at -> has(at, link)).findFirst().orElse(-1);
        }

        boolean add(final int slot, final long message) {
            sent[slot].add(message);
            return true;
        }

        /** Replaces the messages of a slot of one side that are of a kind by one of another value. */
        boolean change(final DeviceSignals signals, final int kind, final long other) {
            final long[] all = IntStream.range(0, signals.messages()).mapToLong(signals::message).toArray();
            final DeviceSignals copy = new DeviceSignals(signals.links());
            Wires.copy(signals, copy);
            signals.clear();
            for (int link = 0; link < copy.links(); link++) {
                signals.setCell(link, copy.first(link), copy.second(link));
                signals.setPause(link, copy.pause(link));
            }
            boolean found = false;
            for (final long message : all) {
                if (found || Control.kind(message) != kind) {
                    signals.add(message);
                } else if (other != 0) {
                    signals.add(message ^ other);
                }
                found |= Control.kind(message) == kind;
            }
            return found;
        }
    }

    /** Changes what a device did in a slot on a link, where it can; true if it could. */
    private interface Planting {
        boolean plant(Recorded of, int slot, int link);
    }

    /** A mistake, of an adapter or an element, and the law that it breaks; in its slot, or later. */
    enum Mistake {
        CELL_SENT_TWICE(false, Law.CONSERVATION, true, (of, slot, link) -> !of.has(slot, link) && of.has(slot - 9, link)
            && of.set(slot, link, of.sent[slot - 9].first(link), of.sent[slot - 9].second(link))),
        CELL_LOST(false, Law.CONSERVATION, false, (of, slot, link) -> {
            final int free = IntStream.range(0, of.received[slot].links()).filter(in ->
                of.received[slot].first(in) == 0).findFirst().orElse(-1);
            if (!of.has(slot, link) || free < 0) {
                return false;
            }
            of.received[slot].setCell(free, of.sent[slot].first(link), of.sent[slot].second(link) ^ 1L << 51);
            return true;
        }),
        OVERTAKEN_IN_A_QUEUE(false, Law.ORDER, false, (of, slot, link) -> swaps(of, slot, link, false)),
        SENT_WHILE_PAUSED(false, Law.SCHEDULE, true, DeviceFollowerTest::sendsWhilePaused),
        CELL_CHANGED(false, Law.PAYLOAD, true, (of, slot, link) -> of.has(slot, link)
            && of.set(slot, link, of.sent[slot].first(link) ^ 1L << 18, of.sent[slot].second(link))),
        CONGESTION_FORGOTTEN(false, Law.PAYLOAD, true, (of, slot, link) -> {
            final int came = of.has(slot, link) ? Recorded.slotOf(of.received, of.sent[slot].first(link),
                of.sent[slot].second(link)) : -1;
            return came >= 0 && IntStream.range(0, of.received[came].links()).anyMatch(in -> of.received[came]
                .second(in) == of.sent[slot].second(link) && StardustCell.fci(of.received[came].first(in)) > 0)
                && of.set(slot, link, of.sent[slot].first(link) & ~(3L << 28), of.sent[slot].second(link));
        }),
        WRONG_LINK(false, Law.ROUTE, true, (of, slot, link) -> {
            final int other = (link + 1) % of.sent[slot].links();
            return of.has(slot, link) && !of.has(slot, other) && !of.received[slot].pause(other)
                && !new UpDownReach(of.of.fabric.deployment()).leads(of.device, other,
                    StardustCell.to(of.sent[slot].first(link)))
                && of.set(slot, other, of.sent[slot].first(link), of.sent[slot].second(link))
                && of.set(slot, link, 0, 0);
        }),
        ANOTHER_DESTINATION(false, Law.CONSERVATION, true, (of, slot, link) -> of.has(slot, link)
            && StardustCell.from(of.sent[slot].first(link)) > 1 && of.set(slot, link, of.sent[slot].first(link)
            ^ 1L << 48, of.sent[slot].second(link))),
        CREDITS_SPENT_TWICE(true, Law.TOKEN, false, (of, slot, link) -> link == 0 && IntStream.range(slot, SLOTS)
            .filter(at -> at % 2 == 0 && of.change(of.received[at], Control.CREDIT, 0)).count() > 0),
        NUMBER_LOST(true, Law.CONSERVATION, false, (of, slot, link) -> of.has(slot, link) && of.set(slot, link, 0, 0)),
        NUMBER_SENT_TWICE(true, Law.CONSERVATION, true, CELL_SENT_TWICE.planting),
        OVERTAKEN_IN_A_STREAM(true, Law.ORDER, false, (of, slot, link) -> swaps(of, slot, link, true)),
        BYTES_SENT_TWICE(true, Law.PAYLOAD, false, (of, slot, link) -> of.has(slot, link)
            && StardustCell.place(of.sent[slot].second(link)) > 0 && of.set(slot, link, of.sent[slot].first(link),
            of.sent[slot].second(link) - 1)),
        ADAPTER_SENT_WHILE_PAUSED(true, Law.SCHEDULE, true, SENT_WHILE_PAUSED.planting),
        ANOTHER_SOURCE(true, Law.ROUTE, true, (of, slot, link) -> of.has(slot, link) && of.set(slot, link,
            of.sent[slot].first(link) ^ 1L << 32 + 4, of.sent[slot].second(link))),
        CREDIT_UNASKED(true, Law.TOKEN, true, (of, slot, link) -> link == 0 && IntStream.range(0, slot + 1).noneMatch(
            at -> IntStream.range(0, of.received[at].messages()).anyMatch(i -> Control.issuer(
            of.received[at].message(i)) == 1 && Control.queue(of.received[at].message(i)) == 0))
            && of.add(slot, Control.message(1, 0, 0, Control.CREDIT, Control.credit(1, 1)))),
        CREDIT_NUMBERED_WRONG(true, Law.TOKEN, true, (of, slot, link) -> link == 0
            && of.change(of.sent[slot], Control.CREDIT, 4)),
        CREDIT_TOO_LARGE(true, Law.TOKEN, true, (of, slot, link) -> link == 0
            && of.change(of.sent[slot], Control.CREDIT, 1L << 17));

        final boolean adapter;
        final Law law;
        final boolean atOnce;
        final Planting planting;

        Mistake(final boolean adapter, final Law law, final boolean atOnce, final Planting planting) {
            this.adapter = adapter;
            this.law = law;
            this.atOnce = atOnce;
            this.planting = planting;
        }
    }

    /** Exchanges a cell of a link with the next one, of the same stream or one that came in another slot. */
    private static boolean swaps(final Recorded of, final int slot, final int link, final boolean stream) {
        final int next = of.has(slot, link) ? of.next(slot, link) : -1;
        if (next < 0) {
            return false;
        }
        final long first = of.sent[slot].first(link);
        final long second = of.sent[slot].second(link);
        final long[] other = {of.sent[next].first(link), of.sent[next].second(link)};
        final boolean fits = stream ? first >>> 32 == other[0] >>> 32 && second >>> 52 == other[1] >>> 52
            : StardustCell.order(first) == StardustCell.order(other[0]) && Recorded.slotOf(of.received, other[0],
            other[1]) <= slot && Recorded.slotOf(of.received, first, second) < Recorded.slotOf(of.received, other[0],
            other[1]);
        return fits && of.set(slot, link, other[0], other[1]) && of.set(next, link, first, second);
    }

    /** A link that has long been paused sends the cell that waits for it. */
    private static boolean sendsWhilePaused(final Recorded of, final int slot, final int link) {
        final int next = of.next(slot, link);
        return IntStream.rangeClosed(slot - of.of.late, slot).allMatch(at -> of.received[at].pause(link)) && next > 0
            && !of.has(slot, link) && (of.device == 0 || Recorded.slotOf(of.received, of.sent[next].first(link),
            of.sent[next].second(link)) < slot) && of.set(slot, link, of.sent[next].first(link),
            of.sent[next].second(link)) && of.set(next, link, 0, 0);
    }

    @ParameterizedTest
    @EnumSource
    void shouldFindWhatIsPlanted(final Mistake mistake) {
        for (long seed = 1; seed < 40; seed++) {
            final Recorded of = new Recorded(seed, mistake.adapter);
            for (int at = PLANTED_FROM; at < SLOTS / 2; at++) {
                for (int link = 0; link < of.sent[at].links(); link++) {
                    if (mistake.planting.plant(of, at, link)) {
                        final FindingLog log = of.follow();
                        final String what = "seed=" + seed + " slot=" + at + " link=" + link + ": " + log.text();
                        assertTrue(!log.none(), what);
                        assertEquals(mistake.law, log.list().getFirst().law(), what);
                        assertTrue(mistake.atOnce ? log.list().getFirst().slot() == at
                            : log.list().getFirst().slot() >= at, what);
                        return;
                    }
                }
            }
        }
        throw new AssertionError("planted nowhere");
    }

    @Test
    void shouldRefuseWhatItCannotFollow() {
        final Stardust fabric = Case.CREDITS.fabric;
        final FindingLog log = new FindingLog(1);
        assertThrows(IllegalArgumentException.class, () -> new DeviceFollower(fabric, new FlowSet(),
            fabric.clos().devices(), FollowRules.STRICT, log));
        assertThrows(IllegalArgumentException.class, () -> new DeviceFollower(fabric, new FlowSet(), 0,
            FollowRules.STRICT.with(Setting.SILENCE, 1), log));
        final DeviceFollower follower = new DeviceFollower(fabric, new FlowSet(), 0, FollowRules.STRICT, log);
        assertThrows(IllegalArgumentException.class, () -> follower.step(0, new DeviceSignals(1),
            new DeviceSignals(4)));
    }

    /** Whatever the words of a device are, they become findings. */
    @Test
    void shouldTakeAnyWords() {
        final SplittableRandom random = new SplittableRandom(3);
        final FlowSet flows = Fabrics.mixed(Case.CREDITS.fabric.nodes(), 99);
        for (final int device : new int[] {0, 16, 39}) {
            final FindingLog log = new FindingLog(4);
            final DeviceFollower follower = new DeviceFollower(Case.CREDITS.fabric, flows, device, FollowRules.STRICT,
                log);
            final int links = Case.CREDITS.fabric.clos().ports(device);
            final DeviceSignals[] sides = {new DeviceSignals(links), new DeviceSignals(links)};
            for (int slot = 0; slot < 5000; slot++) {
                for (final DeviceSignals side : sides) {
                    side.clear();
                    for (int link = 0; link < links; link++) {
                        side.setCell(link, random.nextInt(3) == 0 ? random.nextLong() : StardustCell.first(
                            StardustCell.route(random.nextInt(17), random.nextInt(17), 0), 1 + random.nextInt(256),
                            true, slot), StardustCell.second(random.nextInt(5), random.nextInt(20), random.nextInt()));
                        side.setPause(link, random.nextBoolean());
                    }
                    side.add(random.nextBoolean() ? random.nextLong() : Control.message(random.nextInt(3),
                        random.nextInt(3), random.nextInt(4), random.nextInt(4), random.nextInt(1 << 18)));
                }
                follower.step(slot, sides[0], sides[1]);
            }
            assertTrue(log.total() > 5000, "device=" + device + " findings=" + log.total());
        }
    }
}
