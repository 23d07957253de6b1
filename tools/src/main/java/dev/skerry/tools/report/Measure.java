package dev.skerry.tools.report;

/**
 * One number of a run as every report prints it. Immutable; any thread.
 *
 * @param key      its name in JSON.
 * @param unit     of the value; empty if the sentence says what is counted.
 * @param value    a whole number, a double, a boolean or a text; null if nobody counted, then without a sentence.
 * @param sentence what is counted, in words that follow the value if they name the unit and precede it otherwise; null
 *                 if only JSON and the headings tell it.
 */
public record Measure(String key, String unit, Object value, String sentence) {
    /** The value with its unit, for a table that has the sentence in the column before. */
    String fact() {
        return namesUnit() ? amount() : amount() + " " + unit;
    }

    /** The value and the sentence, for a line of their own. */
    String line() {
        return namesUnit() ? amount() + " " + sentence : sentence + " " + fact();
    }

    private boolean namesUnit() {
        return sentence.contains(unit);
    }

    private String amount() {
        return switch (value) {
            case final Integer count -> Numbers.grouped(count);
            case final Long count -> Numbers.grouped(count);
            case final Double number -> Numbers.plain(number);
            default -> value.toString();
        };
    }

    void write(final Json json) {
        json.putAny(key, value);
    }
}
