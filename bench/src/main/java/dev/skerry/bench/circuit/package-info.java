/** Benchmarks and stress tests of circuit switches and their links. Both run the shipped classes. */
package dev.skerry.bench.circuit;
