package dev.skerry.tools.sweep;

import dev.skerry.tools.input.InputException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Asks Slurm by its own programs: sbatch and squeue. One thread. */
final class SlurmClient {
    private static final long PATIENCE_S = 120;
    private static final int FIELDS = 6;
    private static final Set<String> OVER = Set.of("BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED",
        "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT");

    private SlurmClient() {
    }

    /**
     * A task of a job array as Slurm sees it.
     *
     * @param array  the number of the array in the sweep's folder.
     * @param index  of the task.
     * @param state  as Slurm says it.
     * @param reason why it waits, or what ended it.
     * @param node   that has it; empty if none has.
     */
    record Seen(String array, int index, String state, String reason, String node) {
        boolean isOver() {
            return OVER.contains(state);
        }

        boolean isRunning() {
            return state.equals("RUNNING") || state.equals("COMPLETING");
        }
    }

    /**
     * Submits a job.
     *
     * @return its number.
     * @throws InputException if Slurm refuses it.
     */
    static String submit(final List<String> options) throws InterruptedException {
        final List<String> words = new ArrayList<>(List.of("sbatch", "--parsable"));
        words.addAll(options);
        try {
            return call(words).strip().replaceFirst(";.*", "");
        } catch (final IOException e) {
            throw new InputException(SlurmOptions.ENGINE, "slurm", "sbatch: " + e.getMessage(),
                "see the options of sbatch that --sbatch gives, or use --engine local");
        }
    }

    /**
     * Tasks of all jobs of a name; Slurm shows ended ones for some minutes.
     *
     * @throws IOException if Slurm does not answer.
     */
    static List<Seen> tasks(final String jobName) throws IOException, InterruptedException {
        final List<Seen> tasks = new ArrayList<>();
        for (final String line : call(List.of("squeue", "--noheader", "--array", "--states=all", "--name=" + jobName,
            "--format=%k|%K|%T|%r|%N|%F")).lines().toList()) {
            final String[] parts = line.strip().split("\\|", -1);
            if (parts.length == FIELDS && parts[1].matches("[0-9]{1,9}")) {
                tasks.add(new Seen(parts[0], Integer.parseInt(parts[1]), parts[2], parts[3], parts[4]));
            }
        }
        return tasks;
    }

    /** What a program prints. */
    private static String call(final List<String> words) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(words).start();
        try {
            process.getOutputStream().close();
            final CompletableFuture<String> errors = CompletableFuture.supplyAsync(() -> text(process, true));
            final CompletableFuture<String> out = CompletableFuture.supplyAsync(() -> text(process, false));
            if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
                throw new IOException(words.getFirst() + " gave no answer in " + PATIENCE_S + " s");
            }
            if (process.exitValue() != 0) {
                throw new IOException(Arrays.stream(errors.join().split("\\R")).filter(line -> !line.isBlank())
                    .reduce((_, last) -> last).orElse("exit code " + process.exitValue())
                    .replaceFirst("^\\w+: (error: )?", ""));
            }
            return out.join();
        } finally {
            process.destroyForcibly();
        }
    }

    private static String text(final Process process, final boolean errors) {
        try (var in = errors ? process.getErrorStream() : process.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            return "";
        }
    }
}
