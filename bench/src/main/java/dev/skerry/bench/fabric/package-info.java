/** Whole fabrics: node-slots a second, and bytes allocated in them. */
package dev.skerry.bench.fabric;
