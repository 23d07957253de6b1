package dev.skerry.tools.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;

import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the values of a JSON text as one flat map: names of nested objects joined by points, places of arrays as
 * numbers, but an object of an array that begins with its {@code bin} is named by that. Texts and {@code true} are kept
 * as written, {@code null} is left out. One thread, one text.
 */
public final class JsonValues {
    private static final String BIN = "bin";
    private static final JsonFactory FACTORY = JsonFactory.builder()
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build()).build();

    private final JsonParser parser;
    private final SortedMap<String, String> values = new TreeMap<>();

    private JsonValues(final JsonParser parser) {
        this.parser = parser;
    }

    /**
     * Reads a text.
     *
     * @throws IllegalArgumentException if it is no whole JSON object.
     */
    public static SortedMap<String, String> of(final String text) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            final JsonValues reader = new JsonValues(parser);
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("no JSON object");
            }
            reader.object("");
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one JSON object");
            }
            return reader.values;
        } catch (final IOException e) {
            throw new IllegalArgumentException("no JSON: " + e.getMessage(), e);
        }
    }

    /** Reads what follows the brace. */
    private void object(final String name) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            member(name);
        }
    }

    private void member(final String name) throws IOException {
        final String key = parser.currentName();
        parser.nextToken();
        value(name.isEmpty() ? key : name + "." + key);
    }

    private void value(final String name) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> object(name);
            case START_ARRAY -> {
                for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                    element(name + ".", i);
                }
            }
            case VALUE_NULL -> { }
            default -> values.put(name, parser.getText());
        }
    }

    private void element(final String prefix, final int place) throws IOException {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            value(prefix + place);
        } else if (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = prefix + place;
            if (parser.currentName().equals(BIN)) {
                parser.nextToken();
                name = prefix + parser.getText();
                value(name + "." + BIN);
            } else {
                member(name);
            }
            object(name);
        }
    }
}
