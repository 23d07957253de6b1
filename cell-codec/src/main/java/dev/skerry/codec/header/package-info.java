/**
 * Headers of devices that somebody else designed, as descriptions: {@link dev.skerry.codec.header.HeaderDescription}
 * reads a small text of fields and widths, {@link dev.skerry.codec.header.DescribedCell} is what such a header says.
 * Skerry's own headers are descriptions too. Not for hot paths: {@link dev.skerry.codec.ShaleHeader} and
 * {@link dev.skerry.codec.ShoalHeader} are faster.
 */
package dev.skerry.codec.header;
