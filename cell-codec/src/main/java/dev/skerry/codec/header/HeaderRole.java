package dev.skerry.codec.header;

import java.util.Arrays;

/** The role of a header field. Descriptions refer to it by this name. */
enum HeaderRole {
    SOURCE("source", 20),
    DESTINATION("destination", 20),
    SEQUENCE("sequence", 31),
    SPRAYS("sprays", 3),
    PHASE("phase", 3),
    SOURCE_MAC("source-mac", 31),
    DESTINATION_MAC("destination-mac", 31),
    /** 1: the header carries no cell. */
    DUMMY("dummy", 1),
    /** 0: the slot is empty. */
    VALID("valid", 1),
    TOKEN1_KIND("token1-kind", 2),
    TOKEN1_DESTINATION("token1-destination", 20),
    TOKEN1_INDEX("token1-index", 3),
    TOKEN2_KIND("token2-kind", 2),
    TOKEN2_DESTINATION("token2-destination", 20),
    TOKEN2_INDEX("token2-index", 3),
    CRC("crc", 32),
    /** Has a fixed value, which is checked. */
    CONSTANT("constant", 63),
    /** Written as 0, ignored when read. */
    PADDING("padding", 63),
    /** Any other field; it has a name of its own. */
    FIELD("field", 63);

    private final String text;
    private final int mostBits;

    HeaderRole(final String text, final int mostBits) {
        this.text = text;
        this.mostBits = mostBits;
    }

    /** The role of a name, or null. */
    static HeaderRole of(final String text) {
        return Arrays.stream(values()).filter(role -> role.text.equals(text)).findFirst().orElse(null);
    }

    String text() {
        return text;
    }

    int mostBits() {
        return mostBits;
    }

    /** Whether a header may have several fields of this role. */
    boolean mayRepeat() {
        return this == CONSTANT || this == PADDING || this == FIELD;
    }

    /** Whether the device chooses the value: it follows neither from other fields nor from the description. */
    boolean isFree() {
        return this != CRC && this != CONSTANT;
    }

    /** Whether a mask may exclude the field from all comparisons. */
    boolean mayBeIgnored() {
        return this == PHASE || this == SOURCE_MAC || this == DESTINATION_MAC || this == CRC || this == FIELD;
    }
}
