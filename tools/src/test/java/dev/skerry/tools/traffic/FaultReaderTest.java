package dev.skerry.tools.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Scripts of faults: what they say, and the line for each that says nothing. */
final class FaultReaderTest {
    private static final Population EIGHT = Population.complete(new Phased(1, 8));

    @TempDir
    private Path folder;

    @Test
    void shouldReadEveryForm() throws IOException {
        final FaultPlan plan = FaultReader.read(script("""
            # a comment
            2000 node 5 up
            1000 node 5 down   # and another

            1500,link,3,7,down
            0 corrupt 0.001
            7 corrupt 0.1 3 7
            """), new Faulty(EIGHT));
        assertEquals(List.of(new Fault.Corruption(0, 0.001), new Fault.LinkCorruption(7, 3, 7, 0.1),
            new Fault.Node(1000, 5, false),
            new Fault.Link(1500, 3, 7, false), new Fault.Node(2000, 5, true)), plan.faults());
        assertEquals(List.of(new Fault.Control(0, 0.1, 0.01), new Fault.HostPort(3, 9, false), new Fault.Rogue(7, 2),
            new Fault.HostPort(9, 9, true)), FaultReader.read(script("""
                7 rogue 2
                3 host 9 down
                9 host 9 up
                0 control 0.1 0.01
                """), new Faulty(EIGHT, 10, SwitchNames.NONE, ClockWindow.NONE)).faults());
        assertTrue(FaultReader.read(script("# nothing\n"), new Faulty(EIGHT)).isEmpty());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
        "x node 5 down|slot 'x' is not a whole number",
        "-1 node 5 down|slot '-1' is not a whole number",
        "10|unknown fault",
        "10 fire 3|unknown fault",
        "10 node 5|4 fields are needed and 3 found",
        "10 node 5 down now|4 fields are needed and 5 found",
        "10 node 8 down|there is no node '8'",
        "10 node a down|there is no node 'a'",
        "10 node 5 sideways|'sideways' is neither down nor up",
        "10 link 3 down|5 fields are needed and 4 found",
        "10 link 3 3 down|a link needs two nodes",
        "10 corrupt 1.5|probability '1.5' is out of range",
        "10 corrupt 0.5 3|5 fields are needed and 4 found",
        "10 corrupt 0.5 3 3|a link needs two nodes",
        "10 corrupt 0.5 3 8|there is no node '8'",
        "10 corrupt 2 3 4|probability '2' is out of range",
        "10 corrupt often|probability 'often' is out of range",
        "10 node 5 up|nothing changes in slot 10: node 5 up",
        "10 host 2 up|nothing changes in slot 10: host 2 up",
        "10 host 4 down|there is no host '4'",
        "10 control 0.1|4 fields are needed",
        "10 control 0.1 2|probability '2' is out of range",
        "10 rogue 8|there is no node '8'",
        "10 clock 1 2|only Shale and Shoal have this kind"
    })
    void shouldNameTheLineThatIsWrong(final String line, final String why) throws IOException {
        refuses("# first\n" + line + "\n", 4, ClockWindow.NONE, ":2: ", why);
    }

    private void refuses(final String text, final int hosts, final ClockWindow window, final String... parts)
        throws IOException {
        final Path file = script(text);
        final String message = assertThrows(InputException.class,
            () -> FaultReader.read(file, new Faulty(EIGHT, hosts, SwitchNames.NONE, window))).getMessage();
        assertTrue(message.startsWith("skerry: faults: " + file) && Stream.of(parts).allMatch(message::contains),
            message);
    }

    @Test
    void shouldAskOfEachClockWhetherItIsInItsWindow() throws IOException {
        final Path file = script("10 clock 3 2.5\n20 clock 3 -2.048\n30 clock 3 -2.05\n40 clock 3 0\n");
        assertEquals(List.of(new Fault.Clock(10, 3, false), new Fault.Clock(20, 3, true), new Fault.Clock(30, 3, false),
            new Fault.Clock(40, 3, true)), FaultReader.read(file, new Faulty(EIGHT, 0, SwitchNames.NONE,
            new ClockWindow(2.048))).faults());
        refuses("10 clock 3 2.5\n", 0, ClockWindow.NONE, ":1: ", "--guard-ns");
        refuses("10 rogue 2\n", 0, ClockWindow.NONE, ":1: only Stardust has this kind");
        for (final String wrong : new String[] {"10 clock 3 soon", "10 clock 3", "10 clock 8 1", "10 clock 3 NaN"}) {
            refuses(wrong + "\n", 0, new ClockWindow(1), ":1: ");
        }
    }

    private Path script(final String text) throws IOException {
        return Files.writeString(folder.resolve("faults.txt"), text);
    }
}
