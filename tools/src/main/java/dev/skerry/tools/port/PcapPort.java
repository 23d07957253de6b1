package dev.skerry.tools.port;

import dev.skerry.dataplane.port.PacketBurst;
import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounter.PortCounts;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.CaptureReader.CapturedPacket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A port to capture files: it delivers packets from one file and writes received packets to another; either may be
 * missing. Only the thread that owns the port calls it.
 *
 * <p>It reads on demand, or at the pace of the stamps. From a damaged file it delivers all packets before the damage;
 * then the port is exhausted, and {@link #failure} says where and why. It writes through buffers, which a thread of
 * their own writes to the file, when one is full and about every second. A failed write ends the port after the last
 * whole packet that fits, and what did not fit is counted as lost. A file that stalls leaves no room: packets then wait
 * at their senders.
 * Without an output file, every packet sent to the port is lost.
 */
public final class PcapPort implements LivePort {
    private static final long FLUSH_NS = 1_000_000_000;
    private static final long SECOND_NS = 1_000_000_000;

    private final LongSupplier clock;
    private final long epochNs;
    private final PortCounts counts = new PortCounts();
    private final CaptureReplay replay;
    private final CaptureWriter writer;
    private long flushedNs;
    private boolean closed;
    private String writeFailure = "";

    private PcapPort(final PcapSettings settings, final LongSupplier clock, final long epochNs) {
        this.clock = clock;
        this.epochNs = epochNs;
        this.flushedNs = clock.getAsLong();
        this.replay = settings.in() == null ? null : new CaptureReplay(settings, counts);
        try {
            this.writer = settings.out() == null ? null : new CaptureWriter(settings);
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
     * @throws InputException if a file cannot be opened or is no capture of Ethernet frames.
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
     * @param epochNs  offset in ns from the clock to the time since 1970, for stamps in the output.
     * @throws InputException if a file cannot be opened or is no capture of Ethernet frames.
     */
    public static PcapPort open(final PcapSettings settings, final LongSupplier clock, final long epochNs) {
        return new PcapPort(settings, clock, epochNs);
    }

    /**
     * Looks at the file that a port would read, before anything is written for others; a FIFO is left alone.
     *
     * @throws InputException if it cannot be read or is no capture of Ethernet frames.
     */
    public static void checkInput(final PcapSettings settings) {
        final Path in = settings.in();
        if (in != null && (!Files.exists(in) || Files.isRegularFile(in))) {
            new CaptureReader(in, settings.loops() == 1).close();
        }
    }

    @Override
    public int rxBurst(final PacketBurst into) {
        if (closed || replay == null || replay.exhausted) {
            return 0;
        }
        final int took = replay.take(into, replay.paced ? clock.getAsLong() : 0);
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
        final long seconds = Math.floorDiv(now, SECOND_NS);
        final int nanos = (int) (now - seconds * SECOND_NS);
        long bytes = 0;
        int sent = 0;
        int packet = first;
        for (; packet < size; packet++) {
            final int length = from.length(packet);
            if (length <= CapturedPacket.MAX_BYTES) {
                if (!writer.append(from.bytes(), from.offset(packet), length, seconds, nanos)) {
                    counts.add(PortCounter.TX_FULL, 1);
                    break;
                }
                bytes += length;
                sent++;
            }
        }
        counts.addSent(sent, bytes);
        counts.add(PortCounter.TX_DROPPED_TOO_LONG, packet - first - sent);
        return packet - first;
    }

    private void fail(final IOException e) {
        writeFailure = writer.failure(e);
        counts.addSent(-writer.lostPackets(), -writer.lostBytes());
        counts.add(PortCounter.TX_DROPPED_LOST, writer.lostPackets());
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
        return writer.flush() ? 1 : 0;
    }

    /** Packets that the file has yet to take, without those of the last second. */
    @Override
    public long unread() {
        return writer == null || writer.failed() != null ? 0 : writer.behind();
    }

    /** Whether the port is open and its output has not failed. */
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

    /** Completes the output and renames it to its final name; {@link #failure} says whether that failed. */
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
     * Replays a capture, once or several times. With a pace, the first packet is due at the first call for packets.
     * Each later packet follows after the difference of stamps, divided by the speed. A stamp earlier than its
     * predecessor counts as equal. The next round starts when the last packet of a round is due. One thread.
     */
    private static final class CaptureReplay implements AutoCloseable {
        private static final int ETHERNET_HEADER = 14;

        private final CaptureReader reader;
        private final PcapSettings.Cut cut;
        private final PortCounts counts;
        private final boolean paced;
        private final double distance;
        private long loopsLeft;
        private boolean waiting;
        private boolean exhausted;
        private boolean started;
        private boolean roundStarted;
        private boolean roundDelivered;
        private long dueNs;
        private long roundNs;
        private long roundStampNs;

        /**
         * Opens the capture before its first packet.
         *
         * @throws InputException if the file cannot be read.
         */
        CaptureReplay(final PcapSettings settings, final PortCounts counts) {
            this.reader = new CaptureReader(settings.in(), settings.loops() == 1);
            this.cut = settings.cut();
            this.counts = counts;
            this.paced = settings.speed() != PcapSettings.MAX_SPEED;
            this.distance = 1 / settings.speed();
            this.loopsLeft = settings.loops();
        }

        String failure() {
            return reader.failure();
        }

        /** Delivers packets that are due, until the burst is full. Returns how many. */
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
            }
            while (into.room() > 0 && (waiting || advance()) && (!paced || dueNs - nowNs <= 0)) {
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
                }
            }
        }

        /** Bytes to send of a packet; 0 if it is dropped. */
        private int lengthOf(final CapturedPacket packet, final int most) {
            final boolean isCut = packet.length < packet.wire;
            final long length = isCut && cut == PcapSettings.Cut.PAD ? packet.wire : packet.length;
            if (packet.linkType != CapturedPacket.ETHERNET) {
                counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
            } else if (packet.length == 0) {
                counts.add(PortCounter.RX_DROPPED_EMPTY, 1);
            } else if (packet.length < ETHERNET_HEADER) {
                counts.add(PortCounter.RX_DROPPED_NOT_ETHERNET, 1);
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
                    if (paced) {
                        setDue(reader.packet().stampNs);
                    }
                    return true;
                }
                if (reader.isPending()) {
                    return false;
                }
                // An empty file ends at once, whatever the number of rounds.
                loopsLeft -= loopsLeft == PcapSettings.FOREVER ? 0 : 1;
                exhausted = !reader.failure().isEmpty() || !roundDelivered || loopsLeft == 0 || !reader.rewind();
                roundStarted = false;
                roundDelivered = false;
            }
            return false;
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
            reader.close();
            exhausted = true;
        }
    }

    /**
     * A port to capture files on the command line: {@code pcap:FILE |
     * pcap:[in=FILE][,out=FILE][,loops=N|forever][,speed=X|max][,cut=send|pad|skip][,format=pcap|pcapng][,overwrite]}.
     * {@code pcap:FILE} is short for {@code pcap:out=FILE}, {@code in=-} is standard input, a comma in a name has a
     * backslash before it. Without {@code overwrite} an existing file is refused: a user who meant {@code in} does not
     * lose it.
     *
     * @param in        file that the port delivers; null for none.
     * @param loops     number of times it is read, {@link #FOREVER} for no end.
     * @param speed     1 for the pace of its stamps, X for X times that pace; {@link #MAX_SPEED} for no pace.
     * @param cut       what is sent of packets that were captured in part.
     * @param out       file that records packets sent to the port; null for none. A name with {@code .gz} compresses
     *                  it.
     * @param format    format of {@code out}; by default pcapng for names with {@code .pcapng} or {@code .ntar}, before
     *                  an optional {@code .gz}, else pcap.
     * @param overwrite whether {@code out} may be an existing file.
     */
    public record PcapSettings(Path in, long loops, double speed, Cut cut, Path out, CaptureFormat format,
        boolean overwrite) {
        /** What is sent of a packet that a snap length has cut. */
        public enum Cut {
            /** What is there. */
            SEND,
            /** The same, and zeros up to its length. */
            PAD,
            /** Nothing. */
            SKIP
        }

        /** Kind of port on the command line. */
        public static final String KIND = "pcap";

        /** Number of loops without end. */
        public static final long FOREVER = Long.MAX_VALUE;

        /** Speed without a pace. */
        public static final double MAX_SPEED = Double.POSITIVE_INFINITY;

        static final String GZIP = ".gz";

        private static final String ADVICE = "write pcap:in=FILE to read or pcap:out=FILE to write, and after it "
            + "loops=N|forever, speed=X|max, cut=send|pad|skip, format=pcap|pcapng, overwrite as needed; a comma in a "
            + "name is \\,";
        private static final String STANDARD_INPUT = "-";
        private static final double LEAST_SPEED = 1e-6;
        private static final double MOST_SPEED = 1e6;

        /** Checks the bounds of every component. */
        public PcapSettings {
            PortText.checkNot(in == null && out == null, "it names no file");
            PortText.checkNot(in != null && out != null
                && in.toAbsolutePath().normalize().equals(out.toAbsolutePath().normalize()),
                "in and out must not be the same file: in=" + in);
            Bounds.atLeast("loops", loops, 1);
            PortText.checkNot(speed != MAX_SPEED && !(speed >= LEAST_SPEED && speed <= MOST_SPEED),
                "speed must be max or 0.000001 to 1000000: speed=" + speed);
            PortText.checkNot(in == null && (loops != 1 || speed != MAX_SPEED),
                "loops and speed are for in=FILE, and there is none");
            PortText.checkNot(out == null && overwrite, "overwrite is for out=FILE, and there is none");
        }

        /** A port that reads a file once without a pace. */
        public static PcapSettings reading(final Path in) {
            return new PcapSettings(in, 1, MAX_SPEED, Cut.SEND, null, CaptureFormat.PCAP, false);
        }

        /** A port that writes a new file in the format that its name implies. */
        public static PcapSettings writing(final Path out) {
            return new PcapSettings(null, 1, MAX_SPEED, Cut.SEND, out, formatOf(out), false);
        }

        /**
         * Parses settings.
         *
         * @throws InputException if they are wrong.
         */
        public static PcapSettings parse(final String text) {
            final PortText line = new PortText(KIND, text, ADVICE);
            return line.read(() -> {
                final String name = line.startsWithAWord() ? line.first() : null;
                final String typed = line.value("out");
                line.refuseIf(name != null && typed != null, PortText.repeats("out=" + typed));
                final String from = line.value("in");
                final Path in = file(line, "in", STANDARD_INPUT.equals(from) ? "/dev/stdin" : from);
                final Path out = file(line, "out", name != null ? name : typed);
                final int cut = line.choice("cut", "send", "pad", "skip");
                line.refuseIf(cut >= 0 && in == null, "cut is for in=FILE, and there is none");
                final int format = line.choice("format", "pcap", "pcapng");
                line.refuseIf(format >= 0 && out == null, "format is for out=FILE, and there is none");
                return new PcapSettings(in,
                    line.has("loops=forever") ? FOREVER : line.number("loops", 1, 1, FOREVER - 1),
                    line.has("speed=max") ? MAX_SPEED : speed(line, line.value("speed")),
                    Cut.values()[Math.max(0, cut)], out,
                    format >= 0 ? CaptureFormat.values()[format] : out == null ? CaptureFormat.PCAP : formatOf(out),
                    line.has("overwrite"));
            });
        }

        /** A file by its name; null if there is none. */
        private static Path file(final PortText line, final String key, final String name) {
            line.refuseIf("".equals(name), key + " names no file");
            try {
                return name == null ? null : Path.of(name);
            } catch (final InvalidPathException e) {
                throw line.wrong("'" + name
                    + "' is no name of a file in this locale, which LC_ALL=C.UTF-8 would change");
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

        /** File format of a capture that is written. */
        public enum CaptureFormat {
            /** Classic pcap, with stamps in nanoseconds. */
            PCAP,
            /** pcapng with one interface, with stamps in nanoseconds. */
            PCAPNG
        }
    }
}
