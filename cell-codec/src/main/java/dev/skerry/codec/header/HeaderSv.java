package dev.skerry.codec.header;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * The SystemVerilog package of a described header: its struct, the widths of its fields, the condition of
 * a dummy, and the CRC.
 */
public final class HeaderSv {
    private HeaderSv() {
    }

    /** Name of the package of a header. */
    public static String nameOf(final HeaderDescription header) {
        return header.name().replace('-', '_').toLowerCase(Locale.ROOT) + "_header_pkg";
    }

    /**
     * Names of the members of the struct, by field: its meaning, or its own name and {@code _field}, so that none is a
     * word of the language.
     */
    static String[] members(final HeaderDescription header) {
        final Set<String> seen = new HashSet<>();
        final String[] names = new String[header.size()];
        for (int i = 0; i < names.length; i++) {
            final HeaderField field = header.fields().get(i);
            final String plain = field.name().replace('-', '_').toLowerCase(Locale.ROOT);
            final String name = field.role() == HeaderRole.FIELD ? plain + "_field"
                : field.role() == HeaderRole.SEQUENCE ? "sequence_number" : plain;
            names[i] = seen.add(name) ? name : name + i;
        }
        return names;
    }

    /** Text of the package. */
    public static String of(final HeaderDescription header) {
        final String[] members = members(header);
        final StringBuilder text = new StringBuilder("// Written by skerry header from the description ")
            .append(header.name()).append(".\npackage ").append(nameOf(header)).append(";\n")
            .append("  localparam int BITS = ").append(header.bytes() * Byte.SIZE).append(";\n");
        for (int i = 0; i < members.length; i++) {
            text.append("  localparam int ").append(members[i].toUpperCase(Locale.ROOT)).append("_BITS = ")
                .append(header.fieldBits(i)).append(";\n");
        }
        text.append("  typedef struct packed {\n");
        for (final int field : header.fromTheTop()) {
            text.append("    logic ").append(header.fieldBits(field) == 1 ? ""
                : "[" + (header.fieldBits(field) - 1) + ":0] ").append(members[field]).append(";\n");
        }
        text.append("  } header_t;\n");
        appendDummy(text, header, members);
        appendCrc(text, header, members);
        return text.append("endpackage\n").toString();
    }

    private static void appendDummy(final StringBuilder text, final HeaderDescription header, final String[] members) {
        final StringBuilder condition = new StringBuilder();
        for (final HeaderDescription.DummyRule rule : header.dummies()) {
            condition.append(condition.isEmpty() ? "" : " && ").append("header.").append(members[rule.field()])
                .append(" == ").append(rule.other() >= 0 ? "header." + members[rule.other()]
                    : header.fieldBits(rule.field()) + "'d" + rule.value());
        }
        if (header.has("dummy")) {
            condition.insert(0, "header.dummy" + (condition.isEmpty() ? "" : " || "));
        }
        text.append("  function automatic logic is_dummy(input header_t header);\n    return ")
            .append(condition.isEmpty() ? "1'b0" : condition).append(";\n  endfunction\n");
    }

    /** The CRC of the header alone, a bit at a time. */
    private static void appendCrc(final StringBuilder text, final HeaderDescription header, final String[] members) {
        final HeaderDescription.HeaderCrc crc = header.crc();
        if (crc == null) {
            return;
        }
        final String width = "[" + (crc.bits() - 1) + ":0]";
        text.append("  localparam int CRC_COVERS = ").append(crc.covers()).append(";\n")
            .append("  function automatic logic ").append(width).append(" crc_of(input header_t header);\n")
            .append("    logic ").append(width).append(" crc;\n    logic [").append(header.bytes() * Byte.SIZE - 1)
            .append(":0] line;\n    line = {");
        for (int i = 0; i < members.length; i++) {
            text.append(i == 0 ? "" : ", ").append("header.").append(members[i]);
        }
        final String poly = crc.bits() + "'h" + Long.toHexString(crc.poly());
        text.append("};\n    crc = ").append(crc.bits()).append("'h").append(Long.toHexString(crc.init()))
            .append(";\n    for (int i = 0; i < CRC_COVERS; i++)\n      crc = (crc << 1) ^ (crc[")
            .append(crc.bits() - 1).append("] ^ line[BITS-1-i] ? ").append(poly).append(" : ").append(crc.bits())
            .append("'h0);\n    return crc ^ ").append(crc.bits()).append("'h").append(Long.toHexString(crc.xor()))
            .append(";\n  endfunction\n");
    }
}
