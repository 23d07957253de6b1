package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class SummaryJsonTest {
    private static final String[] CONTRACT = ("schema fabric nodes h cc seed slots cellsDelivered throughput "
        + "flowsStarted flowsCompleted maxQueueLength maxBufferOccupancy maxActiveBuckets maxReorderCells cellsDropped "
        + "cellsCorrupted wallSeconds nodeSlotsPerSecond digest").split(" ");

    @Test
    void shouldHoldTheContractsKeysInItsOrder() {
        final Map<String, Object> json = parse(SummaryJson.of(Summary.of(Samples.small(false))));
        assertEquals(List.of(CONTRACT), new ArrayList<>(json.keySet()).subList(0, CONTRACT.length));
        assertEquals("shale", json.get("fabric"));
        assertEquals(3.0, json.get("nodes"));
        assertEquals(2.0, json.get("h"));
        assertEquals(33.0, json.get("cellsDelivered"));
        assertEquals(0.044, json.get("throughput"));
        assertEquals("000000000000beef", json.get("digest"));
        assertEquals(false, json.get("interrupted"));
        assertNull(json.get("roofline"));
        final Map<?, ?> options = (Map<?, ?>) json.get("options");
        assertEquals(Samples.settings("3", "2").keySet(), options.keySet());
        assertEquals(3.0, options.get("nodes"));
        assertEquals(5.632, options.get("slot-ns"));
        assertEquals("hbh+spray", options.get("cc"));
        final List<?> bins = (List<?>) json.get("normalisedFct");
        assertEquals(5, bins.size());
        assertEquals(1.5, ((Map<?, ?>) bins.getFirst()).get("mean"));
        assertNull(((Map<?, ?>) bins.get(2)).get("p99.9"), "an empty bin has no tail");
    }

    @Test
    void shouldStayValidWithoutNumbersAndWithHostileSettings() {
        final Map<String, Object> empty = parse(SummaryJson.of(Summary.of(Samples.empty())));
        assertNull(empty.get("throughput"));
        assertNull(empty.get("nodeSlotsPerSecond"));
        assertTrue(empty.containsKey("h"));
        final RunResult some = Samples.small(true);
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("faults", "12");
        settings.put("flows", "a\"b\\c\n\u0001\ud83d\ude00 \u00fc");
        settings.put("seed", "007");
        settings.put("nodes", "1e3");
        final RunResult hostile = new RunResult(settings, some.terms(), true, some.totals(), some.flows(), some.nodes(),
            some.timeline(), some.events(), some.latency(), List.of(), RunResult.Measured.ALL);
        final String text = SummaryJson.of(Summary.of(hostile));
        assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
        final Map<String, Object> json = parse(text);
        assertEquals(settings, json.get("options"));
        assertEquals("007", json.get("seed"), "no number of JSON starts with a zero");
        assertEquals("1e3", json.get("nodes"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> parse(final String text) {
        final Reader reader = new Reader(text);
        final Object value = reader.value();
        reader.blanks();
        assertEquals(text.length(), reader.at, "text after the object");
        return (Map<String, Object>) value;
    }

    /** Strict reader of JSON; whatever it does not know is an error. */
    private static final class Reader {
        private static final String NUMBER = "-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?";

        private final String text;
        private int at;

        Reader(final String text) {
            this.text = text;
        }

        Object value() {
            blanks();
            final char c = text.charAt(at);
            if (c == '{') {
                final Map<String, Object> map = new LinkedHashMap<>();
                items('}', () -> {
                    final String key = string();
                    expect(':');
                    assertFalse(map.containsKey(key), "key twice: " + key);
                    map.put(key, value());
                });
                return map;
            }
            if (c == '[') {
                final List<Object> list = new ArrayList<>();
                items(']', () -> list.add(value()));
                return list;
            }
            return c == '"' ? string() : word();
        }

        private void items(final char end, final Runnable item) {
            at++;
            blanks();
            if (text.charAt(at) != end) {
                item.run();
                blanks();
                while (text.charAt(at) == ',') {
                    at++;
                    blanks();
                    item.run();
                    blanks();
                }
            }
            expect(end);
        }

        private Object word() {
            final int start = at;
            while ("{}[],: \n".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            final String word = text.substring(start, at);
            return switch (word) {
                case "null" -> null;
                case "true" -> true;
                case "false" -> false;
                default -> {
                    assertTrue(word.matches(NUMBER), "no number: " + word);
                    yield Double.valueOf(word);
                }
            };
        }

        private String string() {
            expect('"');
            final StringBuilder value = new StringBuilder();
            for (char c = text.charAt(at++); c != '"'; c = text.charAt(at++)) {
                assertTrue(c >= ' ', "control character in a string");
                if (c == '\\') {
                    final char escaped = text.charAt(at++);
                    if (escaped == 'u') {
                        value.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                        at += 4;
                    } else {
                        assertTrue(escaped == '"' || escaped == '\\', "escape: " + escaped);
                        value.append(escaped);
                    }
                } else {
                    value.append(c);
                }
            }
            return value.toString();
        }

        private void expect(final char c) {
            blanks();
            assertEquals(c, text.charAt(at++), "at " + at);
        }

        private void blanks() {
            while (at < text.length() && " \n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
        }
    }
}
