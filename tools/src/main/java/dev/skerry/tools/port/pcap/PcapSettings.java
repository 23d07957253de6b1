package dev.skerry.tools.port.pcap;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortText;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A port to capture files on the command line: {@code pcap:FILE |
 * pcap:[in=FILE][,out=FILE][,loops=N|forever][,speed=X|max][,cut=send|pad|skip][,format=pcap|pcapng][,overwrite]}.
 * {@code pcap:FILE} is short for {@code pcap:out=FILE}, {@code in=-} is standard input, a comma in a name has a
 * backslash before it. Without {@code overwrite} an existing file is refused: a user who meant {@code in}
 * does not lose it.
 *
 * @param in        file that the port delivers; null for none.
 * @param loops     number of times it is read, {@link #FOREVER} for no end.
 * @param speed     1 for the pace of its stamps, X for X times that pace; {@link #MAX_SPEED} for no pace.
 * @param cut       what is sent of packets that were captured in part.
 * @param out       file that records packets sent to the port; null for none. A name with {@code .gz} compresses it.
 * @param format    format of {@code out}; by default pcapng for names with {@code .pcapng} or {@code .ntar}, before an
 *                  optional {@code .gz}, else pcap.
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
        + "loops=N|forever, speed=X|max, cut=send|pad|skip, format=pcap|pcapng, overwrite as needed; a comma in a name "
        + "is \\,";
    private static final String STANDARD_INPUT = "-";
    private static final double LEAST_SPEED = 1e-6;
    private static final double MOST_SPEED = 1e6;

    /** Checks the bounds of every component. */
    public PcapSettings {
        if (in == null && out == null) {
            throw new IllegalArgumentException("it names no file");
        }
        if (in != null && out != null && in.toAbsolutePath().normalize().equals(out.toAbsolutePath().normalize())) {
            throw new IllegalArgumentException("in and out must not be the same file: in=" + in);
        }
        Bounds.atLeast("loops", loops, 1);
        if (speed != MAX_SPEED && !(speed >= LEAST_SPEED && speed <= MOST_SPEED)) {
            throw new IllegalArgumentException("speed must be max or 0.000001 to 1000000: speed=" + speed);
        }
        if (in == null && (loops != 1 || speed != MAX_SPEED)) {
            throw new IllegalArgumentException("loops and speed are for in=FILE, and there is none");
        }
        if (out == null && overwrite) {
            throw new IllegalArgumentException("overwrite is for out=FILE, and there is none");
        }
    }

    /** A port that reads a file once without a pace. */
    public static PcapSettings reading(final Path in) {
        return new PcapSettings(in, 1, MAX_SPEED, Cut.SEND, null, CaptureFormat.PCAP, false);
    }

    /** A port that writes a new file in the format that its name implies. */
    public static PcapSettings writing(final Path out) {
        return new PcapSettings(null, 1, MAX_SPEED, Cut.SEND, out, formatOf(out), false);
    }

    /** Whether a text has this kind. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Parses settings.
     *
     * @throws InputException if they are wrong.
     */
    public static PcapSettings parse(final String text) {
        final PortText line = new PortText(KIND, text, ADVICE);
        Path in = null;
        Path out = null;
        long loops = 1;
        double speed = MAX_SPEED;
        Cut cut = null;
        CaptureFormat format = null;
        boolean overwrite = false;
        while (line.next()) {
            if (line.isWord() && line.index() == 0) {
                line.once("out");
                out = file(line, line.part());
                continue;
            }
            switch (line.key()) {
                case "in" -> in = file(line, line.value().equals(STANDARD_INPUT) ? "/dev/stdin" : line.value());
                case "out" -> out = file(line, line.value());
                case "loops" -> loops = line.value().equals("forever") ? FOREVER : line.number(1, FOREVER - 1);
                case "speed" -> speed = speed(line);
                case "cut" -> cut = cut(line);
                case "format" -> format = format(line);
                case "overwrite" -> overwrite = word(line);
                default -> throw line.unknown();
            }
        }
        if (cut != null && in == null) {
            throw line.wrong("cut is for in=FILE, and there is none");
        }
        if (format != null && out == null) {
            throw line.wrong("format is for out=FILE, and there is none");
        }
        try {
            return new PcapSettings(in, loops, speed, cut == null ? Cut.SEND : cut, out,
                format != null ? format : out != null ? formatOf(out) : CaptureFormat.PCAP, overwrite);
        } catch (final IllegalArgumentException e) {
            throw line.wrong(e.getMessage());
        }
    }

    private static boolean word(final PortText line) {
        if (!line.isWord()) {
            throw line.unknown();
        }
        return true;
    }

    private static Path file(final PortText line, final String name) {
        if (name.isEmpty()) {
            throw line.wrong(line.key() + " names no file");
        }
        try {
            return Path.of(name);
        } catch (final InvalidPathException e) {
            throw line.wrong("'" + name + "' is no name of a file in this locale, which LC_ALL=C.UTF-8 would change");
        }
    }

    private static double speed(final PortText line) {
        if (line.value().equals("max")) {
            return MAX_SPEED;
        }
        try {
            return Double.parseDouble(line.value());
        } catch (final NumberFormatException e) {
            throw line.wrong("speed must be max or a number: " + line.part());
        }
    }

    private static Cut cut(final PortText line) {
        return switch (line.value()) {
            case "send" -> Cut.SEND;
            case "pad" -> Cut.PAD;
            case "skip" -> Cut.SKIP;
            default -> throw line.wrong("cut must be send, pad or skip: " + line.part());
        };
    }

    private static CaptureFormat format(final PortText line) {
        return switch (line.value()) {
            case "pcap" -> CaptureFormat.PCAP;
            case "pcapng" -> CaptureFormat.PCAPNG;
            default -> throw line.wrong("format must be pcap or pcapng: " + line.part());
        };
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
