package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.DevicePort.TapPort.TapSettings;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders.FieldRange;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.GeneratorSettings.PacketSizes;
import dev.skerry.tools.port.InterfacePort.InterfaceSettings;
import dev.skerry.tools.port.LoopPort.LoopSettings;
import dev.skerry.tools.port.MemifPort.MemifAddress;
import dev.skerry.tools.port.MemifPort.MemifAddress.MemifRole;
import dev.skerry.tools.port.PcapPort.PcapSettings;
import dev.skerry.tools.port.PcapPort.PcapSettings.CaptureFormat;
import dev.skerry.tools.port.PcapPort.PcapSettings.Input;
import dev.skerry.tools.port.PcapPort.PcapSettings.Output;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** What ports are told, in the texts of {@code --port}. */
final class PortSettingsTest {
    private static Object parse(final String kind, final String text) {
        return switch (kind) {
            case "memif" -> MemifAddress.parse(text);
            case "tap" -> TapSettings.parse(text);
            case "packet" -> InterfaceSettings.parse(text);
            case "gen" -> GeneratorSettings.parse(text, 0);
            case "loop" -> LoopSettings.parse(text);
            default -> PcapSettings.parse(text);
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
        memif | tap:/run/x.sock,server | does not start with memif:
        memif | memif:,server | path must be 1 to 107 bytes
        memif | memif:/run/x.sock | neither server nor client
        memif | memif:/run/x.sock,server,client | repeats an earlier
        memif | memif:/run/x.sock,server,id=1,id=2 | repeats an earlier
        memif | memif:/run/x.sock,server,id= | id must be a whole number from 0 to 4294967295: id=
        memif | memif:/run/x.sock,server,id=-1 | id must be a whole number
        memif | memif:/run/x.sock,server,id=4294967296 | id must be a whole number
        memif | memif:/run/x.sock,server,ring=0 | ring must be 1 to 14: ring=0
        memif | memif:/run/x.sock,server,ring=15 | ring must be 1 to 14: ring=15
        memif | memif:/run/x.sock,server,buffer=63 | buffer must be 64 to 65536
        memif | memif:/run/x.sock,server,ring=14,buffer=65536 | exceed 1 GiB
        memif | memif:/run/x.sock,server,line=32 | line must be 64 or 128
        memif | memif:@x,client | looks like an abstract socket, which is written memif:x,client,abstract
        memif | memif:/run/x.sock,server,slots=4 | there is no such part: 'slots=4'
        memif | memif:/run/x.sock,server,,id=4 | a part is empty
        memif | memif:/run/x.sock,server,secret=123456789012345678901234 | secret must be at most 23 bytes
        tap | tap | it names no device, write tap:
        tap | tap: | it names no device, write tap:
        tap | tap:0123456789abcdef | the name of an interface has at most 15 characters: '0123456789abcdef', write tap:
        tap | tap:a/b | 'a/b' is not the name of an interface, write tap:
        tap | tap:tap%d | 'tap%d' is not the name of an interface, write tap:
        tap | tap:eth0:1 | 'eth0:1' is not the name of an interface, write tap:
        tap | tap:.. | '..' is not the name of an interface, write tap:
        tap | tap:a b | 'a b' is not the name of an interface, write tap:
        tap | tap:\u00e9 | '\u00e9' is not the name of an interface, write tap:
        tap | tap:a,up | there is no such part: 'up', write tap:
        packet | packet | it names no interface, write packet:
        packet | packet:ring=16 | 'ring=16' is not the name of an interface, write packet:
        packet | packet:a,ring=3 | ring must be a whole number from 4 to 1024: ring=3, write packet:
        packet | packet:a,promisc=yes | promisc must be on or off: promisc=yes, write packet:
        packet | packet:a,promisc=on,promisc=on | 'promisc=on' repeats an earlier setting, write packet:
        gen | gen:63B | bytes must be 64 to 16384: bytes=63
        gen | gen:64-16385B | bytes must be 64 to 16384
        gen | gen:64-100B,same | identical packets have one size: same sizes=Uniform[least=64, most=100]
        gen | gen:same,same | repeats an earlier setting
        gen | gen:100-64B | sizes must ascend
        gen | gen:64 | no such part: '64'
        gen | gen:64B,imix | repeats an earlier
        gen | gen:imix=64 | imix must be sizes and weights
        gen | gen:imix=63:1/64:1 | bytes must be 64 to 16384
        gen | gen:imix=64:9999/65:2 | weights must be 10000 at most
        gen | gen:64B,template=ipv6 / tcp | packets of its templates must have at least 98 bytes
        gen | gen:64B,same,template=udp | in the template 'udp': udp cannot follow eth, which is followed by vlan, mpls
        gen | gen:same,template=ip | packets of templates cannot be identical: same
        gen | gen:template=gre / ip | gre cannot follow eth
        gen | gen:template=ip / tcp / udp | udp cannot follow tcp,
        gen | gen:template=ip / gre | gre needs a header after it
        gen | gen:template=arp | there is no header 'arp', write eth, vlan
        gen | gen:template=vlan id=4096 | vlan id=4096: id must be below 2^12
        gen | gen:template=vlan id=1 id=2 | id=2: id is given twice
        gen | gen:template=ip nat | ip has no field 'nat', write dscp=, ecn=
        gen | gen:template=ip src=1.2.3 | src must be a value
        gen | gen:template=ipv6 src=2001::1-2002::1 | src can vary only in its last 32 bits
        gen | gen:template=@/no/such | its file of templates cannot be read
        gen | gen:1Mpps,max | repeats an earlier
        gen | gen:0pps | packets per second must be
        gen | gen:2Gpps | packets per second must be
        gen | gen:1bps | bits per second must be
        gen | gen:50% | needs line=RATE
        gen | gen:0%,line=1Gbps | the rate must be like
        gen | gen:101%,line=1Gbps | percent must be
        gen | gen:1Gbps,line=1Gbps | line= applies only to a rate in %
        gen | gen:50%,line=1Mpps | line must be like 100Gbps
        gen | gen:to= | to must be a value, FIRST-LAST
        gen | gen:to=-1 | to must be a value
        gen | gen:to=5-3 | to must ascend
        gen | gen:to=1-2-3 | to must be a value
        gen | gen:to=999999999 | a node must be below
        gen | gen:dip=1.2.3.256 | must be an IPv4 address
        gen | gen:dip=1.2.3 | dip must be a value
        gen | gen:dmac=02:00:00:00:00 | dmac must be a value
        gen | gen:dport=65536 | destination port must be below 2^16
        gen | gen:to=0-4097 | needs 4097 flows
        gen | gen:flows=0 | flows must be a whole number
        gen | gen:burst=0 | burst must be
        gen | gen:count=0 | count must be
        gen | gen:after=3601 | after must be a whole number from 0 to 3600
        gen | gen:id=65536 | id must be
        gen | gen:order=shuffled | order must be sequence or random
        gen | gen:mtu=3 | no such part: 'mtu=3'
        loop | loops | does not start with loop:
        loop | loop:packets=0 | packets must be a whole number from 1 to 1048576: packets=0
        loop | loop:packets=2000000 | packets must be
        loop | loop:bytes=63 | bytes must be
        loop | loop:bytes | bytes must be
        loop | loop:size=4 | no such part: 'size=4'
        loop | loop:packets=1,packets=2 | repeats an earlier
        loop | loop:packets=1, | a part is empty
        pcap | pcap | names no file
        pcap | pcap: | names no file
        pcap | pcap:in= | in names no file
        pcap | pcap:a,out=b | repeats an earlier
        pcap | pcap:in=a,in=b,out=b | must not be the same file
        pcap | pcap:in=a,speed=1,rate=1kpps | speed and rate exclude each other
        pcap | pcap:in=a,rate=fast | the rate must be like 1Mpps, 10Gbps or max: fast
        pcap | pcap:a,rotate=10 | rotate must be a size or a time
        pcap | pcap:a,keep=2 | keep requires rotate=
        pcap | pcap:a,snap=13 | snap must be a whole number from 14
        pcap | pcap:in=a,out=./a | must not be the same file
        pcap | pcap:in=a,b | no such part: 'b'
        pcap | pcap:out=a,loops=2 | loops is for in=FILE, which is missing
        pcap | pcap:in=a,loops=0 | loops must be a whole number
        pcap | pcap:in=a,speed=0 | speed must be max or
        pcap | pcap:in=a,speed=NaN | speed must be max or
        pcap | pcap:in=a,speed=fast | speed must be max or a number: speed=fast
        pcap | pcap:in=a,overwrite | overwrite is for out=FILE
        pcap | pcap:a,overwrite=no | no such part
        pcap | pcap:in=a,format=pcap | format is for out=FILE
        pcap | pcap:a,format=snoop | format must be pcap or pcapng
        pcap | pcapng:a | does not start with pcap:
        """)
    void shouldRefuseInOneLine(final String kind, final String text, final String why) {
        final String message = assertThrows(InputException.class, () -> parse(kind, text)).getMessage();
        // A text of memif may hold the secret, which is not for the log.
        final String start = "skerry: " + kind + ": " + (kind.equals("memif") ? "" : text + ": ");
        assertTrue(message.startsWith(start) && message.contains(why), message);
        assertFalse(message.contains("123456789012"), message);
        assertEquals(1, message.lines().count());
    }

    @Test
    void shouldReadDevicesCapturesAndLoops() {
        assertEquals(new TapSettings("skerry0"), TapSettings.parse("tap:skerry0"));
        assertEquals(new TapSettings("a.b-c_d@15bytes"), TapSettings.parse("tap:a.b-c_d@15bytes"));
        assertEquals(new InterfaceSettings("eth1", true, 16), InterfaceSettings.parse("packet:eth1"));
        final InterfaceSettings all = InterfaceSettings.parse("packet:eth1.7,ring=64,promisc=off");
        assertEquals(new InterfaceSettings("eth1.7", false, 64), all);
        assertEquals(PcapSettings.writing(Path.of("x.pcapng.gz")), PcapSettings.parse("pcap:x.pcapng.gz"));
        assertEquals(CaptureFormat.PCAPNG, PcapSettings.parse("pcap:x.pcapng.gz").output().format());
        assertEquals(PcapSettings.reading(Path.of("x=y")), PcapSettings.parse("pcap:in=x=y,loops=1,speed=max"));
        assertEquals(
            new PcapSettings(new Input(List.of(Path.of("a"), Path.of("c")), PcapSettings.FOREVER, 2.5,
                PacketRate.UNLIMITED, PcapSettings.Cut.PAD), new Output(Path.of("b"), CaptureFormat.PCAPNG, true, 96,
                5_000_000, Output.ENDLESS, 7), "udp port 53"),
            PcapSettings.parse("pcap:in=a,in=c,loops=forever,speed=2.5,cut=pad,out=b,format=pcapng,overwrite,snap=96,"
                + "rotate=5MB,keep=7,filter=udp port 53"));
        assertTrue(PortText.isOne(PcapSettings.KIND, "pcap:a"));
        assertFalse(PortText.isOne(PcapSettings.KIND, "pcapng:a"));
        assertThrows(IllegalArgumentException.class, () -> new LoopSettings(0, 4096));
        assertThrows(IllegalArgumentException.class, () -> new LoopSettings(1, 63));
    }

    @Test
    void shouldReadAnAddressAndPrintItButForTheSecret() {
        assertEquals(new MemifAddress("/run/x.sock", true, MemifRole.CLIENT, -1, 12, 4096, "a=b", 128),
            MemifAddress.parse(
                "memif:/run/x.sock,client,id=4294967295,ring=12,buffer=4096,secret=a=b,line=128,abstract"));
        assertEquals(new MemifAddress("/run/x.sock", false, MemifRole.SERVER, 0, 10, 2048, "", 64),
            MemifAddress.parse("memif:/run/x.sock,server"));
        assertEquals(107, MemifAddress.parse("memif:/" + "x".repeat(106) + ",server").path().length());
        assertTrue(assertThrows(InputException.class,
            () -> MemifAddress.parse("memif:/" + "x".repeat(107) + ",server")).getMessage().contains("107 bytes"));
        final String text = "memif:/run/x.sock,server,id=4000000000,ring=9,buffer=512,abstract";
        assertEquals(text, MemifAddress.parse(text).toString());
        assertFalse(MemifAddress.parse(text + ",secret=hush").toString().contains("hush"));
    }

    @Test
    void shouldTakeASecretFromAFileOrTheEnvironment(@TempDir final Path folder) throws IOException {
        final Path file = Files.writeString(folder.resolve("secret"), "hush\nno more\n");
        final String text = "memif:/run/x.sock,server,secret=";
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals("hush", MemifAddress.parse(text + "@" + file).withSecret().secret());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        for (final String wrong : new String[] {"@" + file, "@" + folder.resolve("none"), "env:SKERRY_NO_SUCH", ""}) {
            final String why =
                assertThrows(InputException.class, () -> MemifAddress.parse(text + wrong)).getMessage();
            assertTrue(why.contains("its secret can't be read") && !why.contains("hush"), why);
            assertTrue(why.contains("secret=@FILE"), why);
        }
    }

    /** What a FIFO or {@code <(command)} says can be read once: by the port that is opened, not by who looks at it. */
    @Test
    @Timeout(60)
    @EnabledOnOs(OS.LINUX)
    void shouldReadASecretFromAFifoOnceAndOnlyWhenAPortIsOpened(@TempDir final Path folder) throws Exception {
        final Path fifo = folder.resolve("fifo");
        assertEquals(0, new ProcessBuilder("mkfifo", "-m", "600", fifo.toString()).start().waitFor());
        final MemifAddress address = MemifAddress.parse("memif:/run/x.sock,server,secret=@" + fifo);
        assertEquals(address, MemifAddress.parse("memif:/run/x.sock,server,secret=@" + fifo));
        final Thread writer = Thread.ofVirtual().start(() -> {
            try {
                Files.writeString(fifo, "hush\n");
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        assertEquals("hush", address.withSecret().secret());
        writer.join();
    }

    @Test
    void shouldReadTheShortForm() {
        final GeneratorSettings settings = GeneratorSettings.parse("gen:64B,1Mpps,to=3", 2);
        assertEquals(new PacketSizes.Fixed(64), settings.sizes());
        assertEquals(PacketRate.packets(1e6), settings.rate());
        assertEquals(new FlowHeaders(FieldRange.of(0x020000000002L), FieldRange.of(0x020000000003L),
            FieldRange.of(0x0A010002), FieldRange.of(0x0A010003), FieldRange.of(9), FieldRange.of(9), 1, false,
            List.of()), settings.headers());
        assertEquals(2, settings.id());
        assertEquals(GeneratorSettings.ENDLESS, settings.count());
        assertEquals(settings,
            GeneratorSettings.parse("gen:to=3,from=2,burst=1,seed=1,id=2,sport=9,order=sequence", 7));
        assertEquals(FieldRange.of(0x01020304),
            GeneratorSettings.parse("gen:dip=1.2.3.4,to=3", 2).headers().destinationIp());
        assertEquals(settings, GeneratorSettings.parse("gen:to=3", 2));
        assertEquals(FieldRange.of(0x020000000001L), GeneratorSettings.parse("gen", 0).headers().destinationMac());
        assertEquals(FieldRange.of(0x020000000000L), GeneratorSettings.parse("gen:", 1).headers().destinationMac());
    }

    @Test
    void shouldReadTheLongForm() {
        final GeneratorSettings settings = GeneratorSettings.parse("gen:64-9000B,2.5%,line=100Gbit/s,"
            + "dmac=02:00:00:00:00:0A-02:00:00:00:00:0f,sip=10.0.0.255-10.0.1.2,dip=1.2.3.4,smac=ff:ff:ff:ff:ff:ff,"
            + "dport=0-65535,flows=7,order=random,burst=32,count=5,after=3600,seed=-3,id=65535",
            0);
        assertEquals(new PacketSizes.Uniform(64, 9000), settings.sizes());
        assertEquals(PacketRate.line(2.5, 1e11), settings.rate());
        assertEquals(new FlowHeaders(FieldRange.of(0xFFFFFFFFFFFFL), new FieldRange(0x02000000000AL, 0x02000000000FL),
            new FieldRange(0x0A0000FF, 0x0A000102), FieldRange.of(0x01020304), FieldRange.of(9),
            new FieldRange(0, 65_535), 7, true, List.of()), settings.headers());
        assertEquals(0x0A000100, settings.headers().sourceIp().at(5));
        assertEquals("32 5 3600000000000 -3 65535", settings.burst() + " " + settings.count() + " "
            + settings.afterNs() + " " + settings.seed() + " " + settings.id());
    }

    @ParameterizedTest
    @CsvSource({"10pps, 10", "1.5kpps, 1500", "3Mpps, 3e6", "1Gpps, 1e9", "1000bps, 1e3", "64kbps, 64e3",
        "10Mbit/s, 1e7", "2.5Gbps, 2.5e9", "10Tbps, 1e13"})
    void shouldReadRates(final String text, final double rate) {
        assertEquals(text.endsWith("pps") ? PacketRate.packets(rate)
            : PacketRate.bits(rate), GeneratorSettings.parse("gen:imix," + text, 0).rate());
    }

    /** A range of nodes leaves out the port itself: packets do not go back to where they came from. */
    @ParameterizedTest
    @CsvSource({"0-7, 0, 0, 1234567", "0-7, 3, 0, 0124567", "0-7, 7, 0, 0123456", "1-3, 0, 0, 123", "3-3, 3, 0, 3",
        "0-2, 1, 1, 012", "1-2+0+5-6, 5, 0, 1206", "4+3, 4, 0, 3"})
    void shouldSendToAllButItself(final String range, final int node, final int number, final String nodes) {
        final FlowHeaders headers = GeneratorSettings.parse("gen:to=" + range, node, number).headers();
        assertEquals(nodes.length(), headers.flows());
        final StringBuilder to = new StringBuilder();
        for (int flow = 0; flow < headers.flows(); flow++) {
            assertEquals(headers.destinationMac().at(flow) & 0xFFFF, headers.destinationIp().at(flow) & 0xFFFF);
            to.append(headers.destinationIp().at(flow) & 0xFFFF);
        }
        assertEquals(nodes, to.toString());
        assertEquals(headers.destinationIp().at(0), headers.destinationIp().at(nodes.length()));
    }

    @Test
    void shouldMakeAFlowOfEachAddress() {
        assertEquals(8, GeneratorSettings.parse("gen:to=0-7", 8).headers().flows());
        assertEquals(100, GeneratorSettings.parse("gen:to=0-7,sport=1-100,max", 0).headers().flows());
        assertTrue(PortText.isOne(GeneratorSettings.KIND, "gen"));
        assertFalse(PortText.isOne(GeneratorSettings.KIND, "generator:"));
    }
}
