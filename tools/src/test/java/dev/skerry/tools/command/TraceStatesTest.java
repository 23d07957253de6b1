package dev.skerry.tools.command;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Golden vectors tell a dummy from nothing. */
final class TraceStatesTest {
    private static final String DUMMY = BigInteger.TWO.pow(64).subtract(BigInteger.ONE).toString();
    private static final String NOTHING = BigInteger.TWO.pow(64).subtract(BigInteger.TWO).toString();

    @TempDir
    private Path folder;

    /** Values of a signal by slot. */
    private List<String> trace(final String options, final String scope, final String signal) throws IOException {
        final Path out = folder.resolve(signal);
        final Invocation run = Invocation.ofLine("trace --format csv " + options + " --out " + out);
        assertEquals(0, run.code(), run.err());
        final List<String> lines = Files.readAllLines(out.resolve(scope + ".csv"), US_ASCII);
        final int column = List.of(lines.getFirst().split(",")).indexOf(signal);
        return lines.stream().skip(1).map(line -> line.split(",")[column]).toList();
    }

    @Test
    void shouldTellADummyFromNothing() throws IOException {
        final String node = "--node 5 --nodes 16 --propagation-slots 3 --slots 40 --workload incast";
        final List<String> received = trace(node, "node5", "rx0_route");
        for (int slot = 0; slot < received.size(); slot++) {
            assertEquals(slot < 3, received.get(slot).equals(NOTHING), "slot=" + slot);
        }
        final List<String> sent = trace(node, "node5", "tx0_route");
        assertTrue(sent.contains(DUMMY) && !sent.contains(NOTHING), sent.toString());
        // Eight nodes have seven others: the third channel has a circuit in one of three slots.
        final List<String> third = trace("--node 2 --fabric shoal --nodes 8 --channels 3 --slots 42 --workload incast",
            "node2", "tx2_route");
        assertEquals(List.of(28L, true), List.of(third.stream().filter(NOTHING::equals).count(),
            third.contains(DUMMY)), third.toString());
        trace("--switch 1 --nodes 16 --h 2 --slots 42 --workload incast", "switch1", "out0");
        final String ports = Files.readString(folder.resolve("out0").resolve("switch1.csv"), US_ASCII);
        assertTrue(ports.contains(DUMMY) && ports.contains(NOTHING), ports);
    }
}
