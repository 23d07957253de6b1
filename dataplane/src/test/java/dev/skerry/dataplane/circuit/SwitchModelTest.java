package dev.skerry.dataplane.circuit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** One switch, slot by slot, against its table. */
final class SwitchModelTest {
    private static final int PORTS = 8;
    private static final long SEED = 5;

    @Test
    void shouldSelectAsTheTableSays() {
        final RegisterTable table = new RegisterTable(PORTS, PORTS - 1,
            (slot, output) -> Math.floorMod(output - slot - 1, PORTS));
        final SplittableRandom random = new SplittableRandom(SEED);
        final int[] in = new int[PORTS];
        final int[] out = new int[PORTS];
        final int[] expected = new int[PORTS];
        try (SwitchModel model = new SwitchModel(table)) {
            for (int slot = 0; slot < 10_000; slot++) {
                if (slot == 5) {
                    assertTrue(model.start(8));
                    assertFalse(model.start(9));
                }
                for (int port = 0; port < PORTS; port++) {
                    in[port] = random.nextInt(3) == 0 ? SwitchModel.DARK : random.nextInt(1 << 20);
                }
                for (int port = 0; port < PORTS; port++) {
                    expected[port] = in[slot < 8 ? table.held(port)
                        : table.input((slot - 8) % table.epochSlots(), port)];
                }
                model.step(in, out);
                assertArrayEquals(expected, out, "seed=" + SEED + " slot=" + slot);
                assertEquals(slot >= 8, model.isRunning());
            }
            assertEquals(10_000, model.slot());
            assertEquals(1, model.count(SwitchCounter.SIGNALS_IGNORED));
        }
    }

    @Test
    void shouldGoOnFromASavedState() {
        final RegisterTable table = new RegisterTable(PORTS, PORTS - 1,
            (slot, output) -> Math.floorMod(output - slot - 1, PORTS));
        final int[] in = {0, 1, 2, 3, 4, 5, 6, 7};
        final int[] out = new int[PORTS];
        final int[] expected = new int[PORTS];
        try (SwitchModel model = new SwitchModel(table); SwitchModel other = new SwitchModel(table)) {
            model.start(2);
            for (int slot = 0; slot < 100; slot++) {
                other.restore(model.save());
                model.step(in, expected);
                other.step(in, out);
                assertArrayEquals(expected, out, "slot=" + slot);
                assertArrayEquals(model.save(), other.save());
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoSlot() {
        try (SwitchModel model = new SwitchModel(RegisterTable.of(2, 1, new int[] {1, 0}))) {
            assertThrows(IllegalArgumentException.class, () -> model.step(new int[1], new int[2]));
            assertThrows(IllegalArgumentException.class, () -> model.step(new int[] {-2, 0}, new int[2]));
        }
    }
}
