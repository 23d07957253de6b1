/**
 * Rings and barriers under load: {@code XBenchmark} asks what one costs, {@code XStress} whether it keeps its promises.
 * Both run the shipped classes.
 */
package dev.skerry.bench.ring;
