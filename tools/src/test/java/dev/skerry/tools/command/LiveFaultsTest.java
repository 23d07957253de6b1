package dev.skerry.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Packets of live cross faults of every fabric, by a script and by order. */
@EnabledOnOs(OS.LINUX)
@Timeout(300)
final class LiveFaultsTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "--threads 1, node 3", "--fabric shale --mode lockstep, node 3", "--nic-threads 2, node 3",
        "--fabric stardust --mode lockstep, node 8",
    })
    void shouldNamePacketsThatAFaultByOrderCostsAndCarryThemAfterIt(final String fabric, final String what)
        throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder, fabric
            + " --faults none --port 0=gen:64B,2kpps,to=3 --port 1=gen:600B,1kpps,to=0 --port 3=pcap:DIR/three.pcap")) {
            live.await("3", "tx_packets", 50);
            assertTrue(live.ask("fault " + what + " down").startsWith("slot "));
            live.refuses("fault " + what + " down", "is down already");
            live.ask("reset");
            live.await("0", "rx_packets", 100);
            live.await("1", "rx_packets", 100);
            live.ask("fault " + what + " up");
            live.ask("reset");
            live.await("3", "tx_packets", 100);
            live.await("0", "tx_packets", 100);
            live.ask("fault corrupt 0.05");
            live.ask("reset");
            live.await("3", "tx_packets", 100);
            live.ask("fault corrupt 0");
            live.refuses("fault corrupt 2", "skerry: faults: ctl:1: probability");
            live.refuses("fault node 99 down", "there is no node");
            live.end(0, 1);
        }
    }

    @Test
    void shouldTakeNoFaultsWhereNothingMayFail() throws Exception {
        try (RunningDataplane live = new RunningDataplane(folder,
            "--threads 1 --port 0=gen:64B,100pps,to=3 --port 3=pcap:DIR/three.pcap")) {
            live.refuses("fault node 3 down", "live was started without --faults, start it with --faults none");
            live.end(0);
        }
    }

    @ParameterizedTest
    @CsvSource({"--threads 1", "--fabric shale --mode lockstep", "--fabric shale --nic-threads 2"})
    void shouldNamePacketsThatAScriptCosts(final String fabric) throws IOException {
        final Path script = folder.resolve("faults");
        Files.writeString(script, "0 corrupt 0.02\n300 node 3 down\n900 link 1 2 down\n2000 node 3 up\n"
            + "2600 link 1 2 up\n4000 corrupt 0\n");
        final Invocation run = Invocation.ofLine("live --json --warm-up 0 --dir " + folder.resolve("c") + " --faults "
            + script + " " + fabric + " --port 0=gen:64-600B,50kpps,to=1-3,count=2000 "
            + "--port 1=gen:64-600B,50kpps,to=2-3,count=2000 --port 2=pcap:" + folder.resolve("two.pcap")
            + " --port 3=pcap:" + folder.resolve("three.pcap"));
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().contains("\"conserved\": true") && run.out().contains("\"packetsHeld\": 0"), run.out());
        assertTrue(!run.out().contains("\"packets_with_cells\": 0"), "faults that cost nothing show nothing");
        assertEquals(1, run.err().lines().filter(line -> line.contains("the fabric: first loss: packets lost because"))
            .count(), run.err());
    }

    @Test
    void shouldRefuseFaultsOfShoalsThatAreTooLarge() {
        Invocation.refuses("live --nodes 65 --faults none --port 0=loop --port 1=loop",
            "give up to 64 --nodes");
    }
}
