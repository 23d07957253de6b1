package dev.skerry.dataplane.counter;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.schedule.check.Bounds;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersManager;
import org.agrona.concurrent.status.CountersReader;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The counters of this process, for other processes. One thread creates the file, adds counters and closes it; one
 * thread sets each counter, without waiting or allocating.
 *
 * <pre>
 *   0        8       16              24    28    32           36     256        256 + m    256 + m + v
 *   +--------+-------+---------------+-----+-----+------------+------+----------+----------+
 *   | magic  | pid   | process start | m   | v   | name bytes | name | metadata | values   |
 *   +--------+-------+---------------+-----+-----+------------+------+----------+----------+
 *   little-endian; magic is written last; name in UTF-8; metadata and values are Agrona's, m = 4 v
 *   process start: ms since 1970; with the pid it identifies one process
 * </pre>
 *
 * Files are called {@code PID.counters} and are in {@link PrivateFiles#userFolder}, unless the user names another
 * folder. A process that exits normally removes its file.
 */
public final class CounterFile implements AutoCloseable {
    /** Suffix of the file name, after the pid. */
    public static final String SUFFIX = ".counters";

    static final long MAGIC = 0x3153_5245_544E_5543L;
    static final int MAGIC_AT = 0;
    static final int PID_AT = 8;
    static final int START_AT = 16;
    static final int METADATA_BYTES_AT = 24;
    static final int VALUES_BYTES_AT = 28;
    static final int NAME_BYTES_AT = 32;
    static final int NAME_AT = 36;
    static final int COUNTERS_AT = 256;
    static final int NAME_MAX = COUNTERS_AT - NAME_AT;
    static final int METADATA_RATIO = CountersReader.METADATA_LENGTH / CountersReader.COUNTER_LENGTH;
    static final int MAX_COUNTERS = 1 << 17;

    /** Files named after a process: its counters, and the files that other classes put next to them. */
    private static final Pattern OF_PROCESS = Pattern.compile("([0-9]{1,18})\\.(counters|schedule|ctl)");

    private final Path path;
    private final CountersManager counters;
    private final UnsafeBuffer metadata;
    private final UnsafeBuffer values;

    private CounterFile(final Path path, final CountersManager counters, final UnsafeBuffer metadata,
        final UnsafeBuffer values) {
        this.path = path;
        this.metadata = metadata;
        this.counters = counters;
        this.values = values;
    }

    /**
     * Creates the file of this process. Replaces a file left by an earlier process with the same pid.
     *
     * @param folder folder of the file; created for this user alone if missing, refused if other users may write to it.
     *               Files of killed processes are removed from the {@link PrivateFiles#userFolder}.
     * @param name   what the process does, for readers; truncated to 220 bytes.
     * @param most   maximum number of counters, 1 to 131,072.
     * @throws IOException if the file cannot be created.
     */
    public static CounterFile create(final Path folder, final String name, final int most) throws IOException {
        Bounds.require("most", most, 1, MAX_COUNTERS);
        PrivateFiles.folder(folder);
        if (folder.equals(PrivateFiles.userFolder())) {
            removeLeftovers(folder);
        }
        final long pid = ProcessHandle.current().pid();
        final Path path = folder.resolve(pid + SUFFIX);
        final int valuesBytes = most * CountersReader.COUNTER_LENGTH;
        final int metadataBytes = valuesBytes * METADATA_RATIO;
        final int bytes = COUNTERS_AT + metadataBytes + valuesBytes;
        final MappedByteBuffer map;
        try (FileChannel file = PrivateFiles.create(path, StandardOpenOption.READ)) {
            // Allocates all pages: on a full disk, a missing page would fail later, in a thread that counts.
            final ByteBuffer zeros = ByteBuffer.allocate(bytes);
            while (zeros.hasRemaining()) {
                file.write(zeros);
            }
            map = file.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
        } catch (final IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
        final UnsafeBuffer all = new UnsafeBuffer(map);
        final byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        final byte[] kept = Arrays.copyOf(utf8, Math.min(utf8.length, NAME_MAX));
        all.putLong(PID_AT, pid, ByteOrder.LITTLE_ENDIAN);
        all.putLong(START_AT, startOf(pid).orElse(0L), ByteOrder.LITTLE_ENDIAN);
        all.putInt(METADATA_BYTES_AT, metadataBytes, ByteOrder.LITTLE_ENDIAN);
        all.putInt(VALUES_BYTES_AT, valuesBytes, ByteOrder.LITTLE_ENDIAN);
        all.putInt(NAME_BYTES_AT, kept.length, ByteOrder.LITTLE_ENDIAN);
        all.putBytes(NAME_AT, kept);
        final UnsafeBuffer values =
            new UnsafeBuffer(map, COUNTERS_AT + metadataBytes, valuesBytes);
        final UnsafeBuffer metadata = new UnsafeBuffer(map, COUNTERS_AT, metadataBytes);
        final CountersManager counters = new CountersManager(metadata, values, StandardCharsets.US_ASCII);
        all.putLongRelease(MAGIC_AT, MAGIC);
        return new CounterFile(path, counters, metadata, values);
    }

    private static void removeLeftovers(final Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            for (final Path file : (Iterable<Path>) all::iterator) {
                final Matcher name = OF_PROCESS.matcher(file.getFileName().toString());
                if (name.matches() && startOf(Long.parseLong(name.group(1))).isEmpty()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    /**
     * Adds a counter.
     *
     * @param label ASCII, at most 380 characters: {@code name} or {@code name{key="value",...}}.
     * @return number of the counter.
     */
    public int add(final String label) {
        return counters.allocate(label);
    }

    /**
     * Replaces a part of a counter's label. Readers see the old label, the new one, or for a moment no such counter.
     * Called by the counter's thread.
     *
     * @param from part of the label to replace; if it does not occur, nothing changes.
     * @param to   the replacement; the resulting label must not exceed the maximum length.
     */
    public void relabel(final int counter, final String from, final String to) {
        final int state = CountersReader.metaDataOffset(counter);
        final String label = counters.getCounterLabel(counter).replace(from, to);
        metadata.putIntVolatile(state, CountersReader.RECORD_RECLAIMED);
        counters.setCounterLabel(counter, label);
        metadata.putIntVolatile(state, CountersReader.RECORD_ALLOCATED);
    }

    /** Publishes the value of a counter. Called by the counter's thread. */
    public void set(final int counter, final long value) {
        values.putLongRelease(CountersReader.counterOffset(counter), value);
    }

    /** The file. */
    public Path path() {
        return path;
    }

    /** Removes the file; readers that have it open keep the last values. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }

    /**
     * Start time of a process in ms since 1970, 0 if the system does not report it; empty if there is no such process.
     */
    static Optional<Long> startOf(final long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive)
            .map(process -> process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }
}
