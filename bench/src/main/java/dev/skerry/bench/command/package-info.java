/**
 * {@code skerry bench} runs the benchmarks in a few minutes, compares our code with its baselines, and with
 * {@code --gate} checks the ratios against {@code bench/gates.txt}.
 *
 * <p>{@code Bench} is the command line, {@code BenchmarkCatalogue} lists the benchmarks, {@code Session} runs them with
 * JMH, {@code Row} prints the results, {@code Gates} judges them.
 */
package dev.skerry.bench.command;
