/**
 * Slabs and free lists under load, and what access to their memory costs beside other ways to reach it.
 */
package dev.skerry.bench.memory;
