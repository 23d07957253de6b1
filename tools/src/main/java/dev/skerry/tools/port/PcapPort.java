package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;
import dev.skerry.tools.port.GeneratorPort.Pacer;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A port to capture files: it delivers packets from files, and writes the packets that it receives to another file;
 * either side may be absent. Used only by the thread that owns the port.
 *
 * <p>It reads on demand, or at the pace of the time stamps. All packets before damage in a file are delivered; then the
 * port is exhausted, and {@link #failure} describes the damage. Output is buffered, and a separate thread writes a
 * buffer to the file when it is full, and about every second. After a failed write, the file ends with the last
 * complete packet that fits, and the other packets are counted as lost. If a file stalls, packets wait at their
 * senders. Without an output file, every packet sent to the port is lost.
 */
public final class PcapPort implements LivePort {
    private static final long FLUSH_NS = 1_000_000_000;
    private static final long SECOND_NS = 1_000_000_000;

    private final LongSupplier clock;
    private final long epochNs;
    private final PortCounts counts = new PortCounts();
    private final PacketFilter filter;
    private final CaptureReplay replay;
    private final CaptureWriter writer;
    private long flushedNs;
    private boolean closed;
    private String writeFailure = "";

    private PcapPort(final PcapSettings settings, final LongSupplier clock, final long epochNs) {
        this.clock = clock;
        this.epochNs = epochNs;
        this.flushedNs = clock.getAsLong();
        this.filter = PacketFilter.compile(settings.filter());
        this.replay = settings.input() == null ? null : new CaptureReplay(settings.input(), filter, counts);
        try {
            this.writer = settings.output() == null ? null : new CaptureWriter(settings.output());
        } catch (final InputException e) {
            if (replay != null) {
                replay.close();
            }
            throw e;
        }
        counts.add(PortCounter.LINKS_UP, 1);
    }

    /**
     * Opens a port with the system's clocks.
     *
     * @throws InputException if a file cannot be opened or is not a capture of Ethernet frames.
     */
    public static PcapPort open(final PcapSettings settings) {
        final Instant now = Instant.now();
        return open(settings, System::nanoTime, now.getEpochSecond() * SECOND_NS + now.getNano() - System.nanoTime());
    }

    /**
     * Opens a port with a clock.
     *
     * @param settings settings.
     * @param clock    monotonic clock in ns with any origin.
     * @param epochNs  offset in ns from the clock to the time since 1970, for time stamps in the output.
     * @throws InputException if a file cannot be opened or is not a capture of Ethernet frames.
     */
    public static PcapPort open(final PcapSettings settings, final LongSupplier clock, final long epochNs) {
        return new PcapPort(settings, clock, epochNs);
    }

    /**
     * Checks the files that a port will read before any output is written. FIFOs are not checked.
     *
     * @throws InputException if a file cannot be read or is not a capture of Ethernet frames.
     */
    public static void checkInput(final PcapSettings settings) {
        for (final Path in : settings.input() == null ? List.<Path>of() : settings.input().files()) {
            if (!Files.exists(in) || Files.isRegularFile(in)) {
                new CaptureReader(in, settings.input().loops() == 1).close();
            }
        }
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        if (closed || replay == null || replay.exhausted) {
            return 0;
        }
        final int took = replay.take(into, replay.isPaced() ? clock.getAsLong() : 0);
        if (replay.exhausted && !replay.failure().isEmpty()) {
            counts.add(PortCounter.RX_FAILED, 1);
        }
        return took;
    }

    @Override
    public int txBurst(final PacketBurst from, final int first) {
        if (!isUp()) {
            counts.add(PortCounter.TX_DOWN, 1);
            return 0;
        }
        final int size = from.size();
        if (writer != null && writer.failed() != null) {
            fail(writer.failed());
            return 0;
        }
        if (writer == null) {
            counts.add(PortCounter.TX_DROPPED_LOST, size - first);
            return size - first;
        }
        final long now = clock.getAsLong() + epochNs;
        long bytes = 0;
        int sent = 0;
        int filtered = 0;
        int packet = first;
        for (; packet < size; packet++) {
            final int length = from.length(packet);
            if (filter != null && !filter.matches(from.bytes(), from.offset(packet), length)) {
                filtered++;
            } else if (length <= CapturedPacket.MAX_BYTES) {
                if (!writer.append(from.bytes(), from.offset(packet), length, now)) {
                    counts.add(PortCounter.TX_FULL, 1);
                    break;
                }
                bytes += length;
                sent++;
            }
        }
        counts.addSent(sent, bytes);
        counts.add(PortCounter.TX_FILTERED, filtered);
        counts.add(PortCounter.TX_DROPPED_TOO_LONG, packet - first - sent - filtered);
        return packet - first;
    }

    private void fail(final IOException e) {
        writeFailure = writer.failure(e);
        // Read once: the writing thread may still count a packet.
        final long lost = writer.lostPackets();
        counts.addSent(-lost, -writer.lostBytes());
        counts.add(PortCounter.TX_DROPPED_LOST, lost);
        counts.add(PortCounter.TX_FAILED, 1);
        counts.add(PortCounter.LINKS_DOWN, 1);
    }

    @Override
    public int poll(final long nowNs) {
        if (!isUp() || writer == null) {
            return 0;
        }
        if (writer.failed() != null) {
            fail(writer.failed());
            return 1;
        }
        final long now = clock.getAsLong();
        if (now - flushedNs < FLUSH_NS) {
            return 0;
        }
        flushedNs = now;
        return writer.flush(now + epochNs) ? 1 : 0;
    }

    /** Returns the packets waiting to be written to the file, without those of the current buffer. */
    @Override
    public long unread() {
        return writer == null || writer.failed() != null ? 0 : writer.behind();
    }

    /** Tells whether the port is open and its output has not failed. */
    @Override
    public boolean isUp() {
        return !closed && writeFailure.isEmpty();
    }

    @Override
    public boolean isExhausted() {
        return closed || replay == null || replay.exhausted;
    }

    @Override
    public String failure() {
        return !writeFailure.isEmpty() || replay == null ? writeFailure : replay.failure();
    }

    @Override
    public PortCounts counts() {
        return counts;
    }

    /** Completes the output and gives it its final name; {@link #failure} describes an error. */
    @Override
    public void close() {
        close(false);
    }

    @Override
    public void discard() {
        close(true);
    }

    private void close(final boolean discards) {
        if (closed) {
            return;
        }
        try {
            if (writer != null) {
                writer.finish(discards);
            }
        } catch (final IOException e) {
            if (writeFailure.isEmpty()) {
                fail(e);
            }
        } finally {
            closed = true;
            if (replay != null) {
                replay.close();
            }
        }
    }

    /**
     * Replays captures one after the other, one or more times. With a pace, the first packet is due at the first call
     * for packets. At a rate, each later packet is due when the transmission time of the previous one has passed. At
     * the pace of the time stamps, it is due after the difference of the time stamps, divided by the speed. A time
     * stamp that is earlier than the previous one counts as equal, and the next file or round starts when the last
     * packet is due. Not thread-safe.
     */
    private static final class CaptureReplay implements AutoCloseable {
        private static final int ETHERNET_HEADER = 14;

        private final CaptureReader[] readers;
        private final PacketFilter filter;
        private final PcapSettings.Cut cut;
        private final PortCounts counts;
        private final boolean hasSpeed;
        private final double distance;
        /** Null if there is no rate. */
        private final Pacer pacer;
        private long loopsLeft;
        private CaptureReader reader;
        private int file;
        private boolean isAgain;
        private boolean waiting;
        private boolean exhausted;
        private boolean started;
        private boolean roundStarted;
        private boolean roundDelivered;
        private long dueNs;
        private long roundNs;
        private long roundStampNs;

        /**
         * Opens the captures before their first packets.
         *
         * @param filter filter for the packets to deliver; null for all.
         * @throws InputException if a file cannot be read.
         */
        CaptureReplay(final PcapSettings.Input input, final PacketFilter filter, final PortCounts counts) {
            this.readers = new CaptureReader[input.files().size()];
            this.filter = filter;
            this.cut = input.cut();
            this.counts = counts;
            this.hasSpeed = input.speed() != PcapSettings.MAX_SPEED;
            this.distance = 1 / input.speed();
            this.pacer = input.rate().equals(PacketRate.UNLIMITED) ? null : new Pacer(input.rate(), 1);
            this.loopsLeft = input.loops();
            try {
                Arrays.setAll(readers, i -> new CaptureReader(input.files().get(i), input.loops() == 1));
            } catch (final InputException e) {
                close();
                throw e;
            }
            this.reader = readers[0];
        }

        boolean isPaced() {
            return hasSpeed || pacer != null;
        }

        String failure() {
            return reader.failure();
        }

        /** Delivers packets that are due, until the burst is full. Returns their number. */
        int take(final PacketBurst into, final long nowNs) {
            final int before = into.size();
            fill(into, nowNs);
            counts.addReceived(into, before);
            return into.size() - before;
        }

        private void fill(final PacketBurst into, final long nowNs) {
            if (!started) {
                started = true;
                dueNs = nowNs;
                if (pacer != null) {
                    pacer.start(nowNs);
                }
            }
            while (into.room() > 0 && (waiting || advance()) && isDue(nowNs)) {
                waiting = false;
                final CapturedPacket packet = reader.packet();
                final int length = lengthOf(packet, into.maxBytes());
                if (length > 0) {
                    final int there = packet.length;
                    MemorySegment.copy(reader.bytes().window(), packet.place, into.bytes(), into.place(), there);
                    if (length > there) {
                        into.bytes().asSlice(into.place() + there, length - there).fill((byte) 0);
                    }
                    into.add(length);
                    if (pacer != null) {
                        pacer.sent(length);
                    }
                }
            }
        }

        private boolean isDue(final long nowNs) {
            return pacer != null ? pacer.isDue(nowNs) : !hasSpeed || dueNs - nowNs <= 0;
        }

        /** Returns the number of bytes to send for a packet; 0 if it is dropped. */
        private int lengthOf(final CapturedPacket packet, final int most) {
            final boolean isCut = packet.length < packet.wire;
            final long length = isCut && cut == PcapSettings.Cut.PAD ? packet.wire : packet.length;
            if (packet.linkType != CapturedPacket.ETHERNET) {
                counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
            } else if (packet.length == 0) {
                counts.add(PortCounter.RX_DROPPED_EMPTY, 1);
            } else if (packet.length < ETHERNET_HEADER) {
                counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
            } else if (filter != null && !filter.matches(reader.bytes().window(), packet.place, packet.length)) {
                counts.add(PortCounter.RX_FILTERED, 1);
            } else if (length > most) {
                counts.addTooLong(length);
            } else if (isCut && cut == PcapSettings.Cut.SKIP) {
                counts.add(PortCounter.RX_CUT, 1);
                counts.add(PortCounter.RX_DROPPED_CUT, 1);
            } else {
                counts.add(PortCounter.RX_CUT, isCut ? 1 : 0);
                counts.add(PortCounter.RX_ODD_LENGTH, packet.length > packet.wire ? 1 : 0);
                return (int) length;
            }
            return 0;
        }

        /** Moves to the next packet, which then waits until it is due. Returns false if there is none. */
        private boolean advance() {
            while (!exhausted) {
                if (reader.next()) {
                    waiting = true;
                    roundDelivered = true;
                    if (hasSpeed) {
                        setDue(reader.packet().stampNs);
                    }
                    return true;
                }
                if (reader.isPending()) {
                    return false;
                }
                exhausted = !reader.failure().isEmpty() || !turn();
                roundStarted = false;
            }
            return false;
        }

        /** Continues with the next file, which is rewound in later rounds; returns false at the end. */
        private boolean turn() {
            file++;
            if (file == readers.length) {
                file = 0;
                isAgain = true;
                loopsLeft -= loopsLeft == PcapSettings.FOREVER ? 0 : 1;
                // If all files are empty, the port is exhausted after one round, whatever the number of rounds.
                if (!roundDelivered || loopsLeft == 0) {
                    return false;
                }
                roundDelivered = false;
            }
            reader = readers[file];
            return !isAgain || reader.rewind();
        }

        private void setDue(final long stampNs) {
            if (!roundStarted) {
                roundStarted = true;
                roundNs = dueNs;
                roundStampNs = stampNs;
            }
            final long since = (long) ((stampNs - roundStampNs) * distance);
            dueNs = Math.max(dueNs, roundNs + since);
        }

        @Override
        public void close() {
            for (final CaptureReader one : readers) {
                if (one != null) {
                    one.close();
                }
            }
            exhausted = true;
        }
    }

    /**
     * A port to capture files on the command line: {@code pcap:FILE |
     * pcap:[in=FILE[,in=FILE...][,loops=N|forever][,speed=X|max | ,rate=RATE][,cut=send|pad|skip]]
     * [,out=FILE[,format=pcap|pcapng][,overwrite][,snap=BYTES][,rotate=SIZE|TIME[,keep=N]]][,filter=EXPRESSION]}.
     * {@code pcap:FILE} is short for {@code pcap:out=FILE}, and {@code in=-} is standard input. A comma in a name is
     * preceded by a backslash. Without {@code overwrite}, an existing file is refused, so that typing {@code out}
     * instead of {@code in} does not destroy it.
     *
     * @param input  files to deliver; null for none.
     * @param output file to write packets to; null for none.
     * @param filter filter for packets in both directions, see {@link PacketFilter}; empty for all.
     */
    public record PcapSettings(Input input, Output output, String filter) {
        /**
         * Packets that a port delivers.
         *
         * @param files files in the order in which they are read.
         * @param loops number of rounds; {@link #FOREVER} for no limit.
         * @param speed factor of the pace of the time stamps, 1 for the original pace; {@link #MAX_SPEED} for no pace.
         * @param rate  rate, instead of the pace of the time stamps; {@link PacketRate#UNLIMITED} for none.
         * @param cut   treatment of packets that were truncated in the capture.
         */
        public record Input(List<Path> files, long loops, double speed, PacketRate rate, Cut cut) {
            /** Checks the bounds of every component. */
            public Input {
                files = List.copyOf(files);
                Bounds.atLeast("loops", loops, 1);
                PortText.checkNot(speed != MAX_SPEED && !(speed >= LEAST_SPEED && speed <= MOST_SPEED),
                    "speed must be max or 0.000001 to 1000000: speed=" + speed);
                PortText.checkNot(speed != MAX_SPEED && rate != PacketRate.UNLIMITED,
                    "speed and rate exclude each other");
            }
        }

        /**
         * Capture file that a port writes.
         *
         * @param file        file name; {@code .gz} compresses the file. With rotation, file names have a number before
         *     the suffix.
         * @param format      format; by default pcapng for names with {@code .pcapng} or {@code .ntar}, before an
         *     optional {@code .gz}, otherwise pcap.
         * @param overwrite   whether an existing file may be replaced.
         * @param snap        maximum bytes recorded of a packet.
         * @param rotateBytes maximum size of a file in bytes, uncompressed; {@link #ENDLESS} for one file.
         * @param rotateNs    maximum time in ns between the packets of a file; {@link #ENDLESS} for one file.
         * @param keep        number of latest files to keep.
         */
        public record Output(Path file, CaptureFormat format, boolean overwrite, int snap, long rotateBytes,
            long rotateNs, int keep) {
            /** No rotation. */
            static final long ENDLESS = Long.MAX_VALUE;

            /** Tells whether the output is split into several files. */
            boolean isRotated() {
                return rotateBytes != ENDLESS || rotateNs != ENDLESS;
            }

            private static Output of(final Path file) {
                return new Output(file, formatOf(file), false, CapturedPacket.MAX_BYTES, ENDLESS, ENDLESS,
                    Integer.MAX_VALUE);
            }
        }

        /** Treatment of a packet that was truncated by a snap length. */
        public enum Cut {
            /** Sends the captured bytes. */
            SEND,
            /** Sends the captured bytes, padded with zeros to the original length. */
            PAD,
            /** Does not send the packet. */
            SKIP
        }

        /** Kind of port on the command line. */
        public static final String KIND = "pcap";

        /** Number of loops for an endless replay. */
        public static final long FOREVER = Long.MAX_VALUE;

        /** Speed for a replay without a pace. */
        public static final double MAX_SPEED = Double.POSITIVE_INFINITY;

        static final String GZIP = ".gz";

        private static final String ADVICE = "write pcap:in=FILE to read or pcap:out=FILE to write, followed by "
            + "loops=N|forever, speed=X|max, rate=RATE, cut=send|pad|skip, format=pcap|pcapng, overwrite, "
            + "snap=BYTES, rotate=SIZE|TIME, keep=N, filter=EXPRESSION if needed; a comma in a name is \\,";
        private static final String STANDARD_INPUT = "-";
        private static final List<String> IN_KEYS = List.of("loops", "speed", "rate", "cut");
        private static final List<String> OUT_KEYS = List.of("format", "overwrite", "snap", "rotate", "keep");
        private static final double LEAST_SPEED = 1e-6;
        private static final double MOST_SPEED = 1e6;
        private static final Pattern ROTATION = Pattern.compile("([1-9]\\d{0,8})(kB|MB|GB|s|min|h)");
        private static final Map<String, Long> UNITS = Map.of("kB", 1_000L, "MB", 1_000_000L, "GB", 1_000_000_000L,
            "s", SECOND_NS, "min", 60 * SECOND_NS, "h", 3_600 * SECOND_NS);

        /** Checks that input and output are different files. */
        public PcapSettings {
            PortText.checkNot(input == null && output == null, "it names no file");
            PortText.checkNot(input != null && output != null && input.files.stream().anyMatch(
                in -> in.toAbsolutePath().normalize().equals(output.file.toAbsolutePath().normalize())),
                "in and out must not be the same file: in=" + (output == null ? "" : output.file));
        }

        /** Returns settings that read a file once without a pace. */
        public static PcapSettings reading(final Path in) {
            return new PcapSettings(new Input(List.of(in), 1, MAX_SPEED, PacketRate.UNLIMITED, Cut.SEND), null, "");
        }

        /** Returns settings that write a new file in the format that its name implies. */
        public static PcapSettings writing(final Path out) {
            return new PcapSettings(null, Output.of(out), "");
        }

        /**
         * Parses settings.
         *
         * @throws InputException if they are invalid.
         */
        public static PcapSettings parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            return line.read(() -> {
                final String name = line.startsWithAWord() ? line.first() : null;
                final String typed = line.value("out");
                line.refuseIf(name != null && typed != null, PortText.repeats("out=" + typed));
                final List<Path> in = line.values("in").stream()
                    .map(file -> file(line, "in", STANDARD_INPUT.equals(file) ? "/dev/stdin" : file)).toList();
                final Path out = file(line, "out", name != null ? name : typed);
                for (final String key : in.isEmpty() ? IN_KEYS : out == null ? OUT_KEYS : List.<String>of()) {
                    line.refuseIf(line.hasKey(key), key + " is for " + (in.isEmpty() ? "in" : "out")
                        + "=FILE, which is missing");
                }
                return new PcapSettings(in.isEmpty() ? null : input(line, in), out == null ? null : output(line, out),
                    Objects.toString(line.value("filter"), ""));
            });
        }

        private static Input input(final PortText line, final List<Path> in) {
            final String rate = line.value("rate");
            return new Input(in, line.has("loops=forever") ? FOREVER : line.number("loops", 1, 1, FOREVER - 1),
                line.has("speed=max") ? MAX_SPEED : speed(line, line.value("speed")),
                rate == null ? PacketRate.UNLIMITED : PacketRate.parse(rate),
                Cut.values()[Math.max(0, line.choice("cut", "send", "pad", "skip"))]);
        }

        private static Output output(final PortText line, final Path out) {
            final int format = line.choice("format", "pcap", "pcapng");
            final String typed = line.value("rotate");
            final Matcher rotation = ROTATION.matcher(Objects.toString(typed, ""));
            final boolean isRotated = rotation.matches();
            line.refuseIf(typed != null && !isRotated, "rotate must be a size or a time, for example 100MB or 10min: "
                + "rotate="
                + typed);
            line.refuseIf(!isRotated && line.hasKey("keep"), "keep requires rotate=");
            final long limit = isRotated ? Long.parseLong(rotation.group(1)) * UNITS.get(rotation.group(2)) : 0;
            final boolean isSize = isRotated && rotation.group(2).endsWith("B");
            return new Output(out, format >= 0 ? CaptureFormat.values()[format] : formatOf(out), line.has("overwrite"),
                (int) line.number("snap", CapturedPacket.MAX_BYTES, CaptureReplay.ETHERNET_HEADER,
                    CapturedPacket.MAX_BYTES), isSize ? limit : Output.ENDLESS,
                isRotated && !isSize ? limit : Output.ENDLESS, (int) line.number("keep", Integer.MAX_VALUE, 1,
                Integer.MAX_VALUE));
        }

        /** Returns the file with a name; null if there is no name. */
        private static Path file(final PortText line, final String key, final String name) {
            line.refuseIf("".equals(name), key + " names no file");
            try {
                return name == null ? null : Path.of(name);
            } catch (final InvalidPathException e) {
                throw line.wrong("'" + name
                    + "' is not a valid file name in this locale; set LC_ALL=C.UTF-8");
            }
        }

        private static double speed(final PortText line, final String typed) {
            try {
                return typed == null ? MAX_SPEED : Double.parseDouble(typed);
            } catch (final NumberFormatException e) {
                throw line.wrong("speed must be max or a number: speed=" + typed);
            }
        }

        private static CaptureFormat formatOf(final Path file) {
            final String name = file.toString().toLowerCase(Locale.ROOT);
            final String plain = name.endsWith(GZIP) ? name.substring(0, name.length() - GZIP.length()) : name;
            return plain.endsWith(".pcapng") || plain.endsWith(".ntar") ? CaptureFormat.PCAPNG : CaptureFormat.PCAP;
        }

        /** File formats for writing captures. */
        public enum CaptureFormat {
            /** pcap with time stamps in nanoseconds. */
            PCAP,
            /** pcapng with one interface and time stamps in nanoseconds. */
            PCAPNG
        }
    }
}
