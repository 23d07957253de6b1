/**
 * {@code skerry bench}: runs the benchmarks with settings that fit a coffee break, says how ours compares with its
 * baselines, and with {@code --gate} holds ratios against {@code bench/gates.txt}.
 *
 * <p>{@code Bench} is the command line, {@code BenchmarkCatalogue} knows what there is, {@code Session} runs it with
 * JMH, {@code
 * Table} prints it, {@code Gates} judges it.
 */
package dev.skerry.bench.command;
