/**
 * Cell formats, as accessors over a memory segment and an offset that do not allocate. All fields are big endian, most
 * significant bit first, unless a class says otherwise. {@link dev.skerry.codec.ShaleHeader},
 * {@link dev.skerry.codec.ShoalHeader} and {@link dev.skerry.codec.StardustHeader} write, read and validate headers;
 * {@link dev.skerry.codec.CellPacker} packs packets into cells. Invalid input is reported as a
 * {@link dev.skerry.codec.HeaderFault} or {@link dev.skerry.codec.ControlFault}, never thrown.
 */
package dev.skerry.codec;
