/**
 * Random numbers as a pure function of seed, node, slot and use: {@link dev.skerry.dataplane.random.CounterRandom}.
 */
package dev.skerry.dataplane.random;
