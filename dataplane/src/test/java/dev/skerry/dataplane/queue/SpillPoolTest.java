package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.foreign.Arena;

final class SpillPoolTest {
    private static final int CHUNK = 4096;

    @Test
    void shouldKeepEveryRecordApartAcrossChunks() {
        try (Arena arena = Arena.ofConfined()) {
            final int records = 6 * CHUNK;
            final SpillPool pool = new SpillPool(arena, records);
            final boolean[] lent = new boolean[records];
            int before = SpillPool.NONE;
            for (int i = 0; i < records; i++) {
                final int record = pool.take(i, -i);
                assertTrue(!lent[record], "lent twice: " + record);
                lent[record] = true;
                assertEquals(SpillPool.NONE, pool.next(record));
                pool.setNext(record, before);
                before = record;
            }
            assertEquals(records, pool.used());
            for (int i = records - 1; i >= 0; i--) {
                assertEquals(i, pool.first(before));
                assertEquals(-i, pool.second(before));
                final int next = pool.next(before);
                pool.release(before);
                before = next;
            }
            assertEquals(SpillPool.NONE, before);
            assertEquals(0, pool.used());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, CHUNK - 1, CHUNK})
    void shouldStopAtItsBoundAndGoOnAfterARelease(final int maxRecords) {
        try (Arena arena = Arena.ofConfined()) {
            final SpillPool pool = new SpillPool(arena, maxRecords);
            int last = SpillPool.NONE;
            for (int i = 0; i < CHUNK; i++) {
                last = pool.take(i, i);
            }
            final String message = assertThrows(IllegalStateException.class, () -> pool.take(1, 1)).getMessage();
            assertTrue(message.contains("records=" + CHUNK), message);
            assertEquals(CHUNK, pool.used());
            pool.release(last);
            assertEquals(last, pool.take(7, 8));
            assertEquals(7, pool.first(last));
            assertEquals(8, pool.second(last));
        }
    }
}
