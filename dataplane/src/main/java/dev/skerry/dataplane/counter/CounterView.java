package dev.skerry.dataplane.counter;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The counters of another process, read-only. One thread. */
public final class CounterView {
    private final long pid;
    private final long startMs;
    private final String name;
    private final CountersReader counters;
    private final AtomicBuffer metadata;

    private CounterView(final UnsafeBuffer head, final CountersReader counters) {
        this.metadata = counters.metaDataBuffer();
        this.pid = head.getLong(CounterFile.PID_AT, ByteOrder.LITTLE_ENDIAN);
        this.startMs = head.getLong(CounterFile.START_AT, ByteOrder.LITTLE_ENDIAN);
        final byte[] utf8 = new byte[head.getInt(CounterFile.NAME_BYTES_AT, ByteOrder.LITTLE_ENDIAN)];
        head.getBytes(CounterFile.NAME_AT, utf8);
        this.name = printable(new String(utf8, StandardCharsets.UTF_8));
        this.counters = counters;
    }

    /** Receives counters. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Receives one counter.
         *
         * @param label its label.
         * @param value its value.
         */
        void counter(String label, long value);
    }

    /** The counter files of a folder by name, including those of dead processes; empty if the folder does not exist. */
    public static List<Path> files(final Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.getFileName().toString().endsWith(CounterFile.SUFFIX)).sorted().toList();
        }
    }

    /**
     * Opens a counter file.
     *
     * @return empty if it is incomplete or not a counter file.
     * @throws IOException if it cannot be read.
     */
    public static Optional<CounterView> open(final Path file) throws IOException {
        final MappedByteBuffer map;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
            if (channel.size() < CounterFile.COUNTERS_AT || channel.size() > Integer.MAX_VALUE) {
                return Optional.empty();
            }
            map = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
        final UnsafeBuffer all = new UnsafeBuffer(map);
        if (all.getLongVolatile(CounterFile.MAGIC_AT) != CounterFile.MAGIC) {
            return Optional.empty();
        }
        final long metadata = all.getInt(CounterFile.METADATA_BYTES_AT, ByteOrder.LITTLE_ENDIAN);
        final long values = all.getInt(CounterFile.VALUES_BYTES_AT, ByteOrder.LITTLE_ENDIAN);
        final long nameBytes = all.getInt(CounterFile.NAME_BYTES_AT, ByteOrder.LITTLE_ENDIAN);
        if (values < CountersReader.COUNTER_LENGTH || values % CountersReader.COUNTER_LENGTH != 0
            || metadata != values * CounterFile.METADATA_RATIO || nameBytes < 0 || nameBytes > CounterFile.NAME_MAX
            || CounterFile.COUNTERS_AT + metadata + values != map.capacity()) {
            return Optional.empty();
        }
        return Optional.of(new CounterView(all, new CountersReader(
            new UnsafeBuffer(map, CounterFile.COUNTERS_AT, (int) metadata),
            new UnsafeBuffer(map, CounterFile.COUNTERS_AT + (int) metadata, (int) values),
            StandardCharsets.US_ASCII)));
    }

    /** Pid of the process. */
    public long pid() {
        return pid;
    }

    /** What the process does, in its own words. */
    public String name() {
        return name;
    }

    /** Whether the process still runs: its pid is in use by a process with the same start time. */
    public boolean isLive() {
        return CounterFile.startOf(pid).filter(start -> start == startMs).isPresent();
    }

    /**
     * Visits the current value of every counter, except those that are being relabelled or have an invalid label
     * length. Control characters in labels, which another process wrote, are replaced by question marks.
     */
    public void forEach(final Visitor visitor) {
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            final int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                return;
            }
            final int length =
                metadata.getIntVolatile(CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET);
            if (state == CountersReader.RECORD_ALLOCATED && length >= 0
                && length <= CountersReader.MAX_LABEL_LENGTH) {
                final String label = label(id, length);
                if (counters.getCounterState(id) == CountersReader.RECORD_ALLOCATED
                    && label.equals(label(id, length))) {
                    visitor.counter(printable(label), counters.getCounterValue(id));
                }
            }
        }
    }

    private String label(final int id, final int length) {
        return metadata.getStringWithoutLengthAscii(
            CountersReader.metaDataOffset(id) + CountersReader.LABEL_OFFSET + Integer.BYTES, length);
    }

    private static String printable(final String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
