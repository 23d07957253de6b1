/**
 * The bytes of a cell: accessors over a memory segment and an offset that allocate nothing. All fields are big endian,
 * most significant bit first, unless a class says otherwise.
 *
 * <p>{@link dev.skerry.codec.CellFormat}: size of a cell, number of cells of a packet.
 *
 * <p>Shale: {@link dev.skerry.codec.ShaleLayout} draws the three headers, {@link dev.skerry.codec.ShaleHeader} writes,
 * reads and validates them, {@link dev.skerry.codec.ShaleToken} is a token of one.
 *
 * <p>Shoal: {@link dev.skerry.codec.ShoalHeader}, and {@link dev.skerry.codec.ShoalControl} for the payload of control
 * cells.
 *
 * <p>Stardust: {@link dev.skerry.codec.StardustHeader} for cells of variable length, {@link
 * dev.skerry.codec.StardustControl} for control messages. {@link dev.skerry.codec.CellPacker} packs the packets of a
 * credit into cells, {@link dev.skerry.codec.CellParser} restores them.
 *
 * <p>Invalid input is reported as a {@link dev.skerry.codec.HeaderFault} or {@link dev.skerry.codec.ControlFault},
 * never thrown. {@link dev.skerry.codec.Crc8} checks the cells of Shale and Shoal, {@link dev.skerry.codec.Crc32c}
 * those of Stardust.
 */
package dev.skerry.codec;
