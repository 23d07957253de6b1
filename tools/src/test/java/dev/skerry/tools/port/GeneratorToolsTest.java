package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport;
import dev.skerry.tools.port.GeneratorPort.GeneratorReport.FlowReport;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Wireshark decodes generated packets as intended, and a capture of them gives the same measurements. */
@Timeout(300)
final class GeneratorToolsTest {
    @TempDir
    private Path folder;

    @Test
    void shouldMakePacketsThatWiresharkFindsRight() throws IOException, InterruptedException {
        assumeTrue(Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch(path -> Files.isExecutable(Path.of(path, "tshark"))), "tshark is not installed");
        final Path file = write("gen:64-1514B,max,count=400,dmac=02:00:00:00:00:00-02:00:00:00:00:09,"
            + "sport=1000-1006,dip=10.9.8.7-10.9.8.9,flows=13");
        final Path output = folder.resolve("tshark.txt");
        final Process tshark = new ProcessBuilder("tshark", "-n", "-r", file.toString(),
            "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-T", "fields",
            "-e", "eth.dst", "-e", "eth.src", "-e", "ip.dst", "-e", "ip.src", "-e", "udp.srcport", "-e", "udp.dstport",
            "-e", "ip.checksum.status", "-e", "udp.checksum.status", "-e", "_ws.expert")
            .redirectOutput(output.toFile()).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        assertEquals(0, tshark.waitFor());
        final List<String> lines = Files.readAllLines(output);
        assertEquals(400, lines.size());
        for (int i = 0; i < lines.size(); i++) {
            final int flow = i % 13;
            assertEquals("02:00:00:00:00:0" + flow % 10 + "\t02:00:00:00:00:02\t10.9.8." + (7 + flow % 3)
                + "\t10.1.0.2\t" + (1000 + flow % 7) + "\t9\t1\t1\t", lines.get(i), "packet " + i);
        }
    }

    @Test
    void shouldMeasureACaptureOfItself() {
        final Path file = write("gen:imix,max,count=5000,to=3-6,id=77");
        try (Arena arena = Arena.ofConfined(); GeneratorPort sink = open("gen:max");
            PcapPort source = PcapPort.open(PcapSettings.parse("pcap:in=" + file + ",loops=2"))) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            while (source.rxBurst(burst) > 0) {
                sink.txBurst(burst, 0);
                burst.clear();
            }
            final GeneratorReport report = sink.report();
            assertEquals(new FlowReport.Counts(5_000, 5_000, 0, 5_000, 0, 0), report.total());
            assertEquals(List.of(77, 77, 77, 77), report.flows().stream().map(FlowReport::id).toList());
        }
    }

    private Path write(final String text) {
        final Path file = folder.resolve("generated.pcapng");
        try (Arena arena = Arena.ofConfined(); GeneratorPort source = open(text);
            PcapPort port = PcapPort.open(PcapSettings.writing(file))) {
            final PacketBurst burst = new PacketBurst(arena, 32, 2_048);
            while (!source.isExhausted()) {
                source.rxBurst(burst);
                port.txBurst(burst, 0);
                burst.clear();
            }
        }
        return file;
    }

    private static GeneratorPort open(final String text) {
        return GeneratorPort.open(GeneratorSettings.parse(text, 2));
    }
}
