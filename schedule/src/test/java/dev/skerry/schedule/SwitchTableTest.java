package dev.skerry.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SwitchTableTest {
    @Test
    void shouldSelectWhatIsConnectedAndNothingElse() {
        final SwitchTable table = new SwitchTable.Builder(3, 2).connect(0, 2, 0).connect(0, 0, 1).connect(1, 1, 1)
            .build();

        assertEquals("2 0 - | - 1 -", selections(table));
        assertEquals(1, table.reached(0, 0));
        assertEquals(SwitchTable.DARK, table.reached(0, 1));
        assertEquals(0, table.reached(0, 2));
        assertEquals(1, table.reached(1, 1));
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 0, C1: an output would select two inputs", "0, 2, 1, C1: an input would feed two outputs",
        "2, 1, 1, no such entry", "-1, 1, 1, no such entry", "1, 3, 1, no such entry", "1, -1, 1, no such entry",
        "1, 1, 3, no such entry", "1, 1, -1, no such entry"})
    void shouldRefuseConflicts(final int slot, final int in, final int out, final String what) {
        final SwitchTable.Builder builder = new SwitchTable.Builder(3, 2).connect(0, 2, 0);

        final String message =
            assertThrows(IllegalArgumentException.class, () -> builder.connect(slot, in, out)).getMessage();
        assertTrue(message.startsWith(what) && message.contains("slotInEpoch=" + slot + " in=" + in + " out=" + out),
            message);
        // and it is as it was
        assertEquals("2 - - | - - -", selections(builder.build()));
    }

    @Test
    void shouldNotChangeOnceBuilt() {
        final SwitchTable.Builder builder = new SwitchTable.Builder(2, 1);
        final SwitchTable table = builder.build();

        assertThrows(IllegalArgumentException.class, () -> builder.connect(0, 0, 0));
        assertEquals("- -", selections(table));
    }

    @Test
    void shouldUseEveryPort() {
        final int last = SwitchTable.MAX_PORTS - 1;
        final SwitchTable table = new SwitchTable.Builder(SwitchTable.MAX_PORTS, 1).connect(0, last, last).build();

        assertEquals(last, table.selected(0, last));
        assertEquals(last, table.reached(0, last));
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "65536, 1", "1, 0", "65535, 4097", "65535, 2147483647"})
    void shouldRefuseSizesOutOfRange(final int ports, final int epochSlots) {
        final String message =
            assertThrows(IllegalArgumentException.class, () -> new SwitchTable.Builder(ports, epochSlots)).getMessage();
        assertTrue(message.contains("ports=" + ports), message);
    }

    private static String selections(final SwitchTable table) {
        final StringBuilder text = new StringBuilder();
        for (int slot = 0; slot < table.epochSlots(); slot++) {
            text.append(slot == 0 ? "" : " | ");
            for (int out = 0; out < table.ports(); out++) {
                final int in = table.selected(slot, out);
                text.append(out == 0 ? "" : " ").append(in == SwitchTable.DARK ? "-" : in);
            }
        }
        return text.toString();
    }
}
