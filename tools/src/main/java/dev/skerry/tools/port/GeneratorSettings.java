package dev.skerry.tools.port;

import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders.FieldRange;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Settings of a generator on the command line: {@code gen[:SIZE][,RATE][,KEY=VALUE...]}, for example {@code
 * gen:64B,1Mpps,to=3} or {@code gen:imix,40%,line=100Gbps,to=0-7,burst=32,count=1000000}.
 * <pre>
 *    SIZE      64B | 64-1514B (random) | imix | imix=98:7/594:4/1518:1 (sizes, weights) 64B
 *    RATE      10pps, kpps, Mpps | 10Mbps, kbps, Gbps, Tbps | 50% (with line=) | max    1Mpps
 *    line      rate of the line, 100Gbps                                                (only for %)
 *    to        destination node or nodes, 3 or 0-3+6 without its own: dmac and dip      1; 0 if this is node 1
 *    from      source node or nodes: smac and sip if not given                          this node
 *    dmac smac 02:00:00:00:00:01 or A-B+C       dip sip   10.1.0.1 or A-B+C
 *    dport sport  UDP ports, 9 or 1000-1999                                             9
 *    template  headers, see {@link PacketTemplate}: a text, or @FILE with one a line      Ethernet, IPv4, UDP
 *    flows     1 to 4096: flow f has the f-th address of each range                     the longest range's size,
 *                                                                                        times the templates
 *    order     sequence (flow by flow) | random                                         sequence
 *    burst     packets due at the same time                                             1
 *    same      identical packets in a flow: cheap to generate, cannot be measured
 *    count     total packets                                                            no end
 *    after     delay of the first packet in seconds, 0 to 3600                          0
 *    seed      of random sizes and flows                                                1
 *    id        of the generator in its packets, 0 to 65535                              this node; its
 *                                                                                        further ports: + 256 each
 * </pre>
 * A rate in bit/s counts the bytes of the packets; a share of a line rate adds {@link PacketRate#LINE_OVERHEAD_BYTES}
 * per packet.
 *
 * @param sizes   packet sizes.
 * @param rate    offered rate.
 * @param headers contents of the headers.
 * @param burst   packets due at the same time, 1 to {@link #MAX_BURST}.
 * @param same    whether all packets of a flow are identical. They then have one size, and no sequence number or time.
 * @param count   total packets; {@link #ENDLESS} for no limit.
 * @param afterNs time in ns from the first call for packets until the first packet is due, 0 to {@link #MAX_AFTER_NS}.
 * @param seed    seed of random choices.
 * @param id      id that distinguishes the flows of this generator from those of others, 0 to 65,535.
 */
public record GeneratorSettings(
    PacketSizes sizes, PacketRate rate, FlowHeaders headers, int burst, boolean same, long count, long afterNs,
    long seed, int id
) {
    /** Kind of port on the command line. */
    public static final String KIND = "gen";

    /** Packet count of an endless generator. */
    public static final long ENDLESS = Long.MAX_VALUE;

    /** Maximum number of packets due at the same time. */
    public static final int MAX_BURST = 1 << 16;

    /** Maximum delay of the first packet in ns. */
    public static final long MAX_AFTER_NS = 3_600_000_000_000L;

    /** Default difference between the ids of consecutive ports at a node. */
    static final int IDS_OF_NODES = 1 << 8;

    /** Maximum id. */
    public static final int MAX_ID = 0xFFFF;

    /** Checks the bounds of every component. */
    public GeneratorSettings {
        Bounds.require("burst", burst, 1, MAX_BURST);
        PortText.checkNot(same && !(sizes instanceof PacketSizes.Fixed),
            "identical packets have one size: same sizes=" + sizes);
        final int least = PacketTemplate.leastBytes(headers.templates());
        PortText.checkNot(sizes.least() < least, "packets of its templates must have at least " + least + " bytes");
        PortText.checkNot(same && !headers.templates().isEmpty(), "packets of templates cannot be identical: same");
        Bounds.atLeast("count", count, 1);
        Bounds.require("afterNs", afterNs, 0, MAX_AFTER_NS);
        Bounds.require("id", id, 0, MAX_ID);
    }

    /** Returns the same packets with another rate, number and seed, and without a delay of the first packet. */
    public GeneratorSettings with(final PacketRate otherRate, final long otherCount, final long otherSeed) {
        return new GeneratorSettings(sizes, otherRate, headers, burst, same, otherCount, 0, otherSeed, id);
    }

    /** Tells whether the flows have the id and the destinations of another generator's flows. */
    public boolean continues(final GeneratorSettings other) {
        return id == other.id && same == other.same && headers.flows() == other.headers.flows()
            && IntStream.range(0, headers.flows()).allMatch(flow -> headers.destinationMac().at(flow)
            == other.headers.destinationMac().at(flow));
    }

    /**
     * Parses settings.
     *
     * @param text   text of the command line.
     * @param node   node of the port, 0 to 65,535; the default of source and id.
     * @param number number of the port at its node.
     * @throws InputException if the settings are invalid.
     */
    public static GeneratorSettings parse(final String text, final int node, final int number) {
        return new GeneratorText(text, node, number).read();
    }

    /** Parses settings of the first port of a node. */
    public static GeneratorSettings parse(final String text, final int node) {
        return parse(text, node, 0);
    }

    /** Parses {@link GeneratorSettings}. Can be used once. */
    private static final class GeneratorText {
        private static final String ADVICE = "write gen:64B,1Mpps,to=3 or see gen in skerry live --help";
        private static final Pattern SIZE = Pattern.compile("(\\d{1,9})(?:-(\\d{1,9}))?B");
        private static final Pattern SHARE = Pattern.compile("\\d+(\\.\\d+)?%");
        private static final Pattern MIX = Pattern.compile("(\\d{1,9}):([1-9]\\d{0,3})");
        private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");
        private static final Pattern PLACE = Pattern.compile("(\\d{1,9})\\.([1-9]\\d{0,2})");
        private static final String RATES = "the rate must be like 1Mpps, 10Gbps, 50% or max: ";
        private static final int DISCARD_PORT = 9;
        private static final long SECOND_NS = 1_000_000_000;

        private final PortText line;
        private final int node;
        private final int number;
        private PacketSizes sizes;
        private PacketRate rate;
        private double percent;

        GeneratorText(final String text, final int node, final int number) {
            this.line = new PortText(GeneratorSettings.KIND, text, ADVICE);
            this.node = node;
            this.number = number;
        }

        GeneratorSettings read() {
            return line.read(this::settings);
        }

        private GeneratorSettings settings() {
            final boolean same = line.has("same");
            final String mix = line.value("imix");
            sizes = mix == null ? null : mix.isEmpty() ? PacketSizes.Mix.SIMPLE : mix(mix);
            line.words().forEach(this::word);
            final double lineBps = bits(line.value("line"));
            line.refuseIf(percent != 0 && lineBps == 0, "a rate in % needs line=RATE");
            line.refuseIf(percent == 0 && lineBps != 0, "line= applies only to a rate in %");
            final FlowHeaders headers = headers(line.choice("order", "sequence", "random") == 1);
            final long flows = line.number("flows",
                headers.widest() * Math.max(1, headers.templates().size()), 1, FlowHeaders.MAX_FLOWS);
            line.refuseIf(flows > FlowHeaders.MAX_FLOWS, "its longest range needs " + flows
                + " flows, but flows=N is limited to " + FlowHeaders.MAX_FLOWS);
            return new GeneratorSettings(sizes != null ? sizes : new PacketSizes.Fixed(Math.max(PacketSizes.MIN_BYTES,
                PacketTemplate.leastBytes(headers.templates()))),
                percent != 0 ? PacketRate.line(percent, lineBps) : rate != null ? rate : PacketRate.packets(1e6),
                headers.of((int) flows), (int) line.number("burst", 1, 1, GeneratorSettings.MAX_BURST), same,
                line.number("count", GeneratorSettings.ENDLESS, 1, GeneratorSettings.ENDLESS - 1),
                line.number("after", 0, 0, GeneratorSettings.MAX_AFTER_NS / SECOND_NS) * SECOND_NS,
                line.number("seed", 1, Long.MIN_VALUE, Long.MAX_VALUE),
                (int) line.number("id", node + number * GeneratorSettings.IDS_OF_NODES & GeneratorSettings.MAX_ID, 0,
                    GeneratorSettings.MAX_ID));
        }

        /** Returns the headers for one flow. Explicit addresses take precedence over those of nodes. */
        private FlowHeaders headers(final boolean random) {
            final FieldRange from = range("from", NUMBER, Long::parseLong, null);
            final FieldRange here = from != null ? from : FieldRange.of(node);
            final String to = Objects.toString(line.value("to"), node == 1 ? "0" : "1");
            final Matcher place = PLACE.matcher(to);
            final int port = place.matches() ? Integer.parseInt(place.group(2)) : 0;
            line.refuseIf(port > PortPlace.MOST_NUMBER, "ports of a node are numbered up to " + PortPlace.MOST_NUMBER
                + ": to=" + to);
            final FieldRange nodes = port > 0 ? FieldRange.of(Long.parseLong(place.group(1)))
                : range("to", to, NUMBER, Long::parseLong);
            // A list of nodes excludes the node of this port.
            final FieldRange there = number == 0 && port == 0 ? nodes.but(node) : nodes;
            final FieldRange discard = FieldRange.of(DISCARD_PORT);
            return new FlowHeaders(
                range("smac", PortPlace.MAC, PortPlace::mac, from != null ? FlowHeaders.macOf(here)
                    : FieldRange.of(PortPlace.macOf(node, number))),
                range("dmac", PortPlace.MAC, PortPlace::mac, port > 0
                    ? FieldRange.of(PortPlace.macOf((int) there.first(), port)) : FlowHeaders.macOf(there)),
                range("sip", FieldRange.IP, FieldRange::ip, FlowHeaders.ipOf(here)),
                range("dip", FieldRange.IP, FieldRange::ip, FlowHeaders.ipOf(there)),
                range("sport", NUMBER, Long::parseLong, discard), range("dport", NUMBER, Long::parseLong, discard), 1,
                random, PacketTemplate.read(line.value("template")));
        }

        private FieldRange range(final String key, final Pattern form, final ToLongFunction<String> number,
            final FieldRange usual) {
            final String typed = line.value(key);
            return typed == null ? usual : range(key, typed, form, number);
        }

        private FieldRange range(final String key, final String typed, final Pattern form,
            final ToLongFunction<String> number) {
            try {
                return FieldRange.parse(typed, form, number);
            } catch (final IllegalArgumentException e) {
                throw line.wrong(key + " " + e.getMessage() + ": " + key + "=" + typed);
            }
        }

        private PacketSizes mix(final String typed) {
            final List<Integer> bytes = new ArrayList<>();
            final List<Integer> weights = new ArrayList<>();
            for (final String part : typed.split("/", -1)) {
                final Matcher share = MIX.matcher(part);
                line.refuseIf(!share.matches(), "imix must be sizes and weights from 1 to 9999, for example "
                    + "64:7/590:4/1514:1: imix=" + typed);
                bytes.add(Integer.parseInt(share.group(1)));
                weights.add(Integer.parseInt(share.group(2)));
            }
            return PacketSizes.Mix.of(bytes, weights);
        }

        private void word(final String word) {
            final Matcher size = SIZE.matcher(word);
            final boolean isSize = size.matches();
            if (!isSize && !word.equals("max") && !SHARE.matcher(word).matches()
                && !PacketRate.TEXT.matcher(word).matches()) {
                throw line.unknown(word);
            }
            line.refuseIf(isSize ? sizes != null : rate != null || percent != 0, PortText.repeats(word));
            if (!isSize) {
                rate(word);
            } else {
                final int least = Integer.parseInt(size.group(1));
                sizes = size.group(2) == null ? new PacketSizes.Fixed(least)
                    : new PacketSizes.Uniform(least, Integer.parseInt(size.group(2)));
            }
        }

        private void rate(final String word) {
            if (!word.endsWith("%")) {
                rate = PacketRate.parse(word);
            } else {
                percent = Double.parseDouble(word.substring(0, word.length() - 1));
                line.refuseIf(percent == 0, RATES + word);
            }
        }

        /** Returns the rate of the line; 0 if it is not given. */
        private double bits(final String typed) {
            final Matcher number = PacketRate.TEXT.matcher(Objects.toString(typed, "0bps"));
            line.refuseIf(!number.matches() || number.group(3).equals("pps"), "line must be like 100Gbps: "
                + "line=" + typed);
            return PacketRate.scaled(number);
        }
    }

    /**
     * Contents of the headers by flow.
     *
     * @param sourceMac       48 bits.
     * @param destinationMac  48 bits.
     * @param sourceIp        IPv4, 32 bits.
     * @param destinationIp   IPv4, 32 bits.
     * @param sourcePort      UDP port, 16 bits.
     * @param destinationPort UDP port, 16 bits.
     * @param flows           1 to {@link #MAX_FLOWS}.
     * @param random          whether the flow of each packet is random; otherwise flows take turns.
     * @param templates       header templates: after each full cycle of addresses, flows use the next template; empty
     *     for Ethernet, IPv4 and UDP.
     */
    public record FlowHeaders(
        FieldRange sourceMac, FieldRange destinationMac, FieldRange sourceIp, FieldRange destinationIp,
        FieldRange sourcePort, FieldRange destinationPort, int flows, boolean random, List<PacketTemplate> templates
    ) {
        /** Maximum number of flows of a generator. */
        public static final int MAX_FLOWS = 4_096;

        private static final long NODE_IP = 0x0A01_0000L;
        private static final int MAX_NODE = 0xFE_FFFF;

        /** Checks the bounds of every component. */
        public FlowHeaders {
            check("source IP", sourceIp, Integer.SIZE);
            check("destination IP", destinationIp, Integer.SIZE);
            check("source port", sourcePort, Short.SIZE);
            check("destination port", destinationPort, Short.SIZE);
            Bounds.require("flows", flows, 1, MAX_FLOWS);
            templates = List.copyOf(templates);
        }

        /** Returns the template of a flow. Requires at least one template. */
        PacketTemplate template(final int flow) {
            return templates.get((int) (flow / widest() % templates.size()));
        }

        /** Returns the same headers with another number of flows. */
        FlowHeaders of(final int count) {
            return new FlowHeaders(sourceMac, destinationMac, sourceIp, destinationIp, sourcePort, destinationPort,
                count, random, templates);
        }

        private static void check(final String name, final FieldRange range, final int bits) {
            PortText.checkNot(range.last() >>> bits != 0, name + " must be below 2^" + bits + ": last=" + range.last());
        }

        /** Returns the MAC addresses of nodes: 02:00 and the node in 32 bits. Node 3 has 02:00:00:00:00:03. */
        public static FieldRange macOf(final FieldRange nodes) {
            checkNodes(nodes);
            return nodes.plus(PortPlace.NODE_ADDRESS);
        }

        /** Returns the IPv4 addresses of nodes: 10.1.0.0 plus the node. Node 3 has 10.1.0.3. */
        public static FieldRange ipOf(final FieldRange nodes) {
            checkNodes(nodes);
            return nodes.plus(NODE_IP);
        }

        private static void checkNodes(final FieldRange nodes) {
            PortText.checkNot(nodes.last() > MAX_NODE, "a node must be below " + (MAX_NODE + 1) + ": node="
                + nodes.last());
        }

        /** Returns the size of the largest range, which is the number of flows needed to use every value. */
        long widest() {
            final long macs = Math.max(sourceMac.size(), destinationMac.size());
            final long ips = Math.max(sourceIp.size(), destinationIp.size());
            return Math.max(Math.max(macs, ips), Math.max(sourcePort.size(), destinationPort.size()));
        }

        /**
         * Values of a header field. Flow f has the f-th value, modulo the number of values.
         *
         * @param spans at least one, in the order of their flows.
         */
        public record FieldRange(List<Span> spans) {
            /** Pattern of an IPv4 address. */
            static final Pattern IP = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

            private static final long MAX = (1L << 48) - 1;

            /**
             * Consecutive values.
             *
             * @param first smallest value.
             * @param last  largest value, at least {@code first}; both are unsigned and below 2^48.
             */
            public record Span(long first, long last) {
                /**
                 * Checks both bounds.
                 *
                 * @throws IllegalArgumentException if one is out of range.
                 */
                public Span {
                    PortText.checkNot(first < 0 || last < first || last > MAX,
                        "must ascend and stay below 2^48: first=" + first + " last=" + last);
                }

                long size() {
                    return last - first + 1;
                }
            }

            /** Copies the list. */
            public FieldRange {
                spans = List.copyOf(spans);
            }

            /** Creates a range of consecutive values. */
            public FieldRange(final long first, final long last) {
                this(List.of(new Span(first, last)));
            }

            /**
             * Parses values and ranges, {@code A+B-C}.
             *
             * @param form   pattern of a value.
             * @param number conversion of a value to a number.
             * @throws IllegalArgumentException if a value does not match the pattern.
             */
            static FieldRange parse(final String typed, final Pattern form, final ToLongFunction<String> number) {
                final List<Span> spans = new ArrayList<>();
                for (final String part : typed.split("\\+", -1)) {
                    final String[] ends = part.split("-", -1);
                    for (final String end : ends) {
                        PortText.checkNot(ends.length > 2 || !form.matcher(end).matches(),
                            "must be a value, FIRST-LAST, or several of these joined by +");
                    }
                    spans.add(new Span(number.applyAsLong(ends[0]), number.applyAsLong(ends[ends.length - 1])));
                }
                return new FieldRange(spans);
            }

            /** Returns the number of an {@linkplain #IP IPv4 address}. */
            static long ip(final String text) {
                long address = 0;
                for (final String part : text.split("\\.")) {
                    final int octet = Integer.parseInt(part);
                    PortText.checkNot(octet > 255, "must be an IPv4 address");
                    address = address << Byte.SIZE | octet;
                }
                return address;
            }

            /** Returns the range without a value, unless it is the only one. */
            FieldRange but(final long value) {
                final List<Span> others = new ArrayList<>();
                for (final Span span : spans) {
                    if (value < span.first || value > span.last) {
                        others.add(span);
                        continue;
                    }
                    if (value > span.first) {
                        others.add(new Span(span.first, value - 1));
                    }
                    if (value < span.last) {
                        others.add(new Span(value + 1, span.last));
                    }
                }
                return others.isEmpty() ? this : new FieldRange(others);
            }

            /** Returns the range with an offset added to each value. */
            FieldRange plus(final long offset) {
                return new FieldRange(spans.stream().map(span -> new Span(span.first + offset, span.last + offset))
                    .toList());
            }

            /** Returns a range of one value. */
            public static FieldRange of(final long value) {
                return new FieldRange(value, value);
            }

            /** Returns the number of values. */
            public long size() {
                long size = 0;
                for (final Span span : spans) {
                    size += span.size();
                }
                return size;
            }

            /** Returns the first value. */
            public long first() {
                return spans.getFirst().first;
            }

            /** Returns the largest value. */
            public long last() {
                return spans.stream().mapToLong(Span::last).max().orElseThrow();
            }

            /** Returns value n, from 0, modulo the number of values. */
            public long at(final long n) {
                long rest = n % size();
                int span = 0;
                while (rest >= spans.get(span).size()) {
                    rest -= spans.get(span++).size();
                }
                return spans.get(span).first + rest;
            }
        }
    }

    /**
     * Rate of offered packets: the lower of two rates, either of which may be infinite.
     *
     * @param packetsPerSecond maximum number of packets.
     * @param bitsPerSecond    maximum number of bits, including the overhead of packets.
     * @param overheadBytes    overhead bytes per packet.
     */
    public record PacketRate(double packetsPerSecond, double bitsPerSecond, int overheadBytes) {
        /** As fast as the caller accepts packets. */
        public static final PacketRate UNLIMITED = new PacketRate(Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY,
            0);

        private static final Pattern TEXT = Pattern.compile("(\\d+(?:\\.\\d+)?)([kMGT]?)(pps|bps|bit/s)");

        /** Line overhead in bytes per packet: frame check sequence 4, preamble 8, gap 12. */
        static final int LINE_OVERHEAD_BYTES = 24;

        /**
         * Parses {@code max}, or a rate such as {@code 10kpps} or {@code 2.5Gbps}.
         *
         * @throws IllegalArgumentException if the text is neither.
         */
        static PacketRate parse(final String text) {
            final Matcher number = TEXT.matcher(text);
            PortText.checkNot(!text.equals("max") && !number.matches(), "the rate must be like 1Mpps, 10Gbps or "
                + "max: " + text);
            return text.equals("max") ? UNLIMITED : number.group(3).equals("pps") ? packets(scaled(number))
                : bits(scaled(number));
        }

        private static double scaled(final Matcher number) {
            final int thousands = switch (number.group(2)) {
                case "k" -> 1;
                case "M" -> 2;
                case "G" -> 3;
                case "T" -> 4;
                default -> 0;
            };
            return Double.parseDouble(number.group(1)) * Math.pow(1_000, thousands);
        }

        /** Returns a rate in packets per second, 0.01 to 10^9. */
        public static PacketRate packets(final double packetsPerSecond) {
            check("packets per second", packetsPerSecond, 0.01, 1e9);
            return new PacketRate(packetsPerSecond, Double.POSITIVE_INFINITY, 0);
        }

        /** Returns a rate in bits per second, 10^3 to 10^13, without line overhead. */
        public static PacketRate bits(final double bitsPerSecond) {
            check("bits per second", bitsPerSecond, 1e3, 1e13);
            return new PacketRate(Double.POSITIVE_INFINITY, bitsPerSecond, 0);
        }

        /**
         * Returns a share of a line rate, with {@link #LINE_OVERHEAD_BYTES} of overhead per packet.
         *
         * @param percent           above 0, up to 100.
         * @param lineBitsPerSecond 10^3 to 10^13; the share has the same bounds.
         */
        public static PacketRate line(final double percent, final double lineBitsPerSecond) {
            check("percent", percent, Double.MIN_VALUE, 100);
            check("line", lineBitsPerSecond, 1e3, 1e13);
            final double bitsPerSecond = percent / 100 * lineBitsPerSecond;
            check("share of the line in bits per second", bitsPerSecond, 1e3, 1e13);
            return new PacketRate(Double.POSITIVE_INFINITY, bitsPerSecond, LINE_OVERHEAD_BYTES);
        }

        private static void check(final String name, final double value, final double least, final double most) {
            PortText.checkNot(!(value >= least && value <= most),
                name + " must be " + least + " to " + most + ": value=" + value);
        }
    }

    /**
     * Packet sizes in bytes, from the destination MAC address to the end of the payload, without the frame check
     * sequence.
     */
    public sealed interface PacketSizes {
        /** Minimum size, which has room for headers and the fields of the generator. */
        int MIN_BYTES = 64;

        /** Maximum size. */
        int MAX_BYTES = 16_384;

        /** Returns the size of the shortest packet in bytes. */
        int least();

        /** Returns the size of the longest packet in bytes. */
        int most();

        /** A fixed size. */
        record Fixed(int bytes) implements PacketSizes {
            /** Checks the bounds. */
            public Fixed {
                check(bytes);
            }

            @Override
            public int least() {
                return bytes;
            }

            @Override
            public int most() {
                return bytes;
            }
        }

        /** Uniform distribution within {@code [least, most]}. */
        record Uniform(int least, int most) implements PacketSizes {
            /** Checks the bounds. */
            public Uniform {
                check(least);
                check(most);
                PortText.checkNot(most < least, "sizes must ascend: least=" + least + " most=" + most);
            }
        }

        /**
         * A mix of sizes.
         *
         * @param cycle sizes of consecutive packets, repeated cyclically.
         */
        record Mix(List<Integer> cycle) implements PacketSizes {
            /**
             * The simple Internet mix: of every 12 packets, 7 have 64, 4 have 590 and 1 has 1,514 bytes (IP packets of
             * 40, 576 and 1,500 bytes, the first padded to the minimum).
             */
            static final Mix SIMPLE = new Mix(List.of(64, 590, 64, 64, 590, 64, 1514, 64, 590, 64, 590, 64));

            private static final int MAX_WEIGHT = 10_000;

            /** Checks the bounds. */
            public Mix {
                cycle = List.copyOf(cycle);
                cycle.forEach(PacketSizes::check);
            }

            /** Returns sizes by weight, each spread as evenly as possible. */
            static Mix of(final List<Integer> sizes, final List<Integer> weights) {
                final int total = weights.stream().mapToInt(Integer::intValue).sum();
                PortText.checkNot(total > MAX_WEIGHT, "weights must be " + MAX_WEIGHT + " at most in all: " + total);
                final List<Integer> cycle = new ArrayList<>();
                final int[] credit = new int[sizes.size()];
                while (cycle.size() < total) {
                    int next = 0;
                    for (int i = 0; i < credit.length; i++) {
                        credit[i] += weights.get(i);
                        next = credit[i] > credit[next] ? i : next;
                    }
                    credit[next] -= total;
                    cycle.add(sizes.get(next));
                }
                return new Mix(cycle);
            }

            @Override
            public int least() {
                return Collections.min(cycle);
            }

            @Override
            public int most() {
                return Collections.max(cycle);
            }
        }

        private static void check(final int bytes) {
            Bounds.require("bytes", bytes, MIN_BYTES, MAX_BYTES);
        }
    }
}
