/**
 * Shale, Shoal and Stardust as their papers describe them, in code meant for reading: one class per fabric with
 * objects, maps and lists, one node after the other. Slow and exact: {@code run --engine reference} uses them for small
 * fabrics, and tests compare the fast engines with them flow by flow and by digest.
 */
package dev.skerry.reference;
