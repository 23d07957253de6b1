package dev.skerry.tools.run;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.schedule.Schedule;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The schedule of a fabric in a file next to the counters of a process, {@code PID.schedule}. The first line has the
 * numbers of nodes, channels and slots in an epoch. Each further line is for a slot and channel, and has the node to
 * which each node sends, or -1 for none. There is no file for fabrics that are too large to draw. Not thread-safe.
 */
public final class ScheduleFile implements AutoCloseable {
    private static final int MOST_NODES = 512;
    private static final long MOST_CIRCUITS = 1 << 20;

    private final Path path;

    private ScheduleFile(final Path path) {
        this.path = path;
    }

    /**
     * Writes the file of this process.
     *
     * @param counters counter file of the process.
     * @return null if there is nothing to draw.
     * @throws IOException if the file cannot be written.
     */
    public static ScheduleFile beside(final Path counters, final Fabric fabric) throws IOException {
        final Path path = counters.resolveSibling(
            counters.getFileName().toString().replaceFirst("\\.[^.]*$", ".schedule"));
        if (!(fabric instanceof final CircuitFabric circuits)) {
            return null;
        }
        final Schedule schedule = circuits.schedule();
        if (schedule.nodes() > MOST_NODES
            || (long) schedule.nodes() * schedule.channels() * schedule.epochSlots() > MOST_CIRCUITS) {
            return null;
        }
        try (FileChannel file = PrivateFiles.create(path)) {
            Channels.newOutputStream(file).write(text(schedule).getBytes(US_ASCII));
        } catch (final IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        return new ScheduleFile(path);
    }

    private static String text(final Schedule schedule) {
        final StringBuilder text = new StringBuilder();
        text.append(schedule.nodes()).append(' ').append(schedule.channels()).append(' ')
            .append(schedule.epochSlots()).append('\n');
        for (int slot = 0; slot < schedule.epochSlots(); slot++) {
            for (int channel = 0; channel < schedule.channels(); channel++) {
                for (int node = 0; node < schedule.nodes(); node++) {
                    text.append(node == 0 ? "" : " ").append(schedule.peerAt(node, channel, slot));
                }
                text.append('\n');
            }
        }
        return text.toString();
    }

    /** Removes the file. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
