/** Benchmarks of whole fabrics: node-slots per second and bytes allocated. */
package dev.skerry.bench.fabric;
