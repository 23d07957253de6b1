/**
 * Descriptions of header formats, including those of third-party devices.
 * {@link dev.skerry.codec.header.HeaderDescription} reads a short text of fields and widths;
 * {@link dev.skerry.codec.header.DescribedCell} is the content of such a header. Skerry's own headers have descriptions
 * as well. Not for hot paths: {@link dev.skerry.codec.ShaleHeader} and {@link dev.skerry.codec.ShoalHeader} are faster.
 */
package dev.skerry.codec.header;
