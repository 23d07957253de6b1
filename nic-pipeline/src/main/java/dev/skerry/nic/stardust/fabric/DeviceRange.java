package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The devices of one of some banks: some of a tier that follow one another, or of each tier. Immutable.
 */
public final class DeviceRange {
    private final FoldedClos clos;
    private final int bank;
    private final int[] first;
    private final int[] end;

    /** Of each tier the devices from a first one up to an end. */
    private DeviceRange(final FoldedClos clos, final int bank, final IntUnaryOperator first,
        final IntUnaryOperator end) {
        this.clos = clos;
        this.bank = bank;
        this.first = IntStream.rangeClosed(0, clos.tiers()).map(first).toArray();
        this.end = IntStream.rangeClosed(0, clos.tiers()).map(end).toArray();
    }

    /** Every tier's part of one of some groups, so that all have as much to do. */
    public static DeviceRange[] of(final FoldedClos clos, final int banks) {
        final DeviceRange[] shares = new DeviceRange[banks];
        Arrays.setAll(shares, bank -> new DeviceRange(clos, bank, tier -> bound(clos, tier, bank, banks),
            tier -> bound(clos, tier, bank + 1, banks)));
        return shares;
    }

    /** Some banks of adapters, and after them a bank for each element. */
    public static DeviceRange[] apart(final FoldedClos clos, final int adapterBanks) {
        final DeviceRange[] shares = new DeviceRange[adapterBanks + clos.devices() - clos.fas()];
        for (int at = 0; at < shares.length; at++) {
            final int bank = at;
            final int element = bank - adapterBanks + clos.fas();
            shares[bank] = bank < adapterBanks
                ? new DeviceRange(clos, bank, tier -> tier == 0 ? bound(clos, 0, bank, adapterBanks) : 0,
                    tier -> tier == 0 ? bound(clos, 0, bank + 1, adapterBanks) : 0)
                : new DeviceRange(clos, bank, tier -> tier == clos.tierOf(element) ? element : 0,
                    tier -> tier == clos.tierOf(element) ? element + 1 : 0);
        }
        return shares;
    }

    /**
     * A device between all others: bank 1 is the device alone, bank 0 those of its tier with lower numbers, if any, and
     * bank 2 all the rest. So messages of banks 0 to 2 are in the order of their issuers.
     */
    public static DeviceRange[] around(final FoldedClos clos, final int device) {
        final int own = clos.tierOf(device);
        return new DeviceRange[] {
            new DeviceRange(clos, 0, tier -> tier == own ? clos.tierStart(own) : 0, tier -> tier == own ? device : 0),
            new DeviceRange(clos, 1, tier -> tier == own ? device : 0, tier -> tier == own ? device + 1 : 0),
            new DeviceRange(clos, 2, tier -> tier == own ? device + 1 : clos.tierStart(tier),
                tier -> clos.tierStart(tier + 1))};
    }

    /** The bank's number. */
    public int bank() {
        return bank;
    }

    /** The first device of a tier. */
    public int first(final int tier) {
        return first[tier];
    }

    /** The device after the last one of a tier; {@link #first} if there is none. */
    public int end(final int tier) {
        return end[tier];
    }

    /** Whether there are adapters. */
    public boolean hasAdapters() {
        return first[0] < end[0];
    }

    /** The lowest device of all tiers: tables of the bank's devices begin with it. */
    public int base() {
        return devices().findFirst().orElseThrow();
    }

    /** Devices from the lowest to the highest, the number of entries of such a table. */
    public int span() {
        return devices().max().orElseThrow() + 1 - base();
    }

    /** The banks whose devices are connected to this one's by links, itself perhaps among them, in order. */
    public int[] neighbours(final int[] bankOf) {
        return connectedPorts().map(port -> bankOf[clos.deviceOf(clos.peer(port))]).sorted().distinct().toArray();
    }

    /** Its devices, in order. */
    public IntStream devices() {
        return IntStream.rangeClosed(0, clos.tiers()).flatMap(tier -> IntStream.range(first[tier], end[tier]));
    }

    /** The ports of its devices that a link leaves by, in order. */
    public IntStream connectedPorts() {
        return devices().flatMap(device -> IntStream.range(clos.firstPort(device), clos.firstPort(device + 1)))
            .filter(port -> clos.peer(port) != FoldedClos.NONE);
    }

    /** The bank of each device. */
    public static int[] bankOf(final FoldedClos clos, final DeviceRange[] shares) {
        final int[] bankOf = new int[clos.devices()];
        for (final DeviceRange share : shares) {
            share.devices().forEach(device -> bankOf[device] = share.bank);
        }
        return bankOf;
    }

    private static int bound(final FoldedClos clos, final int tier, final int part, final int parts) {
        final int start = clos.tierStart(tier);
        final long size = clos.tierStart(tier + 1) - start;
        return start + (int) (size * part / parts);
    }
}
