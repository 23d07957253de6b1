package dev.skerry.tools.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders.FieldRange;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.GeneratorSettings.PacketSizes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class GeneratorSettingsTest {
    @Test
    void shouldReadTheShortForm() {
        final GeneratorSettings settings = GeneratorSettings.parse("gen:64B,1Mpps,to=3", 2);
        assertEquals(new PacketSizes.Fixed(64), settings.sizes());
        assertEquals(new PacketRate.Packets(1e6), settings.rate());
        assertEquals(new FlowHeaders(FieldRange.of(0x020000000002L), FieldRange.of(0x020000000003L),
            FieldRange.of(0x0A010002), FieldRange.of(0x0A010003), FieldRange.of(9), FieldRange.of(9), 1, false),
            settings.headers());
        assertEquals(2, settings.id());
        assertEquals(GeneratorSettings.ENDLESS, settings.count());
        assertEquals(settings,
            GeneratorSettings.parse("gen:to=3,from=2,burst=1,seed=1,id=2,sport=9,order=sequence", 7));
        assertEquals(FieldRange.of(0x01020304),
            GeneratorSettings.parse("gen:dip=1.2.3.4,to=3", 2).headers().destinationIp());
        assertEquals(settings, GeneratorSettings.parse("gen:to=3", 2));
    }

    @Test
    void shouldSendElsewhereUnlessTold() {
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
        assertEquals(new PacketRate.Line(2.5, 1e11), settings.rate());
        assertEquals(new FlowHeaders(FieldRange.of(0xFFFFFFFFFFFFL), new FieldRange(0x02000000000AL, 0x02000000000FL),
            new FieldRange(0x0A0000FF, 0x0A000102), FieldRange.of(0x01020304), FieldRange.of(9),
            new FieldRange(0, 65_535), 7, true), settings.headers());
        assertEquals(0x0A000100, settings.headers().sourceIp().at(5));
        assertEquals(32, settings.burst());
        assertEquals(5, settings.count());
        assertEquals(3_600_000_000_000L, settings.afterNs());
        assertEquals(-3, settings.seed());
        assertEquals(65_535, settings.id());
    }

    @ParameterizedTest
    @CsvSource({"10pps, 10", "1.5kpps, 1500", "3Mpps, 3e6", "1Gpps, 1e9"})
    void shouldReadRatesOfPackets(final String text, final double rate) {
        assertEquals(new PacketRate.Packets(rate), GeneratorSettings.parse("gen:" + text, 0).rate());
    }

    @ParameterizedTest
    @CsvSource({"1000bps, 1e3", "64kbps, 64e3", "10Mbit/s, 1e7", "2.5Gbps, 2.5e9", "10Tbps, 1e13"})
    void shouldReadRatesOfBits(final String text, final double rate) {
        assertEquals(new PacketRate.Bits(rate), GeneratorSettings.parse("gen:imix," + text, 0).rate());
    }

    /** A range of nodes leaves out the port itself: packets do not go back to where they came from. */
    @ParameterizedTest
    @CsvSource({"0-7, 0, 0, 1234567", "0-7, 3, 0, 0124567", "0-7, 7, 0, 0123456", "1-3, 0, 0, 123", "3-3, 3, 0, 3",
        "0-2, 1, 1, 012"})
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

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "gen:63B|bytes must be 64 to 16384: bytes=63",
        "gen:64-16385B|bytes must be 64 to 16384",
        "gen:64-100B,same|packets that are all alike have one size: same sizes=Uniform[least=64, most=100]",
        "gen:same,same|repeats an earlier setting",
        "gen:100-64B|sizes must go up",
        "gen:64|no such part: '64'",
        "gen:64B,imix|repeats an earlier",
        "gen:1Mpps,max|repeats an earlier",
        "gen:0pps|packets per second must be",
        "gen:2Gpps|packets per second must be",
        "gen:1bps|bits per second must be",
        "gen:50%|needs line=RATE",
        "gen:0%,line=1Gbps|a rate is like",
        "gen:101%,line=1Gbps|percent must be",
        "gen:1Gbps,line=1Gbps|line is for a rate in %",
        "gen:50%,line=1Mpps|line is like 100Gbps",
        "gen:to=|to must be a value or FIRST-LAST",
        "gen:to=-1|to must be a value",
        "gen:to=5-3|a range must go up",
        "gen:to=1-2-3|to must be a value",
        "gen:to=999999999|a node must be below",
        "gen:dip=1.2.3.256|must be an IPv4 address",
        "gen:dip=1.2.3|dip must be a value",
        "gen:dmac=02:00:00:00:00|dmac must be a value",
        "gen:dport=65536|destination port must be below 2^16",
        "gen:to=0-4097|needs 4097 flows",
        "gen:flows=0|flows must be a whole number",
        "gen:burst=0|burst must be",
        "gen:count=0|count must be",
        "gen:after=3601|after must be a whole number from 0 to 3600",
        "gen:id=65536|id must be",
        "gen:order=shuffled|order must be sequence or random",
        "gen:mtu=3|no such part: 'mtu=3'",
    })
    void shouldRefuseInOneLine(final String text, final String why) {
        final String message = assertThrows(InputException.class, () -> GeneratorSettings.parse(text, 0)).getMessage();
        assertTrue(message.startsWith("skerry: gen: " + text + ": ") && message.contains(why), message);
        assertEquals(1, message.lines().count());
    }
}
