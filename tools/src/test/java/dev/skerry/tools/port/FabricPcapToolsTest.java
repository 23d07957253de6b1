package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.tools.live.LiveCommand;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Captures by the tools of Wireshark and tcpreplay cross a fabric, and tshark reads the output: the same packets, in
 * order per sender.
 */
@Tag("long")
@Timeout(300)
final class FabricPcapToolsTest {
    @TempDir
    private Path folder;

    @BeforeEach
    void look() {
        assumeTrue(PcapRig.areInstalled("tshark", "editcap", "tcprewrite"),
            "tshark and tcpreplay are not installed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shoal", "shale", "stardust --threads 2"})
    void shouldCarryWhatOthersWroteToWhatOthersRead(final String fabric) throws IOException, InterruptedException {
        final Path one = folder.resolve("one.pcapng");
        final Path other = folder.resolve("other.pcap");
        final Path out = folder.resolve("out.pcapng");
        PcapRig.run("editcap", "-F", "pcapng", ours("a", 400, 31).toString(), one.toString());
        PcapRig.run("tcprewrite", "--infile=" + ours("b", 300, 32), "--outfile=" + other, "--enet-vlan=add",
            "--enet-vlan-tag=17", "--enet-vlan-cfi=0", "--enet-vlan-pri=0", "--enet-dmac=02:00:00:00:00:07");
        final StringWriter err = new StringWriter();
        final int code = new CommandLine(new LiveCommand()).setCaseInsensitiveEnumValuesAllowed(true)
            .setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err))
            .execute(("--dir " + folder.resolve("counters") + " --fabric " + fabric + " --map 0:5,1:5 --port 0="
                + "pcap:in=" + one + ",speed=max --port 1=pcap:in=" + other
                + ",speed=max --port 5=pcap:" + out).split(" "));
        assertEquals(0, code, err::toString);
        final List<String> first = PcapRig.tshark(one, "frame.md5_hash");
        final List<String> second = PcapRig.tshark(other, "frame.md5_hash");
        assertEquals(List.of(400, 300), List.of(first.size(), second.size()));
        final List<String> crossed = PcapRig.tshark(out, "frame.md5_hash");
        final List<String> ofFirst = new ArrayList<>(crossed);
        ofFirst.removeAll(second);
        assertEquals(first, ofFirst);
        final List<String> ofSecond = new ArrayList<>(crossed);
        ofSecond.removeAll(first);
        assertEquals(second, ofSecond);
        assertEquals(700, crossed.size());
        assertEquals(List.of(), err.toString().lines().filter(line -> line.contains("pcap")).toList());
    }

    private Path ours(final String name, final int frames, final long seed) {
        final Path file = folder.resolve(name + ".pcap");
        try (PcapPort port = PcapPort.open(PcapSettings.writing(file))) {
            PcapRig.send(port, PcapRig.frames(frames, seed));
        }
        return file;
    }
}
