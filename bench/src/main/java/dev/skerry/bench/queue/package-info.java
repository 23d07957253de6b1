/** Benchmarks of PIEO: the reference model and the fast form compared with a tree map and a linear list. */
package dev.skerry.bench.queue;
