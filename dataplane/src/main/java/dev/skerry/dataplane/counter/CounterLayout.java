package dev.skerry.dataplane.counter;

import dev.skerry.dataplane.memory.PrivateFiles;
import org.agrona.concurrent.status.CountersReader;

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
 * Files are called {@code PID.counters} and lie in {@link PrivateFiles#userFolder}, unless the user names another
 * folder. A process that ends in good order removes its file.
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

    /** Start of a process in ms since 1970, 0 if the system does not tell; empty if there is no such process. */
    static Optional<Long> startOf(final long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive)
            .map(process -> process.info().startInstant().map(Instant::toEpochMilli).orElse(0L));
    }
}
