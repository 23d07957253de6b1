package dev.skerry.tools.report;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.tools.InputException;
import org.HdrHistogram.Histogram;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/**
 * The folder of a run, written once and never over another one. While it is written it is called {@code NAME.partial},
 * beside its final place; a complete run is renamed to {@code NAME}, an interrupted one keeps the suffix.
 * {@code summary.json} is written last: a folder without it was torn by a crash. Calls for different folders may run on
 * different threads.
 */
public final class ResultFiles {
    private static final String OPTION = "--out";
    private static final String PARTIAL = ".partial";
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int TICKS_PER_HALF_DISTANCE = 5;

    private ResultFiles() {
    }

    /**
     * Refuses a folder that cannot take a result. To be called before a run as well, which may last for hours.
     *
     * @param out folder to be.
     * @throws InputException when something of that name exists or its parent is no folder one may write to.
     */
    public static void checkFree(final Path out) {
        final Path place = out.toAbsolutePath().normalize();
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            throw new InputException(OPTION, out.toString(), "already exists and is never overwritten",
                "choose another folder or remove it first");
        }
        Path parent = place.getParent();
        while (parent != null && !Files.exists(parent)) {
            parent = parent.getParent();
        }
        if (parent == null || !Files.isDirectory(parent) || !Files.isWritable(parent)) {
            throw new InputException(OPTION, out.toString(), parent + " is not a folder one may write to",
                "choose another folder");
        }
    }

    /**
     * Writes all files of a run.
     *
     * @param result of the run.
     * @param out    folder to be; missing parents are made.
     * @return the folder written: {@code out}, or with a {@code .partial} suffix when the run was interrupted.
     * @throws InputException when the folder exists or cannot be written; then nothing is left behind.
     */
    public static Path write(final RunResult result, final Path out) {
        return write(Summary.of(result), out);
    }

    /**
     * Writes all files of a run whose summary is known.
     *
     * @param summary of the run.
     * @param out     folder to be; missing parents are made.
     * @return the folder written: {@code out}, or with a {@code .partial} suffix when the run was interrupted.
     * @throws InputException when the folder exists or cannot be written; then nothing is left behind.
     */
    public static Path write(final Summary summary, final Path out) {
        checkFree(out);
        final Path place = out.toAbsolutePath().normalize();
        try {
            Files.createDirectories(place.getParent());
            final Path folder = createPartial(place);
            try {
                writeAll(summary, folder);
                if (summary.result().interrupted()) {
                    return folder;
                }
                return Files.move(folder, place, StandardCopyOption.ATOMIC_MOVE);
            } catch (final IOException | RuntimeException | Error e) {
                delete(folder);
                throw e;
            }
        } catch (final IOException e) {
            throw new InputException(OPTION, out.toString(), "cannot be written (" + e + ")",
                "choose a folder on a disk with room that you may write to");
        }
    }

    /** A new folder beside the final one; an earlier interrupted run keeps its own. */
    private static Path createPartial(final Path place) throws IOException {
        for (int attempt = 1;; attempt++) {
            final String number = attempt == 1 ? "" : "-" + attempt;
            try {
                return Files.createDirectory(place.resolveSibling(place.getFileName() + number + PARTIAL));
            } catch (final FileAlreadyExistsException e) {
                if (attempt == 1_000) {
                    throw e;
                }
            }
        }
    }

    private static void writeAll(final Summary summary, final Path folder) throws IOException {
        final RunResult result = summary.result();
        final Machine machine = Machine.here();
        final RunResult.Nodes nodes = result.nodes();
        writeFlows(result.flows(), folder.resolve("fct.csv"));
        writeNodes(nodes.bufferOccupancy(), folder.resolve("buffer-occupancy.csv"));
        writeNodes(nodes.queueLength(), folder.resolve("queue-lengths.csv"));
        writeNodes(nodes.activeBuckets(), folder.resolve("active-buckets.csv"));
        Files.write(folder.resolve("fct.hgrm"), percentiles(completionTimes(result.flows())));
        Files.write(folder.resolve("latency.hgrm"), percentiles(result.latency()));
        Files.writeString(folder.resolve("run.txt"), runText(summary, machine), UTF_8);
        Files.writeString(folder.resolve("report.html"), HtmlReport.of(summary, machine), UTF_8);
        Files.writeString(folder.resolve("summary.json"), SummaryJson.of(summary), UTF_8);
    }

    private static void writeFlows(final RunResult.Flows flows, final Path file) throws IOException {
        try (AsciiWriter out = new AsciiWriter(Files.newOutputStream(file))) {
            out.line("flow_id,cells,completion_slots,start_slot");
            final int count = flows.id().length;
            for (int i = 0; i < count; i++) {
                out.number(flows.id()[i], ',');
                out.number(flows.cells()[i], ',');
                out.number(flows.completionSlots()[i], ',');
                out.number(flows.startSlot()[i], '\n');
            }
        }
    }

    private static void writeNodes(final int[] values, final Path file) throws IOException {
        try (AsciiWriter out = new AsciiWriter(Files.newOutputStream(file))) {
            out.line("node,value");
            for (int node = 0; node < values.length; node++) {
                out.number(node, ',');
                out.number(values[node], '\n');
            }
        }
    }

    private static Histogram completionTimes(final RunResult.Flows flows) {
        final Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        for (final long slots : flows.completionSlots()) {
            histogram.recordValue(slots);
        }
        return histogram;
    }

    private static byte[] percentiles(final Histogram histogram) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, UTF_8)) {
            histogram.outputPercentileDistribution(out, TICKS_PER_HALF_DISTANCE, 1.0);
        }
        return bytes.toByteArray();
    }

    private static String runText(final Summary summary, final Machine machine) {
        final StringBuilder text = new StringBuilder();
        if (summary.result().interrupted()) {
            text.append("PARTIAL: the run was interrupted after ").append(summary.result().totals().slots())
                .append(" slots.\n\n");
        }
        text.append("./skerry run ").append(String.join(" ", summary.commandLine())).append("\n\n");
        summary.result().settings().forEach((key, value) ->
            text.append(Summary.clean(key)).append(" = ").append(Summary.clean(value)).append('\n'));
        return text.append('\n')
            .append("seed   ").append(summary.setting("seed", Numbers.NONE)).append('\n')
            .append("digest ").append(SummaryJson.digest(summary.result().totals().digest())).append('\n')
            .append("when   ").append(machine.when()).append('\n')
            .append("JDK    ").append(machine.jdk()).append('\n')
            .append("CPU    ").append(machine.cpu()).append(", ").append(machine.cores()).append(" logical cores\n")
            .append("heap   ").append(machine.heapMiB()).append(" MiB at most\n")
            .append("system ").append(machine.system()).append('\n')
            .toString();
    }

    private static void delete(final Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (final IOException e) {
            // What remains keeps its .partial suffix; the first error is the one to report.
            return;
        }
    }
}
