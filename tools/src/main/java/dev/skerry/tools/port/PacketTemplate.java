package dev.skerry.tools.port;

import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders;
import dev.skerry.tools.port.GeneratorSettings.FlowHeaders.FieldRange;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * Headers of generated packets, outermost first, for example {@code vlan id=100 / ipv6 / udp dport=53}. The first
 * header is Ethernet, which may be omitted. Types, lengths and checksums are computed. A field has a value; several
 * values and ranges, one per flow, {@code 1-3+5}; or a value per packet, {@code count:1-100} or {@code random:1-100}.
 * Addresses and ports that are omitted are those of the generator's flow.
 *
 * <p>The payload ends with a trailer, by which a receiver recognises the packet under any headers:
 * <pre>
 *    byte   +0                    +2          +4                    +6
 *    -24    magic                 id          flow                  bytes of fill
 *    -16    sequence number of the flow, from 0
 *     -8    time in ns, its low 48 bits                             check
 * </pre>
 * Key, check and fill are those of {@link ProbeLayout}; the fill is in network byte order and extends from the headers
 * to the trailer. An SCTP packet ends at a multiple of four bytes, so up to three zeros may follow the trailer.
 *
 * @param text    the template as it was typed.
 * @param headers at least two headers.
 */
public record PacketTemplate(String text, List<Header> headers) {
    static final int TRAILER_BYTES = 3 * Long.BYTES;
    static final int ALIGNMENT = 4;
    static final int MAX_HEADER_BYTES = 256;
    static final long MAGIC = 0x534C;

    private static final int MAX_TEMPLATES = 256;
    private static final int IP_BITS = 32;
    private static final int MAC_BITS = 48;
    private static final int IPV6_BITS = 128;
    private static final byte[] IPV6_PREFIX = {0x20, 0x01, 0x0D, (byte) 0xB8, 0, 0, 0, 0, 0, 0, 0, 0};
    private static final Pattern NUMBER = Pattern.compile("0x[0-9a-fA-F]{1,12}|\\d{1,14}");
    private static final Pattern FLAGS = Pattern.compile("[FSRPAUEC]{1,8}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:]*:[0-9a-fA-F:.]*");

    /** Checks that each header may follow the previous one. */
    public PacketTemplate {
        headers = List.copyOf(headers);
        for (int i = 0; i < headers.size(); i++) {
            final Protocol one = headers.get(i).protocol;
            final Protocol next = i + 1 < headers.size() ? headers.get(i + 1).protocol : null;
            PortText.checkNot(next == null ? one.isTunnel : !one.carries.contains(next.word()), next == null
                ? one.word() + " needs a header after it"
                : next.word() + " cannot follow " + one.word() + (one.carries.isEmpty() ? ""
                : ", which is followed by " + String.join(", ", one.carries)));
        }
        PortText.checkNot(bytes(headers) > MAX_HEADER_BYTES, "its headers have more than " + MAX_HEADER_BYTES
            + " bytes");
    }

    private static int bytes(final List<Header> headers) {
        return headers.stream().mapToInt(Header::bytes).sum();
    }

    /** Returns the minimum packet length in bytes that all templates support; 0 if there are none. */
    static int leastBytes(final List<PacketTemplate> templates) {
        return templates.stream().mapToInt(template -> bytes(template.headers) + TRAILER_BYTES).max().orElse(0);
    }

    /**
     * Parses templates.
     *
     * @param typed a template, or {@code @} and a file with one template per line, where lines starting with # are
     *     comments; null for none.
     * @throws IllegalArgumentException if a template is invalid.
     */
    static List<PacketTemplate> read(final String typed) {
        if (typed == null) {
            return List.of();
        }
        if (!typed.startsWith("@")) {
            return List.of(parse(typed));
        }
        try {
            final List<PacketTemplate> templates = Files.readAllLines(Path.of(typed.substring(1))).stream()
                .map(String::strip).filter(line -> !line.isEmpty() && !line.startsWith("#")).map(PacketTemplate::parse)
                .toList();
            PortText.checkNot(templates.isEmpty() || templates.size() > MAX_TEMPLATES,
                "its file must have 1 to " + MAX_TEMPLATES + " templates, one per line");
            return templates;
        } catch (final IOException | InvalidPathException e) {
            throw new IllegalArgumentException("its file of templates cannot be read: " + e.getMessage(), e);
        }
    }

    /** Parses a template. */
    static PacketTemplate parse(final String text) {
        final List<Header> headers = new ArrayList<>();
        for (final String part : text.split("/", -1)) {
            try {
                final Header header = Header.parse(part.strip().split("\\s+"));
                if (header.protocol != Protocol.ETH
                    && (headers.isEmpty() || headers.getLast().protocol == Protocol.VXLAN)) {
                    headers.add(new Header(Protocol.ETH, Map.of()));
                }
                headers.add(header);
            } catch (final IllegalArgumentException e) {
                throw new IllegalArgumentException("in the template '" + text + "': " + e.getMessage(), e);
            }
        }
        try {
            return new PacketTemplate(text, headers);
        } catch (final IllegalArgumentException e) {
            throw new IllegalArgumentException("in the template '" + text + "': " + e.getMessage(), e);
        }
    }

    /** Header types. */
    enum Protocol {
        ETH(14, 0x6558, 0, 0, "vlan mpls ip ipv6", "dst 0 48", "src 48 48"),
        VLAN(4, 0x8100, 0, 0, "vlan mpls ip ipv6", "pcp 0 3", "dei 3 1", "id 4 12 1"),
        MPLS(4, 0x8847, 137, 0, "mpls ip ipv6 eth", "label 0 20 16", "tc 20 3", "ttl 24 8 64"),
        IP(20, 0x0800, 4, 10, "udp tcp sctp gre ip ipv6 mpls", "dscp 8 6", "ecn 14 2", "id 32 16", "df 49 1 1",
            "ttl 64 8 64", "src 96 32", "dst 128 32"),
        IPV6(40, 0x86DD, 41, 0, "udp tcp sctp gre ip ipv6 mpls", "dscp 4 6", "ecn 10 2", "label 12 20", "hop 56 8 64",
            "src 64 128", "dst 192 128"),
        UDP(8, 0, 17, 6, "vxlan", "sport 0 16", "dport 16 16"),
        TCP(20, 0, 6, 16, "", "sport 0 16", "dport 16 16", "seq 32 32", "ack 64 32", "flags 104 8 16",
            "window 112 16 65535"),
        /** Including the header of one DATA chunk. */
        SCTP(28, 0, 132, 8, "", "sport 0 16", "dport 16 16", "tag 32 32 1", "tsn 128 32", "stream 160 16", "ssn 176 16",
            "ppid 192 32"),
        GRE(4, 0, 47, 0, "eth mpls ip ipv6", "key 32 32"),
        VXLAN(8, 0, 0, 0, "eth", "vni 32 24 1");

        private final int bytes;
        /** 0 if there is none. */
        private final int etherType;
        private final int number;
        /** Offset of the checksum; 0 if there is none. */
        private final int sum;
        private final List<String> carries;
        private final boolean isTunnel;
        private final Map<String, Field> fields;

        Protocol(final int bytes, final int etherType, final int number, final int sum, final String carries,
            final String... fields) {
            this.bytes = bytes;
            this.etherType = etherType;
            this.number = number;
            this.sum = sum;
            this.carries = carries.isEmpty() ? List.of() : List.of(carries.split(" "));
            this.isTunnel = List.of("MPLS", "GRE", "VXLAN").contains(name());
            this.fields = Arrays.stream(fields).map(field -> field.split(" ")).collect(Collectors.toMap(
                field -> field[0], field -> new Field(Integer.parseInt(field[1]), Integer.parseInt(field[2]),
                    field.length > 3 ? Integer.parseInt(field[3]) : 0), (one, _) -> one, LinkedHashMap::new));
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        private boolean isIp() {
            return this == IP || this == IPV6;
        }
    }

    /** Position and width of a field in its header, in bits, and its default value. */
    private record Field(int bit, int bits, long usual) {
    }

    /**
     * A header.
     *
     * @param protocol type of the header.
     * @param values   values of the fields that are given.
     */
    record Header(Protocol protocol, Map<String, Values> values) {
        private static Header parse(final String[] words) {
            final Protocol protocol = Arrays.stream(Protocol.values()).filter(one -> one.word().equals(words[0]))
                .findFirst().orElseThrow(() -> new IllegalArgumentException("there is no header '" + words[0]
                + "', write " + Arrays.stream(Protocol.values()).map(Protocol::word)
                .collect(Collectors.joining(", "))));
            final Map<String, Values> values = new HashMap<>();
            for (int i = 1; i < words.length; i++) {
                final String[] pair = words[i].split("=", 2);
                final Field field = protocol.fields.get(pair[0]);
                PortText.checkNot(field == null || pair.length == 1, words[0] + " has no field '" + words[i]
                    + "', write " + String.join("=, ", protocol.fields.keySet()) + "=");
                try {
                    PortText.checkNot(values.put(pair[0], Values.parse(field, pair[0], pair[1])) != null,
                        "is given twice");
                } catch (final IllegalArgumentException e) {
                    throw new IllegalArgumentException(words[0] + " " + words[i] + ": " + pair[0] + " "
                        + e.getMessage(), e);
                }
            }
            return new Header(protocol, Map.copyOf(values));
        }

        private int bytes() {
            return protocol.bytes + (values.containsKey("key") ? Integer.BYTES : 0);
        }
    }

    /**
     * Values of a field.
     *
     * @param prefix first 12 bytes of an IPv6 address, whose last 32 bits are the values; empty for other fields.
     * @param range  the values.
     * @param order  assignment of values to packets.
     */
    record Values(List<Byte> prefix, FieldRange range, Order order) {
        /** Assignment of values: by flow, consecutively, or randomly. */
        enum Order { FLOW, COUNT, RANDOM }

        private static Values parse(final Field field, final String name, final String typed) {
            final Order order = typed.startsWith("count:") ? Order.COUNT
                : typed.startsWith("random:") ? Order.RANDOM : Order.FLOW;
            final String text = order == Order.FLOW ? typed : typed.substring(typed.indexOf(':') + 1);
            final List<Byte> prefix = new ArrayList<>();
            final FieldRange range = switch (field.bits) {
                case MAC_BITS -> FieldRange.parse(text, PortPlace.MAC, PortPlace::mac);
                case IPV6_BITS -> FieldRange.parse(text, IPV6, address -> ipv6(address, prefix));
                default -> name.equals("src") || name.equals("dst")
                    ? FieldRange.parse(text, FieldRange.IP, FieldRange::ip)
                    : name.equals("flags") && FLAGS.matcher(text).matches() ? FieldRange.of(text.chars()
                        .map(flag -> 1 << "FSRPAUEC".indexOf(flag)).reduce(0, (all, flag) -> all | flag))
                    : FieldRange.parse(text, NUMBER, Long::decode);
            };
            final int bits = Math.min(field.bits, field.bits == IPV6_BITS ? IP_BITS : MAC_BITS);
            PortText.checkNot(range.last() >>> bits != 0, "must be below 2^" + bits);
            return new Values(prefix, range, order);
        }

        /** Returns the last 32 bits of an address. The other bits are stored in the prefix, or must equal it. */
        private static long ipv6(final String text, final List<Byte> prefix) {
            final byte[] address = Inet6Address.ofLiteral(text).getAddress();
            PortText.checkNot(address.length != IPV6_BITS / Byte.SIZE, "must be an IPv6 address");
            final List<Byte> first = new ArrayList<>();
            for (int i = 0; i < IPV6_PREFIX.length; i++) {
                first.add(address[i]);
            }
            PortText.checkNot(!prefix.isEmpty() && !prefix.equals(first), "can vary only in its last 32 bits");
            prefix.clear();
            prefix.addAll(first);
            return ByteBuffer.wrap(address).getInt(IPV6_PREFIX.length) & ProbeLayout.INT_MASK;
        }
    }

    /** Returns the long at any byte offset, in network byte order. */
    static long getLong(final Region source, final long at) {
        final long whole = at & -Long.BYTES;
        final int shift = (int) (at - whole) * Byte.SIZE;
        final long first = ProbeLayout.wire(source.getLong(whole));
        return shift == 0 ? first
            : first << shift | ProbeLayout.wire(source.getLong(whole + Long.BYTES)) >>> Long.SIZE - shift;
    }

    /** Tells whether the fill of a packet is correct; reads up to seven bytes after it. */
    static boolean isFill(final Region source, final long at, final int bytes, final long key) {
        long wrong = 0;
        long value = key;
        int done = 0;
        for (; done + Long.BYTES <= bytes; done += Long.BYTES) {
            wrong |= getLong(source, at + done) ^ value;
            value += ProbeLayout.FILL_STEP;
        }
        return wrong == 0 && (done == bytes || (getLong(source, at + done) ^ value)
            >>> (Long.BYTES - bytes + done) * Byte.SIZE == 0);
    }

    /** Writes packets from templates. Not thread-safe; does not allocate per packet. */
    static final class TemplateWriter {
        private final FlowImage[] images;
        private final long id;
        private final long seed;
        private final ByteBuffer packet;
        private final MemorySegment memory;
        private final CRC32C crc = new CRC32C();

        TemplateWriter(final Arena arena, final FlowHeaders headers, final int id, final long seed) {
            this.images = new FlowImage[headers.flows()];
            Arrays.setAll(images, flow -> new FlowImage(headers.template(flow), headers, flow));
            this.id = (long) id << Short.SIZE;
            this.seed = seed;
            this.memory = arena.allocate(GeneratorSettings.PacketSizes.MAX_BYTES + (long) Long.BYTES, Long.BYTES);
            this.packet = memory.asByteBuffer().order(ByteOrder.BIG_ENDIAN);
        }

        /**
         * Builds a packet.
         *
         * @param flow     flow, from 0.
         * @param sequence sequence number of the packet in its flow, from 0.
         * @param length   length in bytes, at least {@link PacketTemplate#leastBytes}.
         * @param timeNs   time stamp.
         */
        void write(final int flow, final long sequence, final int length, final long timeNs) {
            final FlowImage image = images[flow];
            final int head = image.bytes.length;
            final int end = length - (length - head & image.rest);
            final int trailer = end - TRAILER_BYTES;
            final long key = ProbeLayout.key(id | flow, sequence);
            packet.limit(packet.capacity()).put(0, image.bytes);
            for (int i = 0; i < image.perPacket.length; i++) {
                final FlowImage.PerPacket field = image.perPacket[i];
                final long n = field.isRandom ? CounterRandom.mix(key ^ seed + i) >>> 1 : sequence;
                FlowImage.set(packet, field.bit, field.bits, field.range.at(n));
            }
            long value = key;
            for (int at = head; at < trailer; at += Long.BYTES) {
                packet.putLong(at, value);
                value += ProbeLayout.FILL_STEP;
            }
            packet.putLong(trailer, MAGIC << ProbeLayout.TOP_SHORT | (id | flow) << Short.SIZE | trailer - head);
            packet.putLong(trailer + Long.BYTES, sequence);
            packet.putLong(trailer + 2 * Long.BYTES,
                timeNs << Short.SIZE | ProbeLayout.check(key, timeNs, trailer - head));
            packet.putInt(end, 0);
            for (int i = 0; i < image.lengths.length; i += 2) {
                packet.putShort(image.lengths[i], (short) (end - image.lengths[i + 1]));
            }
            for (final FlowImage.Sum sum : image.sums) {
                sum(sum, end);
            }
        }

        private void sum(final FlowImage.Sum sum, final int end) {
            if (sum.number == Protocol.SCTP.number) {
                crc.reset();
                crc.update(packet.limit(end).position(sum.from));
                packet.limit(packet.capacity()).putInt(sum.at, Integer.reverseBytes((int) crc.getValue()));
            } else if (sum.number == 0) {
                packet.putShort(sum.at, (short) ~ProbeLayout.folded(halves(sum.from, sum.from + Protocol.IP.bytes)));
            } else {
                final long inverted = ~ProbeLayout.folded(sum.number + end - sum.from + halves(sum.from, end)
                    + halves(sum.addresses, sum.addresses + sum.addressBytes)) & ProbeLayout.SHORT_MASK;
                // In UDP, a checksum of 0 means no checksum.
                packet.putShort(sum.at, (short) (inverted == 0 && sum.number == Protocol.UDP.number
                    ? ProbeLayout.SHORT_MASK : inverted));
            }
        }

        /** Returns the one's complement sum of bytes. */
        private long halves(final int from, final int end) {
            long sum = 0;
            int at = from;
            for (; at + Long.BYTES <= end; at += Long.BYTES) {
                sum += ProbeLayout.halves(packet.getLong(at));
            }
            return at == end ? sum
                : sum + ProbeLayout.halves(packet.getLong(at) & -1L << (Long.BYTES - end + at) * Byte.SIZE);
        }

        /** Copies the packet to the next place in a burst. */
        void copy(final PacketBurst into, final int length) {
            MemorySegment.copy(memory, 0, into.bytes(), into.place(), length);
        }
    }

    /** Headers of a flow, and the fields that differ between its packets. */
    private static final class FlowImage {
        private static final int EXPERIMENTAL_TYPE = 0x88B5;
        private static final int EXPERIMENTAL_NUMBER = 253;
        private static final int OUTER_TAG = 0x88A8;
        private static final int VXLAN_PORT = 4789;
        private static final FieldRange ALL_WORDS = new FieldRange(0, ProbeLayout.INT_MASK);

        private final byte[] bytes;
        /** Pairs of offsets: that of a 16-bit length, and that from which the length counts. */
        private final int[] lengths;
        /** Checksums, innermost first. */
        private final Sum[] sums;
        private final PerPacket[] perPacket;
        /** Mask of the number of bytes by which the packet must be shorter than its frame. */
        private final int rest;

        /**
         * A checksum.
         *
         * @param at           offset of the checksum.
         * @param from         offset of the first byte that it covers.
         * @param number       protocol number in its pseudo header; 0 for an IPv4 header.
         * @param addresses    offset of the addresses in its pseudo header.
         * @param addressBytes size of these addresses in bytes.
         */
        private record Sum(int at, int from, int number, int addresses, int addressBytes) {
        }

        private record PerPacket(int bit, int bits, FieldRange range, boolean isRandom) {
        }

        FlowImage(final PacketTemplate template, final FlowHeaders flows, final int flow) {
            final List<Header> headers = template.headers;
            final ByteBuffer into = ByteBuffer.allocate(PacketTemplate.bytes(headers));
            final List<Integer> counted = new ArrayList<>();
            final List<Sum> summed = new ArrayList<>();
            final List<PerPacket> changing = new ArrayList<>();
            int at = 0;
            int addresses = 0;
            int addressBytes = 0;
            for (int i = 0; i < headers.size(); i++) {
                final Header header = headers.get(i);
                for (final Map.Entry<String, Field> field : header.protocol.fields.entrySet()) {
                    final Values values = values(headers, i, field.getKey(), flows);
                    if (values != null) {
                        put(into.position(at), field.getValue(), values, flow, changing);
                    }
                }
                link(into, at, headers, i, counted);
                if (header.protocol.isIp()) {
                    addresses = at + (header.protocol == Protocol.IP ? 12 : 8);
                    addressBytes = header.protocol == Protocol.IP ? 8 : 32;
                }
                final int sum = at + header.protocol.sum;
                // The UDP checksum of VXLAN is 0 (RFC 7348), which IPv6 does not always permit.
                if (sum > at && (nextOf(headers, i) != Protocol.VXLAN || addressBytes > 8)) {
                    summed.addFirst(new Sum(sum, at, header.protocol == Protocol.IP ? 0 : header.protocol.number,
                        addresses, addressBytes));
                }
                at += header.bytes();
            }
            this.bytes = into.array();
            this.lengths = counted.stream().mapToInt(Integer::intValue).toArray();
            this.sums = summed.toArray(Sum[]::new);
            this.perPacket = changing.toArray(PerPacket[]::new);
            this.rest = headers.getLast().protocol == Protocol.SCTP ? ALIGNMENT - 1 : 0;
        }

        private static Protocol nextOf(final List<Header> headers, final int i) {
            return i + 1 < headers.size() ? headers.get(i + 1).protocol : null;
        }

        /** Returns the values of a field; null if the header does not contain the field. */
        private static Values values(final List<Header> headers, final int i, final String name,
            final FlowHeaders flows) {
            final Protocol protocol = headers.get(i).protocol;
            final Values typed = headers.get(i).values.get(name);
            if (typed != null || protocol == Protocol.GRE) {
                return typed;
            }
            return name.equals("tsn") ? new Values(List.of(), ALL_WORDS, Values.Order.COUNT)
                : new Values(List.of(), switch (name) {
                    case "src" -> protocol == Protocol.ETH ? flows.sourceMac() : flows.sourceIp();
                    case "dst" -> protocol == Protocol.ETH ? flows.destinationMac() : flows.destinationIp();
                    case "sport" -> flows.sourcePort();
                    case "dport" -> nextOf(headers, i) == Protocol.VXLAN ? FieldRange.of(VXLAN_PORT)
                        : flows.destinationPort();
                    default -> FieldRange.of(protocol.fields.get(name).usual);
                }, Values.Order.FLOW);
        }

        /** Writes a field of the header that starts at the current position. */
        private static void put(final ByteBuffer into, final Field field, final Values values, final int flow,
            final List<PerPacket> changing) {
            int bit = into.position() * Byte.SIZE + field.bit;
            int bits = field.bits;
            if (bits == IPV6_BITS) {
                for (int i = 0; i < IPV6_PREFIX.length; i++) {
                    into.put(bit / Byte.SIZE + i, values.prefix.isEmpty() ? IPV6_PREFIX[i] : values.prefix.get(i));
                }
                bit += bits - IP_BITS;
                bits = IP_BITS;
            }
            set(into, bit, bits, values.range.at(flow));
            if (values.order != Values.Order.FLOW) {
                changing.add(new PerPacket(bit, bits, values.range, values.order == Values.Order.RANDOM));
            }
        }

        /** Writes a value of up to 48 bits. */
        static void set(final ByteBuffer into, final int bit, final int bits, final long value) {
            final int spare = -(bit + bits) & Byte.SIZE - 1;
            long mask = (1L << bits) - 1 << spare;
            long left = value << spare;
            for (int at = bit + bits - 1 >> 3; at >= bit >> 3; at--) {
                into.put(at, (byte) (into.get(at) & ~mask | left & mask));
                mask >>>= Byte.SIZE;
                left >>>= Byte.SIZE;
            }
        }

        /** Writes the parts of a header that depend on the next header. */
        private static void link(final ByteBuffer into, final int at, final List<Header> headers, final int i,
            final List<Integer> counted) {
            final Protocol next = nextOf(headers, i);
            final int number = next == null ? EXPERIMENTAL_NUMBER : next.number;
            switch (headers.get(i).protocol) {
                case ETH -> into.putShort(at + 12, etherType(headers, i + 1));
                case VLAN -> into.putShort(at + 2, etherType(headers, i + 1));
                case MPLS -> set(into, at * Byte.SIZE + 23, 1, next == Protocol.MPLS ? 0 : 1);
                case IP -> {
                    into.put(at, (byte) 0x45).put(at + 9, (byte) number);
                    counted.addAll(List.of(at + 2, at));
                }
                case IPV6 -> {
                    set(into, at * Byte.SIZE, 4, 6);
                    into.put(at + 6, (byte) number);
                    counted.addAll(List.of(at + 4, at + Protocol.IPV6.bytes));
                }
                case UDP -> counted.addAll(List.of(at + 4, at));
                case TCP -> into.put(at + 12, (byte) 0x50);
                case SCTP -> {
                    into.put(at + 13, (byte) 3);
                    counted.addAll(List.of(at + 14, at + 12));
                }
                case GRE -> into.put(at, (byte) (headers.get(i).values.isEmpty() ? 0 : 0x20))
                    .putShort(at + 2, etherType(headers, i + 1));
                default -> into.put(at, (byte) 8);
            }
        }

        private static short etherType(final List<Header> headers, final int i) {
            final Protocol next = nextOf(headers, i - 1);
            return (short) (next == null ? EXPERIMENTAL_TYPE
                : next == Protocol.VLAN && nextOf(headers, i) == Protocol.VLAN ? OUTER_TAG : next.etherType);
        }
    }
}
