package dev.skerry.codec.header;

import dev.skerry.codec.ShaleToken;

import java.util.List;

/**
 * What the values of a described header mean, and the other way round.
 *
 * @param name          of the header.
 * @param fields        in their order.
 * @param dummies       conditions of a dummy, which must all hold; none if a field says it.
 * @param noTokenIsZero whether a place without a token is zero, else all ones.
 */
record HeaderMeaning(String name, List<HeaderField> fields, List<DummyRule> dummies, boolean noTokenIsZero) {
    /** The number of a field with this meaning, -1 for none. */
    int indexOf(final HeaderRole role) {
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).role() == role) {
                return i;
            }
        }
        return -1;
    }

    int sequenceBits() {
        return Long.bitCount(fields.get(indexOf(HeaderRole.SEQUENCE)).mask());
    }

    boolean isDummy(final long[] values) {
        final int bit = indexOf(HeaderRole.DUMMY);
        return bit >= 0 && values[bit] == 1
            || !dummies.isEmpty() && dummies.stream().allMatch(rule -> rule.holds(values));
    }

    DescribedCell cell(final long[] values) {
        final int valid = indexOf(HeaderRole.VALID);
        if (valid >= 0 && values[valid] == 0) {
            return DescribedCell.NOTHING;
        }
        return new DescribedCell(isDummy(values) ? SlotState.DUMMY : SlotState.CELL,
            number(values, HeaderRole.SOURCE), number(values, HeaderRole.DESTINATION),
            number(values, HeaderRole.SEQUENCE), number(values, HeaderRole.SPRAYS), number(values, HeaderRole.PHASE),
            number(values, HeaderRole.SOURCE_MAC), number(values, HeaderRole.DESTINATION_MAC),
            token(values, HeaderRole.TOKEN1_KIND, HeaderRole.TOKEN1_DESTINATION, HeaderRole.TOKEN1_INDEX),
            token(values, HeaderRole.TOKEN2_KIND, HeaderRole.TOKEN2_DESTINATION, HeaderRole.TOKEN2_INDEX));
    }

    /** A number without its offset, modulo 2 to its width; unknown if there is no such field or it is not compared. */
    private int number(final long[] values, final HeaderRole role) {
        final int at = indexOf(role);
        return at < 0 || fields.get(at).mask() == 0 ? DescribedCell.UNKNOWN
            : (int) (values[at] - fields.get(at).offset() & fields.get(at).mask());
    }

    private int token(final long[] values, final HeaderRole kind, final HeaderRole destination,
        final HeaderRole index) {
        if (indexOf(destination) < 0) {
            return ShaleToken.NONE;
        }
        final boolean hasKind = indexOf(kind) >= 0;
        final int ofKind = hasKind ? (int) values[indexOf(kind)] : ShaleToken.KIND_TOKEN;
        final boolean isEmpty = isEmpty(values, destination) && isEmpty(values, index)
            && (!hasKind || isEmpty(values, kind));
        return isEmpty || ofKind == ShaleToken.KIND_NONE ? ShaleToken.NONE
            : ShaleToken.of(ofKind, number(values, destination), number(values, index));
    }

    private boolean isEmpty(final long[] values, final HeaderRole role) {
        return values[indexOf(role)] == (noTokenIsZero ? 0 : fields.get(indexOf(role)).mask());
    }

    long[] values(final DescribedCell cell) {
        final long[] values = new long[fields.size()];
        set(values, HeaderRole.VALID, cell.state() == SlotState.NOTHING ? 0 : 1);
        set(values, HeaderRole.DUMMY, cell.state() == SlotState.DUMMY ? 1 : 0);
        set(values, HeaderRole.SOURCE, cell.source());
        set(values, HeaderRole.DESTINATION, cell.destination());
        set(values, HeaderRole.SPRAYS, cell.sprays());
        set(values, HeaderRole.PHASE, cell.phase());
        set(values, HeaderRole.SOURCE_MAC, cell.sourceMac());
        set(values, HeaderRole.DESTINATION_MAC, cell.destinationMac());
        set(values, HeaderRole.SEQUENCE, cell.sequence() < 0 ? cell.sequence()
            : cell.sequence() & HeaderField.ones(sequenceBits()));
        setToken(values, cell.token1(), HeaderRole.TOKEN1_KIND, HeaderRole.TOKEN1_DESTINATION,
            HeaderRole.TOKEN1_INDEX);
        setToken(values, cell.token2(), HeaderRole.TOKEN2_KIND, HeaderRole.TOKEN2_DESTINATION,
            HeaderRole.TOKEN2_INDEX);
        return values;
    }

    private void setToken(final long[] values, final int token, final HeaderRole kind, final HeaderRole destination,
        final HeaderRole index) {
        if (token == ShaleToken.NONE) {
            for (final HeaderRole role : new HeaderRole[] {kind, destination, index}) {
                if (indexOf(role) >= 0) {
                    values[indexOf(role)] = noTokenIsZero ? 0 : HeaderField.ones(fields.get(indexOf(role)).bits());
                }
            }
        } else {
            if (indexOf(destination) < 0 || indexOf(kind) < 0 && ShaleToken.kind(token) != ShaleToken.KIND_TOKEN) {
                throw new IllegalArgumentException("header " + name + " has no room for this token: token=0x"
                    + Integer.toHexString(token));
            }
            set(values, kind, ShaleToken.kind(token));
            set(values, destination, ShaleToken.destination(token));
            set(values, index, ShaleToken.index(token));
        }
    }

    /** Sets a number; one that is not known is 0. */
    private void set(final long[] values, final HeaderRole role, final long number) {
        final int at = indexOf(role);
        if (at >= 0 && number >= 0) {
            final HeaderField field = fields.get(at);
            if (number > HeaderField.ones(field.bits())) {
                throw new IllegalArgumentException("header " + name + " has no room for " + field.name() + "="
                    + number);
            }
            values[at] = number + field.offset() & HeaderField.ones(field.bits());
        }
    }
}
