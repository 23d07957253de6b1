/**
 * Benchmarks and stress tests of slabs and free lists, and the cost of access to memory compared with other libraries.
 */
package dev.skerry.bench.memory;
