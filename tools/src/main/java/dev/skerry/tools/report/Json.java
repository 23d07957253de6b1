package dev.skerry.tools.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A writer of an indented JSON text. Values that are not finite are written as {@code null}, because JSON cannot
 * represent them. Not thread-safe.
 */
public final class Json {
    /**
     * Numbers in the notation of Java, including doubles. Other numbers, with a leading zero or an exponent, are texts
     * of the user.
     */
    private static final Pattern LITERAL = Pattern.compile(
        "true|false|-?(0|[1-9][0-9]{0,18})|-?(0|[1-9][0-9]{0,14})\\.[0-9]{1,17}(E-?[0-9]{1,3})?");
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final JsonFactory READ = JsonFactory.builder()
        .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(64).build()).build();
    private static final DefaultIndenter LINES = new DefaultIndenter("  ", "\n");

    private final StringWriter out = new StringWriter(2048);
    private final JsonGenerator to;

    private Json() {
        try {
            to = FACTORY.createGenerator(out);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        to.setPrettyPrinter(new DefaultPrettyPrinter(Separators.createDefaultInstance()
            .withObjectFieldValueSpacing(Separators.Spacing.AFTER)).withObjectIndenter(LINES).withArrayIndenter(LINES));
    }

    /** A call of the generator, which cannot fail because the generator writes to memory. */
    private interface Step {
        void write() throws IOException;
    }

    /**
     * Opens the object of a text with schema version 1. The version changes when a key is renamed, not when one is
     * added.
     */
    public static Json document() {
        return document(1);
    }

    /** Opens the object of a text with a schema version. */
    public static Json document(final int schema) {
        return new Json().open(null, '{').put("schema", schema);
    }

    /** Opens an object or an array; the name is {@code null} outside an object. */
    public Json open(final String name, final char bracket) {
        return add(name, bracket == '{' ? to::writeStartObject : to::writeStartArray);
    }

    /** Closes the innermost object or array. */
    public Json close(final char bracket) {
        return add(null, bracket == '}' ? to::writeEndObject : to::writeEndArray);
    }

    /** Writes a whole number; the name is {@code null} outside an object. */
    public Json put(final String name, final long value) {
        return add(name, () -> to.writeNumber(value));
    }

    /** Writes a number; the name is {@code null} outside an object. */
    public Json put(final String name, final double value) {
        return Double.isFinite(value) ? add(name, () -> to.writeNumber(value)) : add(name, to::writeNull);
    }

    /** Writes a boolean; the name is {@code null} outside an object. */
    public Json put(final String name, final boolean value) {
        return add(name, () -> to.writeBoolean(value));
    }

    /** Writes a text, or {@code null}; the name is {@code null} outside an object. */
    public Json put(final String name, final String value) {
        return add(name, () -> to.writeString(value));
    }

    /** Writes a number, a boolean or {@code null} as such, and any other value as its text. */
    public Json putAny(final String name, final Object value) {
        return switch (value) {
            case final Integer count -> put(name, count.longValue());
            case final Long count -> put(name, count.longValue());
            case final Double number -> put(name, number.doubleValue());
            case final Boolean flag -> put(name, flag.booleanValue());
            case null -> put(name, null);
            default -> put(name, value.toString());
        };
    }

    /** Writes a setting: as a number or a boolean if it looks like one, otherwise as a text. */
    Json putSetting(final String name, final String value) {
        return value != null && LITERAL.matcher(value).matches() ? add(name, () -> to.writeRawValue(value))
            : put(name, value);
    }

    @Override
    public String toString() {
        add(null, to::flush);
        return out + "\n";
    }

    private Json add(final String name, final Step step) {
        try {
            if (name != null) {
                to.writeFieldName(name);
            }
            step.write();
            return this;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the values of a JSON text as a flat map. The names of nested objects are joined by periods. Elements of
     * an array are named by their index, but an object whose first key is {@code bin} is named by the value of this
     * key. Texts and {@code true} are kept as written; {@code null} is omitted.
     *
     * @throws IllegalArgumentException if the text is not exactly one JSON object.
     */
    public static SortedMap<String, String> values(final String text) {
        try (JsonParser parser = READ.createParser(text)) {
            final Values reader = new Values(parser);
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

    /** A reader of the values of a text. */
    private static final class Values {
        private static final String BIN = "bin";

        private final JsonParser parser;
        private final SortedMap<String, String> values = new TreeMap<>();

        private Values(final JsonParser parser) {
            this.parser = parser;
        }

        /** Reads the members that follow the opening brace. */
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
}
