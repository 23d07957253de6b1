package dev.skerry.tools.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.edge.PacketClasses;
import dev.skerry.tools.live.LiveCommand.ClassOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Which class each value of a field is in. */
final class ClassOptionsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--class-of=pcp | 33221100",
        "--class-of=PCP --class-map=6-7:0,4-5:1,2-3:2,0-1:3 | 33221100",
        "--class-of=pcp --class-map=5:0,6-7:1 | 11111011",
        "--class-of=pcp --class-map=7:2,0:0,1:1 | 01222222",
        "--class-of=dscp --class-map=46:0,32-45:1 | 1111111111111111111111111111111111111111111111011111111111111111",
        "--class-of=dscp | 3333333333333333222222222222222211111111111111110000000000000000",
    })
    void shouldPutEachValueIntoItsClass(final String typed, final String classes) {
        final ClassOptions options = new ClassOptions();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("classes",
            CommandLine.Model.CommandSpec.forAnnotatedObject(options))).parseArgs(typed.split(" "));
        final PacketClasses of = options.classes();
        assertEquals(classes, IntStream.range(0, classes.length())
            .mapToObj(value -> Integer.toString(of.of(MemorySegment.ofArray(frame(classes.length(), value)), 0, 60)))
            .collect(Collectors.joining()));
        assertEquals(Arrays.stream(classes.split("")).mapToInt(Integer::parseInt).max().orElseThrow() + 1, of.count());
    }

    /** A frame with a priority in its tag, of 8 values, or a DSCP in its IPv4 header, of 64. */
    private static byte[] frame(final int values, final int value) {
        final byte[] frame = new byte[60];
        frame[12] = (byte) (values == 8 ? 0x81 : 0x08);
        frame[14] = (byte) (values == 8 ? value << 5 : 0x45);
        frame[15] = (byte) (value << 2);
        return frame;
    }
}
