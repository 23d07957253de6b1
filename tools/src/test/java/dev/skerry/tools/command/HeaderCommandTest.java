package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code skerry header}: fields of a description, of a header, and the SystemVerilog package. */
final class HeaderCommandTest {
    @TempDir
    private Path folder;

    @Test
    void shouldShowFieldsAndTakeAHeaderApart() {
        final Invocation shown = Invocation.of("header", "shale-prototype");
        assertEquals(0, shown.code(), shown.err());
        assertTrue(shown.out().contains("[ 87: 79]  source-mac\n"), shown.out());
        assertTrue(shown.out().contains("[  7:  7]  dummy\n"), shown.out());
        final Invocation read = Invocation.of("header", "shale-prototype", "--read", "038140e0820013069fff00");
        assertEquals(0, read.code(), read.err());
        for (final String part : new String[] {"source-mac           7\n", "destination-mac      5\n",
            "sequence             2\n", "sprays               3\n", "token1-destination   13\n", "\ncell\n"}) {
            assertTrue(read.out().contains(part), part + " in " + read.out());
        }
    }

    @Test
    void shouldNameAWrongCrc() {
        final Invocation read = Invocation.of("header", "L12", "--read", "000000000000000000000000");
        assertEquals(1, read.code(), read.err());
        assertTrue(read.out().contains("crc 0x0 instead of 0x"), read.out());
    }

    @Test
    void shouldWriteThePackage() throws IOException {
        final Path own = Files.writeString(folder.resolve("own.txt"), """
            name own
            bits lsb
            dummy-when source=destination class=3
            source 4
            destination 4
            sequence 6
            field class 2
            crc 8 poly=0x07 init=0xff
            """, US_ASCII);
        final Invocation sv = Invocation.of("header", own.toString(), "--sv");
        assertEquals("""
            // Written by skerry header from the description own.
            package own_header_pkg;
              localparam int BITS = 24;
              localparam int SOURCE_BITS = 4;
              localparam int DESTINATION_BITS = 4;
              localparam int SEQUENCE_NUMBER_BITS = 6;
              localparam int CLASS_FIELD_BITS = 2;
              localparam int CRC_BITS = 8;
              typedef struct packed {
                logic [7:0] crc;
                logic [1:0] class_field;
                logic [5:0] sequence_number;
                logic [3:0] destination;
                logic [3:0] source;
              } header_t;
              function automatic logic is_dummy(input header_t header);
                return header.source == header.destination && header.class_field == 2'd3;
              endfunction
              localparam int CRC_COVERS = 16;
              function automatic logic [7:0] crc_of(input header_t header);
                logic [7:0] crc;
                logic [23:0] line;
                line = {header.source, header.destination, header.sequence_number, header.class_field, header.crc};
                crc = 8'hff;
                for (int i = 0; i < CRC_COVERS; i++)
                  crc = (crc << 1) ^ (crc[7] ^ line[BITS-1-i] ? 8'h7 : 8'h0);
                return crc ^ 8'h0;
              endfunction
            endpackage
            """, sv.out());
    }

    @Test
    void shouldRefuseInOneLine() {
        Invocation.refuses("header L13", "skerry: header: L13: there is no such file");
        Invocation.refuses("header L12 --read 00", "skerry: --read: 00: it has 2 digits, header L12 has 24 of them");
        Invocation.refuses("header L12 --read x", "skerry: --read: x: it is no hex number");
        Invocation.refuses("header L12 --sv --read 00", "skerry: --read: 00: --sv prints the package alone");
    }
}
