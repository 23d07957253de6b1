package dev.skerry.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

class SummaryJsonTest {
    private static final String[] CONTRACT = ("schema fabric nodes h cc seed slots cellsDelivered throughput "
        + "flowsStarted flowsCompleted maxQueueLength maxBufferOccupancy maxActiveBuckets maxReorderCells cellsDropped "
        + "cellsCorrupted wallSeconds nodeSlotsPerSecond digest").split(" ");

    private static final ObjectMapper STRICT = JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
        .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

    @Test
    void shouldHoldTheContractsKeysInItsOrder() {
        final Map<String, Object> json = parse(Summary.of(Samples.small(false)).json());
        assertEquals(List.of(CONTRACT), new ArrayList<>(json.keySet()).subList(0, CONTRACT.length));
        assertEquals("shale", json.get("fabric"));
        assertEquals(3, json.get("nodes"));
        assertEquals(2, json.get("h"));
        assertEquals(33, json.get("cellsDelivered"));
        assertEquals(0.044, json.get("throughput"));
        assertEquals("000000000000beef", json.get("digest"));
        assertEquals(false, json.get("interrupted"));
        final Map<?, ?> options = (Map<?, ?>) json.get("options");
        assertEquals(Samples.settings("3", "2").keySet(), options.keySet());
        assertEquals(3, options.get("nodes"));
        assertEquals(5.632, options.get("slot-ns"));
        assertEquals("hbh+spray", options.get("cc"));
        final List<?> bins = (List<?>) json.get("normalisedFct");
        assertEquals(5, bins.size());
        assertEquals(1.5, ((Map<?, ?>) bins.getFirst()).get("mean"));
        assertNull(((Map<?, ?>) bins.get(2)).get("p99.9"), "an empty bin has no tail");
    }

    @Test
    void shouldStayValidWithoutNumbersAndWithHostileSettings() {
        final Map<String, Object> empty = parse(Summary.of(Samples.empty()).json());
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
        final String text = Summary.of(hostile).json();
        assertFalse(text.contains("NaN") || text.contains("Infinity"), text);
        final Map<String, Object> json = parse(text);
        assertEquals(settings, json.get("options"));
        assertEquals("007", json.get("seed"), "no number of JSON starts with a zero");
        assertEquals("1e3", json.get("nodes"));
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> parse(final String text) {
        try {
            return STRICT.readValue(text, Map.class);
        } catch (final IOException e) {
            throw new AssertionError(text, e);
        }
    }
}
