package dev.skerry.codec.header;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Generates the SystemVerilog package of a described header: its struct, the widths of its fields, the dummy condition
 * and the CRC.
 */
public final class HeaderSv {
    private HeaderSv() {
    }

    /** Name of the package of a header. */
    public static String nameOf(final HeaderDescription header) {
        return header.name().replace('-', '_').toLowerCase(Locale.ROOT) + "_header_pkg";
    }

    /**
     * Names of the struct members, by field: the name of its role, or its own name plus {@code _field}, so that no name
     * is a keyword of the language.
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

    /** The text of the package. */
    public static String of(final HeaderDescription header) {
        final String[] members = members(header);
        final String widths = IntStream.range(0, members.length).mapToObj(i -> "  localparam int "
            + members[i].toUpperCase(Locale.ROOT) + "_BITS = " + header.fieldBits(i) + ";\n")
            .collect(Collectors.joining());
        final String logic = Arrays.stream(header.fromTheTop()).mapToObj(field -> "    logic "
            + (header.fieldBits(field) == 1 ? "" : "[" + (header.fieldBits(field) - 1) + ":0] ") + members[field]
            + ";\n").collect(Collectors.joining());
        return """
            // Written by skerry header from the description %s.
            package %s;
              localparam int BITS = %s;
            %s  typedef struct packed {
            %s  } header_t;
              function automatic logic is_dummy(input header_t header);
                return %s;
              endfunction
            %sendpackage
            """.formatted(header.name(), nameOf(header), header.bytes() * Byte.SIZE, widths, logic,
            dummy(header, members), header.crc() == null ? "" : crc(header, header.crc(), members));
    }

    private static String dummy(final HeaderDescription header, final String[] members) {
        final String rules = header.dummies().stream().map(rule -> "header." + members[rule.field()] + " == "
            + (rule.other() >= 0 ? "header." + members[rule.other()]
            : header.fieldBits(rule.field()) + "'d" + rule.value())).collect(Collectors.joining(" && "));
        return !header.has("dummy") ? rules.isEmpty() ? "1'b0" : rules
            : "header.dummy" + (rules.isEmpty() ? "" : " || " + rules);
    }

    /** Function that computes the CRC of the header alone, bit by bit. */
    private static String crc(final HeaderDescription header, final HeaderDescription.HeaderCrc crc,
        final String[] members) {
        // A reflected CRC takes the lowest bit of each byte first and reverses its result.
        final boolean lowest = crc.reflect() && header.fromTheTop()[0] > 0;
        final String bit = lowest ? "i" : crc.reflect() ? "BITS-1-(i^7)" : "BITS-1-i";
        final int top = crc.bits() - 1;
        final String turn = !crc.reflect() ? "" : "for (int i = 0; i < " + crc.bits() / 2
            + "; i++)\n      {crc[i], crc[" + top + "-i]} = {crc[" + top + "-i], crc[i]};\n    ";
        final String[] order = lowest ? Arrays.stream(header.fromTheTop()).mapToObj(field -> members[field])
            .toArray(String[]::new) : members;
        return """
              localparam int CRC_COVERS = %s;
              function automatic logic [%2$s:0] crc_of(input header_t header);
                logic [%2$s:0] crc;
                logic [%3$s:0] line;
                line = {header.%4$s};
                crc = %5$s'h%6$s;
                for (int i = 0; i < CRC_COVERS; i++)
                  crc = (crc << 1) ^ (crc[%2$s] ^ line[%9$s] ? %5$s'h%7$s : %5$s'h0);
                %10$sreturn crc ^ %5$s'h%8$s;
              endfunction
            """.formatted(crc.covers(), top, header.bytes() * Byte.SIZE - 1,
            String.join(", header.", order), crc.bits(), Long.toHexString(crc.init()),
            Long.toHexString(crc.poly()), Long.toHexString(crc.xor()), bit, turn);
    }
}
