/**
 * The bytes of a cell, as allocation-free accessors over a memory segment and an offset; every field is big endian, its
 * most significant bit first.
 *
 * <p>{@link dev.skerry.codec.CellFormat} says how large a cell is and counts the cells of a packet.
 * {@link dev.skerry.codec.ShaleLayout} lists Shale's three headers, {@link dev.skerry.codec.ShaleHeader} writes, reads
 * and validates them, {@link dev.skerry.codec.ShaleToken} is one of their two tokens.
 *
 * <p>{@link dev.skerry.codec.ShoalHeader} does the same for Shoal, whose check runs over the payload too;
 * {@link dev.skerry.codec.ShoalControl} is what its control cells carry.
 *
 * <p>{@link dev.skerry.codec.StardustHeader} does it for Stardust's cells of variable length, checked by {@link
 * dev.skerry.codec.Crc32c}, {@link dev.skerry.codec.StardustControl} for its control messages. {@link
 * dev.skerry.codec.CellPacker} cuts the packets of a credit into cells, {@link dev.skerry.codec.CellParser} takes them
 * apart again.
 *
 * <p>{@link dev.skerry.codec.ShaleHeaderBurst} and {@link dev.skerry.codec.ShoalHeaderBurst} do for a burst of cells at
 * once, in columns, what the headers do for one.
 *
 * <p>A header that is not valid is named by a {@link dev.skerry.codec.HeaderFault}, a control message by a
 * {@link dev.skerry.codec.ControlFault}, never thrown. {@link dev.skerry.codec.Crc8} is the check that Shale's and
 * Shoal's headers end in.
 */
package dev.skerry.codec;
