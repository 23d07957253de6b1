package dev.skerry.nic.stardust.fabric;

import dev.skerry.codec.CellPacker;
import dev.skerry.schedule.check.Bounds;

/**
 * Rules for cutting packets into cells (docs/spec/stardust.md §3.4).
 *
 * @param packetBytes longest packet of a flow, 64 to 9216.
 * @param cellBytes   payload of a full cell, 64 to 512.
 * @param prefix      whether two bytes of length precede each packet; the papers do not count them.
 * @param packing     whether packets share cells.
 */
public record CellCut(int packetBytes, int cellBytes, boolean prefix, CellPacker.Packing packing) {
    /** Packets of 9000 bytes in cells of 256, one run a credit. */
    public static final CellCut USUAL = new CellCut(9000, 256, true, CellPacker.Packing.CONTINUOUS);

    private static final int MIN_BYTES = 64;

    /** Checks every bound. */
    public CellCut {
        Bounds.require("packetBytes", packetBytes, MIN_BYTES, CellPacker.MAX_PACKET_BYTES);
        Bounds.require("cellBytes", cellBytes, MIN_BYTES, StardustCell.MAX_BYTES);
    }

    /** Returns the bytes that precede each packet. */
    public int prefixBytes() {
        return prefix ? CellPacker.PREFIX_BYTES : 0;
    }

    /** Tells whether the packets of a credit are one run of bytes, cut wherever a cell is full. */
    public boolean continuous() {
        return packing == CellPacker.Packing.CONTINUOUS;
    }

    /** Tells whether a cell takes the start of the packet after the one that ends in it, but no third one. */
    public boolean simple() {
        return packing == CellPacker.Packing.SIMPLE;
    }
}
