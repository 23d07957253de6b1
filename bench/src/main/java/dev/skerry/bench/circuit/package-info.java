/** Circuit switches and their links under load, and under stress between two threads. Both run the shipped classes. */
package dev.skerry.bench.circuit;
