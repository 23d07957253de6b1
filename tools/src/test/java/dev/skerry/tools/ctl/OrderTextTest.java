package dev.skerry.tools.ctl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.ctl.Order.OrderText;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortPlace;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Map;

/** Orders as a user writes them. */
final class OrderTextTest {
    @Test
    void shouldReadEachOrder() {
        assertEquals(new Order.Ports(), OrderText.parse("ports"));
        assertEquals(new Order.Add("5=tap:sk5"), OrderText.parse("  add   5=tap:sk5 "));
        assertEquals(new Order.Remove(place("5")), OrderText.parse("remove 5"));
        assertEquals(new Order.Drain(place("5"), 10), OrderText.parse("drain 5"));
        assertEquals(new Order.Drain(place("5"), 0.25), OrderText.parse("drain 5 0.25"));
        assertEquals(new Order.Resume(place("5")), OrderText.parse("resume 5"));
        assertEquals(new Order.Route(Map.of(place("0"), place("3.1"), place("3"), Order.Route.BY_ADDRESS)),
            OrderText.parse("map 0:3.1,3:address"));
        assertEquals(new Order.Address(0x02AB_0000_0007L, place("3")), OrderText.parse("mac 02:aB:00:00:00:07 3"));
        assertEquals(new Order.Address(0x0200_0000_0007L, Order.Address.FORGET),
            OrderText.parse("mac 02:00:00:00:00:07 forget"));
        assertEquals(new Order.Rate(place("0"), "10kpps"), OrderText.parse("rate 0 10kpps"));
        assertEquals(new Order.Tap(place("3"), true, true, 1, Long.MAX_VALUE, 9216), OrderText.parse("tap 3"));
        assertEquals(new Order.Tap(place("3"), false, true, 10, 100, 64),
            OrderText.parse("tap 3 out one=10 count=100 bytes=64"));
        assertEquals(new Order.Fail("node 3 down"), OrderText.parse("fault node  3 down"));
        assertEquals(new Order.Reload(), OrderText.parse("reload"));
        assertEquals(new Order.Untap(place("3")), OrderText.parse("untap 3"));
        assertEquals(new Order.Counters(Order.Counters.ALL), OrderText.parse("counters"));
        assertEquals(new Order.Counters(place("3")), OrderText.parse("counters 3"));
        assertEquals(new Order.Reset(), OrderText.parse("reset"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "\"\" | \"\" | there is no such order",
        "halt | halt | there is no such order",
        "ports 3 | ports 3 | it has words too many",
        "remove | remove | it has too few words",
        "remove -1 | remove -1 | '-1' is no node",
        "remove 1048576 | remove 1048576 | is no node",
        "remove 3.0 | remove 3.0 | is no node",
        "remove 3.256 | remove 3.256 | is no node",
        "map 3.1:3.1 | map 3.1:3.1 | node 3.1 cannot send to itself",
        "drain | drain | a node is missing",
        "drain 1 3601 | drain 1 3601 | is no number of seconds from 0 to 3600",
        "drain 1 NaN | drain 1 NaN | is no number of seconds",
        "map 0 | map 0 | '0' is no pair of nodes",
        "map 0:0 | map 0:0 | node 0 cannot send to itself",
        "map 0:1,0:2 | map 0:1,0:2 | node 0 is listed twice",
        "mac 02:00:00:00:00 3 | mac | is no MAC address",
        "mac 03:00:00:00:00:01 3 | mac | is the address of a group",
        "tap 3 both | tap 3 both | 'both' is no part of it",
        "tap 3 in out | tap 3 in out | 'out' is no part of it",
        "tap 3 one=0 | tap | '0' is out of range",
        "tap 3 bytes=13 | tap | '13' is out of range",
    })
    void shouldRefuseWithOneLine(final String line, final String where, final String why) {
        final String message = assertThrows(InputException.class, () -> OrderText.parse(line)).getMessage();
        assertTrue(message.startsWith("skerry: ctl: " + (where.isEmpty() ? "''" : where)), message);
        assertTrue(message.contains(why), message);
        assertEquals(1, message.lines().count(), message);
    }

    private static PortPlace place(final String text) {
        final PortPlace place = PortPlace.of(text);
        assertEquals(text, place.toString());
        return place;
    }
}
