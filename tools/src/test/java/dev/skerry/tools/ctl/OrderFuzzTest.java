package dev.skerry.tools.ctl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.skerry.tools.ctl.Order.OrderText;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortPlace;

import java.nio.charset.StandardCharsets;

/** Reads arbitrary bytes as an order; see {@code CaptureReaderFuzzTest} for how it is run. */
final class OrderFuzzTest {
    /** The input is the line. */
    @FuzzTest(maxDuration = "60s")
    void shouldReadOrRefuseAnyBytes(final byte[] input) {
        final String line = new String(input, StandardCharsets.UTF_8);
        try {
            final Order order = OrderText.parse(line);
            assertEquals(order, OrderText.parse(line.strip().replaceAll("\\s+", "  ")));
            check(order);
        } catch (final InputException e) {
            assertTrue(e.getMessage().startsWith("skerry: ctl: "), e.getMessage());
            assertEquals(1, e.getMessage().lines().count(), e.getMessage());
            assertTrue(e.getMessage().length() < 1000, e.getMessage());
        }
    }

    /** What an order holds is within its bounds. */
    private static void check(final Order order) {
        switch (order) {
            case final Order.Drain drain -> assertTrue(isPlace(drain.place()) && drain.seconds() >= 0
                && drain.seconds() <= 3600, drain.toString());
            case final Order.Tap tap -> assertTrue(isPlace(tap.place()) && tap.one() >= 1 && tap.count() >= 1
                && tap.bytes() >= 14 && tap.bytes() <= Order.Tap.MOST_BYTES && (tap.in() || tap.out()), tap.toString());
            case final Order.Address address -> assertTrue(address.mac() >>> 48 == 0 && (isPlace(address.place())
                || address.place().equals(Order.Address.FORGET)), address.toString());
            case final Order.Route route -> route.to().forEach((from, to) -> assertTrue(isPlace(from)
                && !from.equals(to) && (isPlace(to) || to.equals(Order.Route.BY_ADDRESS)), route.toString()));
            default -> assertTrue(order.toString().length() < 5000, order.toString());
        }
    }

    private static boolean isPlace(final PortPlace place) {
        return place.node() >= 0 && place.number() >= 0 && place.number() <= PortPlace.MOST_NUMBER
            && PortPlace.of(place.toString()).equals(place);
    }
}
