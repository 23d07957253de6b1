package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

@Isolated("it limits the size of every file of the process")
final class PcapPortTest {
    private static final Path FULL = Path.of("/dev/full");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"a.pcap", "a.pcapng", "a.pcap.gz", "a.pcapng.gz", "a"})
    void shouldReadWhatItWrote(final String name) throws IOException {
        final Path file = folder.resolve(name);
        final List<byte[]> frames = PcapRig.frames(3_000, 1);
        final PcapPort port = PcapPort.open(PcapSettings.parse("pcap:" + file));
        PcapRig.send(port, frames);
        assertEquals(List.of(name + ".partial"), names());
        assertTrue(port.isExhausted());
        port.close();
        port.close();
        assertEquals("", port.failure());
        assertEquals(List.of(name), names());
        assertEquals(PcapRig.hashes(frames), PcapRig.hashes(PcapRig.read(file)));
        assertEquals(3_000, port.counts().get(PortCounter.TX_PACKETS));
        assertEquals(frames.stream().mapToLong(frame -> frame.length).sum(), port.counts().get(PortCounter.TX_BYTES));
    }

    @Test
    void shouldReadAndWriteAtOnceAndPlayAgain() throws IOException {
        final Path in = write("in.pcap", PcapRig.frames(10, 2));
        final Path out = folder.resolve("out.pcapng");
        final List<byte[]> packets;
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in=" + in + ",out=" + out + ",loops=3"))) {
            packets = PcapRig.drain(port);
            assertEquals(30, packets.size());
            assertTrue(port.isExhausted() && port.isUp());
            PcapRig.send(port, packets);
        }
        assertEquals(PcapRig.hashes(packets), PcapRig.hashes(PcapRig.read(out)));
    }

    @Test
    void shouldPlayPackedFilesAgain() throws IOException {
        final Path in = write("in.pcapng.gz", PcapRig.frames(1_000, 3));
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in=" + in + ",loops=4"))) {
            final List<String> once = PcapRig.hashes(PcapRig.frames(1_000, 3));
            assertEquals(Stream.of(once, once, once, once).flatMap(List::stream).toList(),
                PcapRig.hashes(PcapRig.drain(port)));
            assertEquals("", port.failure());
        }
    }

    @Test
    void shouldEndAnEndlessLoopOverNothingAndCountWhatItHasNoFileFor() {
        final Path in = write("in.pcap", List.of());
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in=" + in + ",loops=forever"))) {
            assertEquals(List.of(), PcapRig.drain(port));
            assertTrue(port.isExhausted());
            PcapRig.send(port, PcapRig.frames(5, 5));
            assertEquals(5, port.counts().get(PortCounter.TX_DROPPED_LOST));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1000", "2, 500", "0.5, 2000"})
    void shouldKeepTheDistancesOfTheStamps(final String speed, final long stepNs) throws IOException {
        final Path in = folder.resolve("in.pcap");
        final long[] now = {0};
        try (PcapPort port = PcapPort.open(PcapSettings.writing(in), () -> now[0], 5_000)) {
            for (final byte[] frame : PcapRig.frames(5, 4)) {
                PcapRig.send(port, List.of(frame));
                now[0] += 1_000;
            }
        }
        now[0] = 77;
        try (PcapPort port = PcapPort.open(
                PcapSettings.parse("pcap:in=" + in + ",loops=2,speed=" + speed), () -> now[0], 0)) {
            assertEquals(1, PcapRig.drain(port).size());
            for (int i = 1; i < 10; i++) {
                // The second round starts where the first ends.
                if (i != 5) {
                    now[0] += stepNs - 1;
                    assertEquals(0, PcapRig.drain(port).size(), "packet " + i);
                    now[0]++;
                }
                assertEquals(i == 4 ? 2 : i == 5 ? 0 : 1, PcapRig.drain(port).size(), "packet " + i);
            }
            assertTrue(port.isExhausted());
        }
    }

    @Test
    void shouldDropWhatTheBurstCannotHold() throws IOException {
        final Path in = write("in.pcap", List.of(new byte[60], new byte[101], new byte[100]));
        try (Arena arena = Arena.ofConfined(); PcapPort port = PcapPort.open(PcapSettings.reading(in))) {
            final PacketBurst burst = new PacketBurst(arena, 4, 100);
            assertEquals(2, port.rxBurst(burst));
            assertEquals("RX_PACKETS=2 RX_BYTES=160 RX_DROPPED_TOO_LONG=1 RX_TOO_LONG_BYTES=101 LINKS_UP=1",
                port.counts().toString());
        }
    }

    @Test
    void shouldNeverWriteOverAFileUnlessTold() throws IOException {
        final Path file = write("a.pcap", PcapRig.frames(5, 6));
        final String message = assertThrows(InputException.class,
            () -> PcapPort.open(PcapSettings.parse("pcap:" + file))).getMessage();
        assertEquals("skerry: pcap: " + file + ": already exists and is not overwritten, write pcap:in=FILE to read "
            + "it, pcap:out=FILE,overwrite to replace it, or choose another name", message);
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:" + file + ",overwrite"))) {
            assertEquals(5, PcapRig.read(file).size(), "the old one stays until the new one is complete");
            PcapRig.send(port, PcapRig.frames(6, 6));
        }
        assertEquals(6, PcapRig.read(file).size());
        assertEquals(List.of("a.pcap"), names());
    }

    @Test
    void shouldLeaveAFileThatTookItsNameAlone() throws IOException {
        final Path file = folder.resolve("a.pcap");
        final PcapPort one = PcapPort.open(PcapSettings.writing(file));
        final PcapPort two = PcapPort.open(PcapSettings.writing(file));
        PcapRig.send(one, PcapRig.frames(1, 7));
        PcapRig.send(two, PcapRig.frames(2, 7));
        one.close();
        two.close();
        assertEquals("", one.failure());
        assertTrue(two.failure().contains("its name now belongs to another file"), two.failure());
        assertEquals(1, PcapRig.read(file).size());
        assertEquals(2, PcapRig.read(folder.resolve("a.pcap-2.partial")).size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"pcap", "pcapng"})
    void shouldEndWhenTheDiskIsFull(final String format) throws IOException {
        assumeTrue(Files.isWritable(FULL), "there is no device that is always full");
        try (Arena arena = Arena.ofConfined();
            PcapPort port = PcapPort.open(PcapSettings.parse("pcap:out=" + FULL + ",format=" + format))) {
            final PacketBurst burst = new PacketBurst(arena, 32, 1514);
            PcapRig.frames(32, 8).forEach(frame -> PcapRig.add(burst, frame));
            long taken = 0;
            while (port.isUp()) {
                taken += port.txBurst(burst, 0);
            }
            assertEquals(0, port.txBurst(burst, 0));
            assertEquals(List.of(0L, 0L, taken), Stream.of(PortCounter.TX_PACKETS, PortCounter.TX_BYTES,
                PortCounter.TX_DROPPED_LOST).map(port.counts()::get).toList());
            assertEquals("skerry: pcap: /dev/full: writing failed (No space left on device), free space or choose "
                + "another place; the file keeps what was written", port.failure());
        }
    }

    /** For any limit, the file ends after the last whole packet that fits, and the counters say which. */
    @ParameterizedTest
    @ValueSource(strings = {"pcap", "pcapng"})
    @EnabledOnOs(OS.LINUX)
    void shouldKeepTheWholePacketsThatFitted(final String format) throws IOException {
        final List<byte[]> frames = PcapRig.frames(1_000, 11);
        final List<String> hashes = PcapRig.hashes(frames);
        for (int round = 0; round < 40; round++) {
            final Path file = folder.resolve(round + "." + format);
            final long size = round < 20 ? round * 9L : 300_000 + round * 37L;
            final PcapPort port = PcapPort.open(PcapSettings.writing(file));
            try (FileSizeLimit _ = new FileSizeLimit(size); port; Arena arena = Arena.ofConfined()) {
                final PacketBurst burst = new PacketBurst(arena, 1, 1514);
                for (int i = 0; i < frames.size() && port.isUp(); i++) {
                    burst.clear();
                    PcapRig.add(burst, frames.get(i));
                    port.txBurst(burst, 0);
                }
            }
            assertFalse(port.failure().isEmpty());
            final Path partial = folder.resolve(round + "." + format + ".partial");
            assertTrue(Files.size(partial) <= size, "size=" + size);
            final int kept = (int) port.counts().get(PortCounter.TX_PACKETS);
            if (Files.size(partial) > 0) {
                assertEquals(hashes.subList(0, kept), PcapRig.hashes(PcapRig.read(partial)), "size=" + size);
                assertTrue(size - Files.size(partial) < 1_600 || Files.size(partial) < 100, "size=" + size);
            } else {
                assertEquals(0, kept);
            }
        }
    }

    /** No file is longer than said, together they have all packets, and the last ones stay. */
    @ParameterizedTest
    @ValueSource(strings = {"a.pcap", "a.pcapng", "a.pcap.gz"})
    void shouldBeginANewFileForASizeOrATime(final String name) throws IOException {
        final List<byte[]> frames = PcapRig.frames(2_000, 10);
        for (final int keep : new int[] {1_000, 3}) {
            try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:" + folder.resolve(keep + name)
                    + ",rotate=200kB,keep=" + keep))) {
                PcapRig.send(port, frames);
            }
            final List<String> hashes = new ArrayList<>();
            for (final String file : names().stream().filter(file -> file.startsWith("" + keep)).toList()) {
                hashes.addAll(PcapRig.hashes(PcapRig.read(folder.resolve(file))));
                assertTrue(name.endsWith("gz") || Files.size(folder.resolve(file)) <= 200_000, file);
            }
            final List<String> all = PcapRig.hashes(frames);
            assertEquals(keep == 3 ? all.subList(all.size() - hashes.size(), all.size()) : all, hashes);
        }
        assertEquals(3, names().stream().filter(file -> file.startsWith("3")).count());
        assertTrue(names().contains("1000a_00001" + name.substring(1)));
        final long[] now = {0};
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:" + folder.resolve(name) + ",rotate=10s,snap=60"),
                () -> now[0], 0)) {
            for (int seconds = 0; seconds < 15; seconds += 6) {
                now[0] = seconds * 1_000_000_000L;
                PcapRig.send(port, frames.subList(seconds, seconds + 1));
            }
            now[0] = 30_000_000_000L;
            assertEquals(1, port.poll(now[0]));
            while (!names().contains("a_00002" + name.substring(1))) {
                Thread.onSpinWait();
            }
        }
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in="
                + folder.resolve("a_00001" + name.substring(1)) + ",cut=pad"))) {
            final List<byte[]> packets = PcapRig.drain(port);
            assertEquals(2, packets.size());
            assertArrayEquals(Arrays.copyOf(Arrays.copyOf(frames.get(6), 60), frames.get(6).length), packets.get(1));
        }
    }

    /** Several files are read in turn, at a rate, and a filter leaves out what does not match on both ways. */
    @Test
    void shouldPlayFilesAtARateThroughAFilter() throws IOException {
        assumeTrue(hasFilters(), "libpcap is not installed");
        final Path in = folder.resolve("in.pcap");
        final List<byte[]> packets;
        try (GeneratorPort source = GeneratorPort.open(GeneratorSettings.parse("gen:100B,max,sport=1-10,count=100", 0));
            PcapPort port = PcapPort.open(PcapSettings.writing(in))) {
            packets = PcapRig.drain(source);
            PcapRig.send(port, packets);
        }
        final Path other = write("other.pcap", PcapRig.frames(7, 11));
        final long[] now = {500};
        final Path out = folder.resolve("out.pcap");
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:in=" + in + ",in=" + other + ",in=" + in
                + ",loops=2,rate=1Mpps,out=" + out + ",filter=udp and (src port 3 or src port 7)"), () -> now[0], 0)) {
            assertEquals(1, PcapRig.drain(port).size());
            now[0] += 2_999;
            assertEquals(2, PcapRig.drain(port).size());
            now[0] += 1_000_000;
            assertEquals(77, PcapRig.drain(port).size());
            assertTrue(port.isExhausted());
            assertEquals(334, port.counts().get(PortCounter.RX_FILTERED));
            PcapRig.send(port, packets);
            assertEquals(80, port.counts().get(PortCounter.TX_FILTERED));
            assertEquals(20, port.counts().get(PortCounter.TX_PACKETS));
        }
        assertEquals(20, PcapRig.read(out).size());
        assertTrue(assertThrows(InputException.class, () -> PcapPort.open(PcapSettings.parse("pcap:in=" + in
            + ",filter=udp prot 3"))).getMessage().startsWith("skerry: filter: udp prot 3: "));
        // What libpcap would compile until the stack overflows.
        final String most = "port 1" + "||2".repeat((2_048 - 6) / 3);
        PacketFilter.compile(most);
        assertTrue(assertThrows(InputException.class, () -> PacketFilter.compile(most + "||2||2")).getMessage()
            .contains("maximum is 2048"));
    }

    private static boolean hasFilters() {
        try {
            return PacketFilter.compile("ip") != null;
        } catch (final InputException e) {
            return false;
        }
    }

    @Test
    void shouldFlushNowAndThen() throws IOException {
        final Path file = folder.resolve("a.pcap");
        final long[] now = {0};
        try (PcapPort port = PcapPort.open(PcapSettings.writing(file), () -> now[0], 0)) {
            PcapRig.send(port, PcapRig.frames(3, 9));
            final Path partial = folder.resolve("a.pcap.partial");
            assertEquals(0, port.poll(0));
            assertEquals(0, Files.size(partial));
            now[0] = 1_000_000_000;
            assertEquals(1, port.poll(now[0]));
            while (port.unread() > 0) {
                Thread.onSpinWait();
            }
            assertEquals(3, PcapRig.read(partial).size());
            assertEquals(0, port.poll(now[0]));
        }
    }

    @Test
    void shouldSurviveAFileThatIsCutWhileItIsRead() throws IOException {
        final Path file = write("a.pcap", PcapRig.frames(2_000, 10));
        try (Arena arena = Arena.ofConfined(); PcapPort port = PcapPort.open(PcapSettings.reading(file))) {
            final PacketBurst burst = new PacketBurst(arena, 32, 1514);
            assertEquals(32, port.rxBurst(burst));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(50_000);
            }
            PcapRig.drain(port);
            assertTrue(port.isExhausted());
            assertTrue(port.failure().contains("the file ends within"), port.failure());
        }
    }

    private Path write(final String name, final List<byte[]> frames) {
        final Path file = folder.resolve(name);
        try (PcapPort port = PcapPort.open(PcapSettings.writing(file))) {
            PcapRig.send(port, frames);
        }
        return file;
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** Ten packets of 1,500 bytes of which a snap length kept 60. */
    @ParameterizedTest
    @CsvSource({"'', 10, 60, 0", "',cut=send', 10, 60, 0", "',cut=pad', 10, 1500, 0", "',cut=skip', 0, 0, 10"})
    void shouldCountWhatASnapLengthHasCut(final String cut, final int packets, final int length, final int dropped)
        throws IOException {
        final CaptureBuilder capture = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        capture.classic(0xA1B2C3D4);
        for (int i = 0; i < 10; i++) {
            capture.record(i, 0, PcapRig.frames(1, i).getFirst(), 1_500);
        }
        try (PcapPort port = open("a,b.pcap", capture, cut)) {
            final List<byte[]> read = PcapRig.drain(port);
            assertEquals(packets, read.size());
            for (int i = 0; i < packets; i++) {
                final byte[] expected = Arrays.copyOf(PcapRig.frames(1, i).getFirst(), length);
                assertArrayEquals(expected, read.get(i));
            }
            assertEquals(10, port.counts().get(PortCounter.RX_CUT));
            assertEquals(dropped, port.counts().get(PortCounter.RX_DROPPED_CUT));
        }
    }

    @Test
    void shouldNeverSendWhatIsOddWithoutCounting() throws IOException {
        final CaptureBuilder capture = new CaptureBuilder(ByteOrder.BIG_ENDIAN);
        capture.classic(0xA1B2C3D4);
        for (int length = 1; length <= 16; length++) {
            capture.record(0, 0, new byte[length]);
        }
        capture.record(0, 0, new byte[100], 60);
        try (PcapPort port = open("odd.pcap", capture, "")) {
            assertEquals(List.of(14, 15, 16, 100), lengths(port));
            assertEquals(13, port.counts().get(PortCounter.RX_DROPPED_NOT_ETHERNET));
            assertEquals(1, port.counts().get(PortCounter.RX_ODD_LENGTH));
            assertEquals(0, port.counts().get(PortCounter.RX_CUT));
        }
    }

    /** A pcapng may have interfaces of other types, but one without any Ethernet frame is the wrong file. */
    @Test
    void shouldFailWhereNoPacketIsEthernet() throws IOException {
        for (final boolean isMixed : new boolean[] {false, true}) {
            final CaptureBuilder capture = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
            capture.section();
            capture.face(101, 6);
            capture.face(1, 6);
            for (int packet = 0; packet < 10; packet++) {
                capture.enhanced(isMixed && packet == 4 ? 1 : 0, 0, new byte[60]);
            }
            try (PcapPort port = open("raw.pcapng", capture, "")) {
                assertEquals(isMixed ? 1 : 0, PcapRig.drain(port).size());
                assertEquals(isMixed ? 9 : 10, port.counts().get(PortCounter.RX_DROPPED_NOT_ETHERNET));
                assertEquals(!isMixed, port.failure().contains("instead of Ethernet"), port.failure());
            }
        }
    }

    /** The second packet is cut within its check sequence, the third before it. */
    @Test
    void shouldLeaveOutACheckSequenceThatTheCaptureDeclares() throws IOException {
        final CaptureBuilder capture = new CaptureBuilder(ByteOrder.LITTLE_ENDIAN);
        capture.classicWithFcs();
        capture.record(0, 0, new byte[64], 64);
        capture.record(0, 0, new byte[62], 64);
        capture.record(0, 0, new byte[50], 64);
        try (PcapPort port = open("fcs.pcap", capture, "")) {
            assertEquals(List.of(60, 60, 50), lengths(port));
            assertEquals(1, port.counts().get(PortCounter.RX_CUT));
        }
    }

    /** epb_flags of a packet say in four bits how long its check sequence is, 0 that it does not say so. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLeaveOutACheckSequenceThatThePacketDeclares(final boolean little) throws IOException {
        final CaptureBuilder capture = new CaptureBuilder(little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        capture.section();
        capture.face(1, 6);
        capture.flagged(0, new byte[65], 65, 4 << 5 | 1);
        capture.flagged(0, new byte[65], 65, 1);
        capture.flagged(0, new byte[62], 65, 4 << 5);
        capture.flagged(0, new byte[50], 65, 4 << 5);
        capture.enhanced(0, 0, new byte[64]);
        try (PcapPort port = open("fcs.pcapng", capture, "")) {
            assertEquals(List.of(61, 65, 61, 50, 64), lengths(port));
            assertEquals(1, port.counts().get(PortCounter.RX_CUT));
            assertEquals("", port.failure());
        }
    }

    /** The file that a symbolic link names is replaced, not the link; so is a file that is not there yet. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(booleans = {true, false})
    void shouldWriteWhereALinkLeads(final boolean exists) throws IOException {
        final Path inside = Files.createDirectory(folder.resolve("inside"));
        final Path file = exists ? write("inside/a.pcap", PcapRig.frames(5, 6)) : inside.resolve("a.pcap");
        final Path link = Files.createSymbolicLink(folder.resolve("link.pcap"), Path.of("inside/a.pcap"));
        try (PcapPort port = PcapPort.open(PcapSettings.parse("pcap:" + link + (exists ? ",overwrite" : "")))) {
            PcapRig.send(port, PcapRig.frames(6, 6));
            assertEquals(List.of("inside", "link.pcap"), names());
        }
        assertTrue(Files.isSymbolicLink(link));
        assertEquals(6, PcapRig.read(file).size());
        try (Stream<Path> left = Files.list(inside)) {
            assertEquals(List.of(file), left.toList());
        }
    }

    /** Bytes of a FIFO come in pieces that cut headers and packets; plain and compressed. */
    @ParameterizedTest
    @EnabledOnOs(OS.LINUX)
    @ValueSource(strings = {"a.pcap", "a.pcapng", "a.pcap.gz"})
    @Timeout(60)
    void shouldReadAFifo(final String name) throws Exception {
        final List<byte[]> frames = PcapRig.frames(300, 7);
        final byte[] bytes = Files.readAllBytes(write(name, frames));
        final Path fifo = folder.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        try (PcapPort port = PcapPort.open(PcapSettings.reading(fifo))) {
            assertEquals(List.of(), PcapRig.drain(port));
            assertFalse(port.isExhausted());
            final Thread writer = new Thread(() -> {
                try (OutputStream out = Files.newOutputStream(fifo)) {
                    for (int at = 0; at < bytes.length; at += 1_001) {
                        out.write(bytes, at, Math.min(1_001, bytes.length - at));
                    }
                } catch (final IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            writer.start();
            final List<byte[]> read = new ArrayList<>();
            while (!port.isExhausted()) {
                read.addAll(PcapRig.drain(port));
            }
            writer.join();
            assertEquals("", port.failure());
            assertEquals(PcapRig.hashes(frames), PcapRig.hashes(read));
        }
        assertTrue(assertThrows(InputException.class, () -> PcapPort.open(PcapSettings.parse("pcap:in=" + fifo
            + ",loops=2"))).getMessage().contains("can be read only once"));
        assertEquals(Path.of("/dev/stdin"), PcapSettings.parse("pcap:in=-").input().files().getFirst());
    }

    private static List<Integer> lengths(final PcapPort port) {
        return PcapRig.drain(port).stream().map(packet -> packet.length).toList();
    }

    private PcapPort open(final String name, final CaptureBuilder capture, final String more) throws IOException {
        final Path file = Files.write(folder.resolve(name), capture.bytes());
        return PcapPort.open(PcapSettings.parse("pcap:in=" + file.toString().replace(",", "\\,") + more));
    }
}
