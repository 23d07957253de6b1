package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** The devices of a bank: consecutive devices of one tier, or of each tier. Immutable. */
public final class DeviceRange {
    private final FoldedClos clos;
    private final int bank;
    private final int[] first;
    private final int[] end;

    /** Creates the devices from a first one up to an end, for each tier. */
    private DeviceRange(final FoldedClos clos, final int bank, final IntUnaryOperator first,
        final IntUnaryOperator end) {
        this.clos = clos;
        this.bank = bank;
        this.first = IntStream.rangeClosed(0, clos.tiers()).map(first).toArray();
        this.end = IntStream.rangeClosed(0, clos.tiers()).map(end).toArray();
    }

    /** Splits every tier among some banks, so that all have the same work. */
    public static DeviceRange[] of(final FoldedClos clos, final int banks) {
        final DeviceRange[] shares = new DeviceRange[banks];
        Arrays.setAll(shares, bank -> new DeviceRange(clos, bank, tier -> bound(clos, tier, bank, banks),
            tier -> bound(clos, tier, bank + 1, banks)));
        return shares;
    }

    /** Returns some banks of adapters, and after them a bank for each element. */
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
     * Returns banks around one device: bank 1 is the device alone, bank 0 the devices of its tier with lower numbers,
     * if any, and bank 2 all the rest. So messages of banks 0 to 2 are in the order of their issuers.
     */
    public static DeviceRange[] around(final FoldedClos clos, final int device) {
        final int own = clos.tierOf(device);
        return new DeviceRange[] {
            new DeviceRange(clos, 0, tier -> tier == own ? clos.tierStart(own) : 0, tier -> tier == own ? device : 0),
            new DeviceRange(clos, 1, tier -> tier == own ? device : 0, tier -> tier == own ? device + 1 : 0),
            new DeviceRange(clos, 2, tier -> tier == own ? device + 1 : clos.tierStart(tier),
                tier -> clos.tierStart(tier + 1))};
    }

    /** Returns the number of the bank. */
    public int bank() {
        return bank;
    }

    /** Returns the first device of a tier. */
    public int first(final int tier) {
        return first[tier];
    }

    /** Returns the device after the last one of a tier; {@link #first} if there is none. */
    public int end(final int tier) {
        return end[tier];
    }

    /** Tells whether there are adapters. */
    public boolean hasAdapters() {
        return first[0] < end[0];
    }

    /** Returns the lowest device of all tiers, with which tables of the bank's devices begin. */
    public int base() {
        return devices().findFirst().orElseThrow();
    }

    /** Returns the number of devices from the lowest to the highest, which is the size of such a table. */
    public int span() {
        return devices().max().orElseThrow() + 1 - base();
    }

    /**
     * Returns the banks whose devices are connected by links to those of this one, possibly including itself, in order.
     */
    public int[] neighbours(final int[] bankOf) {
        return connectedPorts().map(port -> bankOf[clos.deviceOf(clos.peer(port))]).sorted().distinct().toArray();
    }

    /** Returns the devices of the bank, in order. */
    public IntStream devices() {
        return IntStream.rangeClosed(0, clos.tiers()).flatMap(tier -> IntStream.range(first[tier], end[tier]));
    }

    /** Returns the ports of its devices that have a link, in order. */
    public IntStream connectedPorts() {
        return devices().flatMap(device -> IntStream.range(clos.firstPort(device), clos.firstPort(device + 1)))
            .filter(port -> clos.peer(port) != FoldedClos.NONE);
    }

    /** Returns the bank of each device. */
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
