/**
 * Benchmarks and stress tests of parts of the pipeline: tokens, workers, and packets cut into cells and reassembled.
 */
package dev.skerry.bench.nic;
