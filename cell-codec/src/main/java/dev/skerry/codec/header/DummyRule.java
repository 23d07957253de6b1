package dev.skerry.codec.header;

/**
 * A condition of a dummy: two fields are equal, or a field has a value.
 *
 * @param field number of a field.
 * @param other number of another field, -1 if {@code value} is given.
 * @param value value of the field.
 */
record DummyRule(int field, int other, long value) {
    boolean holds(final long[] values) {
        return values[field] == (other < 0 ? value : values[other]);
    }
}
