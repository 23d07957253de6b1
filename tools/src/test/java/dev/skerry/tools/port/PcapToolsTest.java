package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tools of Wireshark and tcpreplay read our captures and we read theirs, packet for packet. Debian has them in the
 * packages {@code tshark} and {@code tcpreplay}.
 */
@Timeout(300)
final class PcapToolsTest {
    private static final long EPOCH_NS = 1_700_000_000_123_456_789L;

    @TempDir
    private Path folder;

    @BeforeEach
    void look() {
        assumeTrue(PcapRig.areInstalled("tshark", "text2pcap", "editcap", "mergecap", "capinfos", "tcprewrite"),
            "tshark and tcpreplay are not installed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"pcap", "nsecpcap", "modpcap", "pcapng"})
    void shouldReadWhatOthersWrite(final String format) throws IOException, InterruptedException {
        final List<byte[]> frames = PcapRig.frames(200, 1);
        final Path text = text("a", frames);
        final Path file = folder.resolve("a." + format);
        PcapRig.run("text2pcap", "-q", "-F", "pcapng", text.toString(), folder.resolve("a.raw").toString());
        PcapRig.run("editcap", "-F", format, folder.resolve("a.raw").toString(), file.toString());
        assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.read(file)));
        final Path packed = folder.resolve("a.gz");
        PcapRig.run("sh", "-c", "gzip -c '" + file + "' > '" + packed + "'");
        assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.read(packed)));
    }

    @Test
    void shouldReadFilesOfSeveralInterfacesAndStamps() throws IOException, InterruptedException {
        final List<byte[]> frames = PcapRig.frames(60, 2);
        final List<String> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final Path part = folder.resolve("part" + i);
            PcapRig.run("text2pcap", "-q", "-t", "%s.%f", "-F", i == 0 ? "pcap" : i == 1 ? "nsecpcap" : "pcapng",
                text("part" + i, frames.subList(20 * i, 20 * i + 20)).toString(), part.toString());
            parts.add(part.toString());
        }
        final Path merged = folder.resolve("merged.pcapng");
        PcapRig.run("mergecap", "-I", "none", "-w", merged.toString(), parts.get(0), parts.get(1), parts.get(2));
        shouldAgreeWithTshark(merged);
        final Path appended = folder.resolve("appended.pcapng");
        PcapRig.run("mergecap", "-a", "-w", appended.toString(), parts.get(0), parts.get(1), parts.get(2));
        assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.read(appended)));
        shouldAgreeWithTshark(appended);
        final Path cut = folder.resolve("cut.pcapng");
        PcapRig.run("editcap", "-s", "70", "-t", "-3600.5", merged.toString(), cut.toString());
        shouldAgreeWithTshark(cut);
        // Concatenates two sections.
        Files.write(folder.resolve("two.pcapng"), Files.readAllBytes(merged));
        Files.write(folder.resolve("two.pcapng"), Files.readAllBytes(cut), StandardOpenOption.APPEND);
        shouldAgreeWithTshark(folder.resolve("two.pcapng"));
    }

    @Test
    void shouldReadWhatTcprewriteWrites() throws IOException, InterruptedException {
        final Path file = folder.resolve("ours.pcap");
        write(file, PcapRig.frames(100, 3), 0);
        final Path other = folder.resolve("tagged.pcap");
        PcapRig.run("tcprewrite", "--infile=" + file, "--outfile=" + other, "--enet-vlan=add", "--enet-vlan-tag=17",
            "--enet-vlan-cfi=0", "--enet-vlan-pri=0", "--enet-dmac=02:00:00:00:00:07");
        assertEquals(100, PcapRig.read(other).size());
        shouldAgreeWithTshark(other);
    }

    @Test
    void shouldPassOverWhatIsNotEthernet() throws IOException, InterruptedException {
        final Path ethernet = folder.resolve("e");
        final Path raw = folder.resolve("r");
        final List<byte[]> frames = PcapRig.frames(20, 4);
        PcapRig.run("text2pcap", "-q", text("e", frames).toString(), ethernet.toString());
        PcapRig.run("text2pcap", "-q", "-l", "101", text("r", PcapRig.frames(7, 5)).toString(), raw.toString());
        final Path merged = folder.resolve("merged.pcapng");
        PcapRig.run("mergecap", "-a", "-w", merged.toString(), raw.toString(), ethernet.toString());
        try (PcapPort port = PcapPort.open(PcapSettings.reading(merged))) {
            assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.drain(port)));
            assertEquals(7, port.counts().get(PortCounter.RX_DROPPED_NOT_ETHERNET));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"o.pcap", "o.pcapng", "o.pcap.gz", "o.pcapng.gz"})
    void shouldWriteWhatOthersRead(final String name) throws IOException, InterruptedException {
        final Path file = folder.resolve(name);
        final List<byte[]> frames = PcapRig.frames(500, 6);
        frames.add(new byte[PcapRig.MAX_BYTES]);
        // Nothing but a header: less is dropped when it is read.
        frames.add(new byte[14]);
        write(file, frames, 1_001);
        final List<String> lines = PcapRig.tshark(file, "frame.md5_hash", "frame.time_epoch");
        assertEquals(PcapRig.hashes(frames), lines.stream().map(line -> line.split("\t")[0]).toList());
        for (int i = 0; i < lines.size(); i++) {
            // One stamp per burst; the clock was read once when the port was opened.
            assertEquals(seconds(EPOCH_NS + 1_001L * (1 + i / 4)), lines.get(i).split("\t")[1]);
        }
        final String infos = String.join("\n", PcapRig.run("capinfos", "-t", "-E", "-c", "-M", file.toString()));
        assertTrue(infos.contains("ether") && infos.contains("502"), infos);
        assertTrue(infos.contains(name.contains("ng") ? "pcapng" : "nsecpcap"), infos);
        if (!name.endsWith(".gz")) {
            final Path rewritten = folder.resolve("rewritten");
            PcapRig.run("tcprewrite", "--infile=" + file, "--outfile=" + rewritten);
            assertEquals(502, PcapRig.read(rewritten).size());
        }
        assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.read(file)));
    }

    @Test
    void shouldMakePacketsThatWiresharkFindsRight() throws IOException, InterruptedException {
        final Path file = folder.resolve("generated.pcapng");
        try (GeneratorPort source = GeneratorPort.open(GeneratorSettings.parse("gen:64-1514B,max,count=400,"
            + "dmac=02:00:00:00:00:00-02:00:00:00:00:09,sport=1000-1006,dip=10.9.8.7-10.9.8.9,flows=13", 2))) {
            write(file, PcapRig.drain(source), 0);
        }
        final List<String> lines = PcapRig.tshark(file, "eth.dst", "eth.src", "ip.dst", "ip.src", "udp.srcport",
            "udp.dstport", "ip.checksum.status", "udp.checksum.status", "_ws.expert");
        assertEquals(400, lines.size());
        for (int i = 0; i < lines.size(); i++) {
            final int flow = i % 13;
            assertEquals("02:00:00:00:00:0" + flow % 10 + "\t02:00:00:00:00:02\t10.9.8." + (7 + flow % 3)
                + "\t10.1.0.2\t" + (1000 + flow % 7) + "\t9\t1\t1\t", lines.get(i), "packet " + i);
        }
    }

    /** Headers, fields and checksums of one packet of each kind, as Wireshark sees them. */
    @Test
    void shouldMakeTemplatesThatWiresharkFindsRight() throws IOException, InterruptedException {
        final List<List<String>> kinds = Stream.of("""
            ip / udp | ethertype:ip:udp
            ipv6 src=fd00::1 dst=fd00::a-fd00::c / tcp dport=81 flags=PA | ethertype:ipv6:tcp
            vlan id=100 pcp=5 / ip dscp=46 / tcp seq=count:7-9 | ethertype:vlan:ethertype:ip:tcp
            vlan id=7 / vlan id=count:1-4094 / ipv6 / udp sport=random:60000-60999 | \
            ethertype:ieee8021ad:ethertype:vlan:ethertype:ipv6:udp
            mpls label=1000 / mpls label=17+19 / ip src=9.9.9.9 / udp | ethertype:mpls:ip:udp
            ip / gre key=5 / ipv6 / tcp | ethertype:ip:gre:ipv6:tcp
            ip / gre / eth / vlan / ip / udp | ethertype:ip:gre:eth:ethertype:vlan:ethertype:ip:udp
            ip / udp / vxlan vni=77 / ip / tcp | ethertype:ip:udp:vxlan:eth:ethertype:ip:tcp
            ipv6 / udp / vxlan / eth dst=02:00:00:00:00:99 / ipv6 / udp | \
            ethertype:ipv6:udp:vxlan:eth:ethertype:ipv6:udp
            ip / sctp dport=3869 ppid=46 | ethertype:ip:sctp""".split("\n"))
            .map(line -> List.of(line.strip().split(" +\\| +"))).toList();
        final Path templates = folder.resolve("templates");
        Files.writeString(templates, "# kinds\n\n" + String.join("\n", kinds.stream().map(List::getFirst).toList()));
        final Path file = folder.resolve("templates.pcapng");
        try (GeneratorPort source = GeneratorPort.open(GeneratorSettings.parse("gen:200-999B,max,count=400,to=3-4,"
            + "template=@" + templates, 2))) {
            write(file, PcapRig.drain(source), 0);
        }
        final List<String> lines = PcapRig.tshark(file, "frame.protocols", "ip.checksum.status", "udp.checksum.status",
            "tcp.checksum.status", "sctp.checksum.status", "vlan.id", "tcp.seq_raw");
        assertEquals(400, lines.size());
        for (int i = 0; i < lines.size(); i++) {
            final String[] fields = lines.get(i).split("\t", -1);
            final int kind = i / 2 % kinds.size();
            final int sequence = i / 20;
            assertTrue(fields[0].startsWith("eth:" + kinds.get(kind).get(1)), lines.get(i));
            // 1 is good, 3 is a checksum that is left out.
            assertTrue(String.join(" ", List.of(fields).subList(1, 5)).matches("(1|1,1| |3)+"), lines.get(i));
            assertTrue(kind != 2 || fields[5].equals("100") && fields[6].equals("" + (7 + sequence % 3)), lines.get(i));
            assertTrue(kind != 3 || fields[5].equals("" + (1 + sequence)), lines.get(i));
        }
    }

    private static void write(final Path file, final List<byte[]> frames, final long stepNs) {
        final long[] now = {-stepNs};
        try (PcapPort port = PcapPort.open(PcapSettings.writing(file), () -> now[0] += stepNs, EPOCH_NS)) {
            PcapRig.send(port, frames);
        }
    }

    /** Compares bytes and stamps of all packets. */
    private static void shouldAgreeWithTshark(final Path file) throws IOException, InterruptedException {
        final List<String> ours = new ArrayList<>();
        try (CaptureReader reader = new CaptureReader(file, true)) {
            while (reader.next()) {
                final CapturedPacket packet = reader.packet();
                ours.add(PcapRig.hashes(List.of(reader.bytes().window().asSlice(packet.place, packet.length)
                    .toArray(ValueLayout.JAVA_BYTE))).getFirst() + "\t" + seconds(packet.stampNs));
            }
            assertEquals("", reader.failure());
        }
        assertEquals(PcapRig.tshark(file, "frame.md5_hash", "frame.time_epoch"), ours);
    }

    private static String seconds(final long stampNs) {
        return stampNs / 1_000_000_000 + "." + String.format("%09d", stampNs % 1_000_000_000);
    }

    private Path text(final String name, final List<byte[]> frames) throws IOException {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < frames.size(); i++) {
            text.append(1_600_000_000 + i * 7).append('.').append(String.format("%06d", i * 1_001)).append('\n');
            final byte[] frame = frames.get(i);
            for (int at = 0; at < frame.length; at += 16) {
                text.append(String.format("%06x", at));
                for (int b = at; b < Math.min(frame.length, at + 16); b++) {
                    text.append(String.format(" %02x", frame[b]));
                }
                text.append('\n');
            }
            text.append('\n');
        }
        return Files.writeString(folder.resolve(name + ".txt"), text);
    }
}
