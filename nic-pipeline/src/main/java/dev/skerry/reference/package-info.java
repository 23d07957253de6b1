/**
 * Shale, Shoal and Stardust as their papers describe them, written to be read first: one class per fabric, objects,
 * maps and lists, one node after the other. Slow and exact: {@code run --engine reference} uses them for small fabrics,
 * and tests hold the fast engines equal to them, flow by flow and by digest.
 */
package dev.skerry.reference;
