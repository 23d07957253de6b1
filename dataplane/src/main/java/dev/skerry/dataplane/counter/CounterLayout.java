package dev.skerry.dataplane.counter;

import org.agrona.concurrent.status.CountersReader;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The file of one process's counters.
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
 * Files are called {@code PID.counters} and lie in {@code /dev/shm/skerry-USER}, or without {@code /dev/shm} in
 * {@code skerry-USER} of the folder for temporary files. A process that ends in good order removes its file.
 */
public final class CounterLayout {
    /** Name of a file behind the pid. */
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

    private CounterLayout() {
    }

    /** The folder of this user's files. */
    public static Path folder() {
        final Path memory = Path.of("/dev/shm");
        final Path base = Files.isDirectory(memory) && Files.isWritable(memory) ? memory
            : Path.of(System.getProperty("java.io.tmpdir"));
        return base.resolve("skerry-" + System.getProperty("user.name", "user").replaceAll("[^A-Za-z0-9_.-]", "_"));
    }

    /** Start of a process in ms since 1970, 0 if the system does not tell; empty if there is no such process. */
    static Optional<Long> startOf(final long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive)
            .map(process -> process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }
}
