package dev.skerry.nic.stardust.fabric;

import dev.skerry.schedule.FoldedClos;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The devices of one of some banks: some of a tier that follow one another, or of each tier. Immutable.
 */
public final class DeviceRange {
    private final FoldedClos clos;
    private final int bank;
    private final int[] first;
    private final int[] end;

    private DeviceRange(final FoldedClos clos, final int bank, final int[] first, final int[] end) {
        this.clos = clos;
        this.bank = bank;
        this.first = first;
        this.end = end;
    }

    /** The part of one of some banks in every tier, so that all have as much to do. */
    DeviceRange(final FoldedClos clos, final int bank, final int banks) {
        this(clos, bank, new int[clos.tiers() + 1], new int[clos.tiers() + 1]);
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            first[tier] = bound(clos, tier, bank, banks);
            end[tier] = bound(clos, tier, bank + 1, banks);
        }
    }

    /** Every tier's part of one of some groups. */
    public static DeviceRange[] of(final FoldedClos clos, final int banks) {
        final DeviceRange[] shares = new DeviceRange[banks];
        Arrays.setAll(shares, bank -> new DeviceRange(clos, bank, banks));
        return shares;
    }

    /** Some banks of adapters, and after them a bank for each element. */
    public static DeviceRange[] apart(final FoldedClos clos, final int adapterBanks) {
        final DeviceRange[] shares = new DeviceRange[adapterBanks + clos.devices() - clos.fas()];
        for (int bank = 0; bank < shares.length; bank++) {
            final int[] first = new int[clos.tiers() + 1];
            final int[] end = new int[clos.tiers() + 1];
            final boolean adapters = bank < adapterBanks;
            final int element = bank - adapterBanks + clos.fas();
            final int tier = adapters ? 0 : clos.tierOf(element);
            first[tier] = adapters ? bound(clos, 0, bank, adapterBanks) : element;
            end[tier] = adapters ? bound(clos, 0, bank + 1, adapterBanks) : element + 1;
            shares[bank] = new DeviceRange(clos, bank, first, end);
        }
        return shares;
    }

    /**
     * A device between all others: bank 1 is the device alone, bank 0 those of its tier with lower numbers, if any, and
     * bank 2 all the rest. So messages of banks 0 to 2 are in the order of their issuers.
     */
    public static DeviceRange[] around(final FoldedClos clos, final int device) {
        final DeviceRange[] shares = new DeviceRange[3];
        final int own = clos.tierOf(device);
        for (int bank = 0; bank < shares.length; bank++) {
            final int[] first = new int[clos.tiers() + 1];
            final int[] end = new int[clos.tiers() + 1];
            for (int tier = 0; bank == 2 && tier <= clos.tiers(); tier++) {
                first[tier] = tier == own ? device + 1 : clos.tierStart(tier);
                end[tier] = clos.tierStart(tier + 1);
            }
            if (bank < 2) {
                first[own] = bank == 0 ? clos.tierStart(own) : device;
                end[own] = device + bank;
            }
            shares[bank] = new DeviceRange(clos, bank, first, end);
        }
        return shares;
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
        int tier = 0;
        while (first[tier] == end[tier]) {
            tier++;
        }
        return first[tier];
    }

    /** Devices from the lowest to the highest, the number of entries of such a table. */
    public int span() {
        int tier = clos.tiers();
        while (first[tier] == end[tier]) {
            tier--;
        }
        return end[tier] - base();
    }

    /** The banks whose devices are connected to this one's by links, itself perhaps among them, in order. */
    public int[] neighbours(final int[] bankOf) {
        final BitSet banks = new BitSet();
        for (int tier = 0; tier <= clos.tiers(); tier++) {
            for (int port = clos.firstPort(first[tier]); port < clos.firstPort(end[tier]); port++) {
                if (clos.peer(port) != FoldedClos.NONE) {
                    banks.set(bankOf[clos.deviceOf(clos.peer(port))]);
                }
            }
        }
        return banks.stream().toArray();
    }

    /** The bank of each device. */
    public static int[] bankOf(final FoldedClos clos, final DeviceRange[] shares) {
        final int[] bankOf = new int[clos.devices()];
        for (final DeviceRange share : shares) {
            for (int tier = 0; tier <= clos.tiers(); tier++) {
                Arrays.fill(bankOf, share.first[tier], share.end[tier], share.bank);
            }
        }
        return bankOf;
    }

    private static int bound(final FoldedClos clos, final int tier, final int part, final int parts) {
        final int start = clos.tierStart(tier);
        final long size = clos.tierStart(tier + 1) - start;
        return start + (int) (size * part / parts);
    }
}
