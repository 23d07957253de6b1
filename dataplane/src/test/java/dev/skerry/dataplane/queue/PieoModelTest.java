package dev.skerry.dataplane.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@link Pieo} against its definition {@link PieoList}, in random operations. */
final class PieoModelTest {
    @ParameterizedTest
    @CsvSource({
        "1, 1, 5000", "2, 2, 5000", "4, 3, 20000", "16, 4, 40000", "64, 5, 60000", "100, 6, 60000", "1024, 7, 40000"})
    void shouldEqualTheList(final int size, final long seed, final int operations) {
        final PieoSideBySide wide = new PieoSideBySide(size, seed);
        wide.run(operations, 0, 65_534, false);
        assertTrue(wide.fullSeen > 0 && wide.emptySeen > 0, "both ends must be reached: " + wide.name);
        new PieoSideBySide(size, seed + 100).run(operations, 0, 7, false);
        new PieoSideBySide(size, seed + 200).run(operations, 65_529, 65_534, false);
    }

    @ParameterizedTest
    @CsvSource({"1, 11, 500", "3, 12, 2000", "16, 13, 20000", "64, 14, 20000", "100, 15, 10000", "130, 16, 10000"})
    void shouldKeepTheStructureOfTheMemories(final int size, final long seed, final int operations) {
        new PieoSideBySide(size, seed).run(operations, 0, 65_534, true);
        new PieoSideBySide(size, seed + 100).run(operations, 0, 3, true);
    }

    @Test
    void shouldHaveAListThatIsTheDefinition() {
        final PieoList three = new PieoList();
        three.enqueue(new PieoList.Element(1, 5, 9));
        three.enqueue(new PieoList.Element(2, 5, 3));
        three.enqueue(new PieoList.Element(3, 4, 4));
        assertEquals(2, three.dequeue(3).id());
        assertEquals(3, three.dequeue(9).id());
        assertNull(three.dequeueF(2));
        assertNull(three.dequeue(8));
        assertEquals(1, three.dequeueF(1).id());
    }
}
