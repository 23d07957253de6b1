/**
 * Slabs and free lists: their cost and promises, and the cost of access to memory beside other libraries.
 */
package dev.skerry.bench.memory;
