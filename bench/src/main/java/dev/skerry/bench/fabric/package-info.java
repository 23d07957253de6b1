/** Whole fabrics: node-slots per second, and bytes allocated meanwhile. */
package dev.skerry.bench.fabric;
