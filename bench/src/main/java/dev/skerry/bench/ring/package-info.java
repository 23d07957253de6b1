/**
 * Rings and barriers: {@code XBenchmark} measures the cost of X, {@code XStress} checks its guarantees. Both run the
 * shipped classes.
 */
package dev.skerry.bench.ring;
