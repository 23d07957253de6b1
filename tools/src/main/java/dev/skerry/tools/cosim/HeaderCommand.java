package dev.skerry.tools.cosim;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.HeaderSv;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HeaderFile;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.PrintWriter;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/** {@code skerry header}: shows the description of a header, decodes a header, or writes SystemVerilog. */
@Command(name = "header", description = {
        "Shows the fields of a described header, decodes one, or writes SystemVerilog.",
        "",
        "A description is a text file with one line per field (docs/rtl.md), or the name of a built-in one: L12, "
            + "L12F, L16, shoal, shoal-classes, shale-prototype. 'skerry score --header' uses the same descriptions.",
        "",
        "With --read, the exit code is 0, or 1 if the CRC of the header or a constant is wrong. A wrong description "
            + "or number is reported on standard error (exit code 2).",
        ""
    },
    footer = {
        "",
        "Example, a header of the NIC of Shale's authors:",
        "  ./skerry header shale-prototype --read 038140e0820013069fff00",
        "  ./skerry header L16 --sv > l16_header_pkg.sv"
    })
public final class HeaderCommand extends ToolCommand {
    @Parameters(paramLabel = "FILE", description = "Description, or the name of a built-in one.")
    String header;

    @Option(names = "--read", paramLabel = "HEX", description = "Decode this header, two hex digits per byte.")
    String read;

    @Option(names = "--sv",
        description = "Print a SystemVerilog package with the struct header_t, widths, is_dummy, and crc_of, which "
            + "computes the CRC of the header alone.")
    boolean sv;

    @Override
    public Integer call() {
        Choices.refuseIf(sv && read != null, "--read", read, "--sv prints the package alone", "leave one out");
        final HeaderDescription described = HeaderFile.read(header);
        final PrintWriter out = out();
        int code = 0;
        if (sv) {
            out.print(HeaderSv.of(described));
        } else if (read == null) {
            print(described, null, out);
        } else {
            code = take(described, out);
        }
        out.flush();
        return code;
    }

    private int take(final HeaderDescription described, final PrintWriter out) {
        final byte[] bytes;
        try {
            bytes = HexFormat.of().parseHex(read);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--read", read, "it is not a hex number", "write two digits 0-9 and a-f per byte");
        }
        Choices.refuseIf(bytes.length != described.bytes(), "--read", read, "it has " + read.length() + " digits",
            "header " + described.name() + " has " + 2 * described.bytes() + " of them");
        final long[] values = described.unpack(bytes);
        print(described, values, out);
        out.println(described.cell(values).state().toString().toLowerCase(Locale.ROOT));
        final List<String> faults = described.faults(bytes, null);
        faults.forEach(out::println);
        return faults.isEmpty() ? 0 : 1;
    }

    /** Prints a line for each field, most significant first: its bits, its name, and its value if it is known. */
    private static void print(final HeaderDescription described, final long[] values, final PrintWriter out) {
        out.println("header " + described.name() + ", " + described.bytes() + " bytes");
        int top = described.bytes() * Byte.SIZE - 1;
        for (final int field : described.fromTheTop()) {
            final int end = top - described.fieldBits(field) + 1;
            out.println(String.format(Locale.ROOT, "  [%3d:%3d]  %-20s%s", top, end, described.fieldName(field),
                values == null ? "" : " " + values[field]).stripTrailing());
            top = end - 1;
        }
    }
}
