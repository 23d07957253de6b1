package dev.skerry.bench.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.bench.command.Peers.PeerSimulator;
import dev.skerry.bench.command.Peers.TimedProcess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

final class PeersTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private Path program(final String text) throws IOException {
        final Path program = Files.writeString(folder.resolve("program"), "#!/bin/sh\n" + text + "\n");
        assertTrue(program.toFile().setExecutable(true));
        return program;
    }

    private void assertRefused(final String why, final String... arguments) {
        final int code = Bench.execute(new PrintWriter(out), new PrintWriter(err), arguments);
        assertEquals(2, code, err.toString());
        assertEquals(1, err.toString().lines().count(), err.toString());
        assertTrue(err.toString().startsWith("skerry: ") && err.toString().contains(why), err.toString());
        assertEquals("", out.toString());
    }

    @Test
    void shouldRefuseWhatIsNoProgram() {
        assertRefused("there is no such program", "peers", folder.resolve("nosuch").toString());
    }

    @Test
    void shouldRefuseAProgramOfSomebodyElse() throws IOException {
        assertRefused("it is the simulator neither of", "peers", program("echo usage: fly").toString());
    }

    @Test
    void shouldSayHowAProgramEnded() throws IOException {
        assertRefused("it ended with 3: no memory", "peers", "--pairs", "1", program(
            "[ \"$1\" = --help ] && echo '-l [ --num-phases ]' || { echo start; echo no memory; exit 3; }").toString());
    }

    @Test
    void shouldNotTakeAnEarlyEndForARun() throws IOException {
        assertRefused("it ended with 0: stopped", "peers", "--pairs", "1", program(
            "[ \"$1\" = --help ] && echo '-l [ --num-phases ]' || echo stopped").toString());
    }

    @Test
    void shouldCountTheProcessorTimeOfAProgram() throws Exception {
        final Path busy = program("i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 7");
        final TimedProcess run = TimedProcess.run(folder, List.of(busy.toString()));
        assertEquals(7, run.code());
        assertTrue(run.processor() > 0 && run.clock() > 0, run.toString());
    }

    @ParameterizedTest
    @EnumSource
    void shouldGiveBothTheSameFlows(final PeerSimulator peer) {
        final int slots = 20_000;
        final List<String> theirs = peer.sparse(true, 64, slots).lines().toList();
        final List<String> ours = peer.sparse(false, 64, slots).lines().toList();
        assertEquals(Math.round(0.006 * 64 * slots / 64), ours.size());
        assertEquals(ours.size(), theirs.size());
        long last = 0;
        for (int flow = 0; flow < ours.size(); flow++) {
            final String[] their = theirs.get(flow).split(",");
            final String[] our = ours.get(flow).split(",");
            assertEquals(List.of(our).subList(0, 3), List.of(their).subList(0, 3));
            final long cells = Long.parseLong(our[3]) / (peer == PeerSimulator.SHOAL ? 56 : 244);
            final long start = (long) (Double.parseDouble(our[4]) / 5.632e-9);
            assertTrue(cells >= 1 && cells < 128 && start >= last && start < slots, ours.get(flow));
            if (peer == PeerSimulator.SHOAL) {
                assertEquals(cells + "," + start, their[3] + "," + their[4]);
            } else {
                assertEquals(ours.get(flow), theirs.get(flow));
            }
            last = start;
        }
    }
}
