/** Benchmarks of PIEO: the reference model and the fast form compared with two heaps and a tree map. */
package dev.skerry.bench.queue;
