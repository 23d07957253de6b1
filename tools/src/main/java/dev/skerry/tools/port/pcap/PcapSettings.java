package dev.skerry.tools.port.pcap;

import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.PortText;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * A port to capture files as a user writes it:
 * {@code pcap:FILE | pcap:[in=FILE][,out=FILE][,loops=N|forever][,speed=X|max][,format=pcap|pcapng][,overwrite]}.
 * {@code pcap:FILE} is short for {@code pcap:out=FILE}. A file that is there is never written over unless that is said:
 * who wanted to read it keeps it.
 *
 * @param in        file whose packets come out of the port; null for none.
 * @param loops     times it is read, {@link #FOREVER} for no end.
 * @param speed     1 to keep the distances of its stamps, X to be X times as fast; {@link #MAX_SPEED} for as fast as it
 *                  goes.
 * @param out       file that takes the packets sent to the port; null for none. A name that ends in {@code .gz} is
 *                  compressed.
 * @param format    of the written file; by default pcapng if the name says so ({@code .pcapng}, {@code .ntar}, each
 *                  with or without {@code .gz}), else pcap.
 * @param overwrite whether {@code out} may be a file that exists.
 */
public record PcapSettings(Path in, long loops, double speed, Path out, CaptureFormat format, boolean overwrite) {
    /** How it is written. */
    public static final String KIND = "pcap";

    /** No end of loops. */
    public static final long FOREVER = Long.MAX_VALUE;

    /** No pace. */
    public static final double MAX_SPEED = Double.POSITIVE_INFINITY;

    static final String GZIP = ".gz";

    private static final String ADVICE = "write pcap:in=FILE to read or pcap:out=FILE to write, and after it "
        + "loops=N|forever, speed=X|max, format=pcap|pcapng, overwrite as needed";
    private static final double LEAST_SPEED = 1e-6;
    private static final double MOST_SPEED = 1e6;

    /** Checks every component. */
    public PcapSettings {
        if (in == null && out == null) {
            throw new IllegalArgumentException("it names no file");
        }
        if (in != null && out != null && in.toAbsolutePath().normalize().equals(out.toAbsolutePath().normalize())) {
            throw new IllegalArgumentException("in and out must not be the same file: in=" + in);
        }
        if (loops < 1) {
            throw new IllegalArgumentException("loops must be at least 1: loops=" + loops);
        }
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

    /** A port that reads a file once, as fast as it goes. */
    public static PcapSettings reading(final Path in) {
        return new PcapSettings(in, 1, MAX_SPEED, null, CaptureFormat.PCAP, false);
    }

    /** A port that writes a file that does not exist yet, in the format of its name. */
    public static PcapSettings writing(final Path out) {
        return new PcapSettings(null, 1, MAX_SPEED, out, formatOf(out), false);
    }

    /** Whether a text is meant to be one of these. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Reads settings.
     *
     * @throws InputException if they are wrong.
     */
    public static PcapSettings parse(final String text) {
        final PortText line = new PortText(KIND, text, ADVICE);
        Path in = null;
        Path out = null;
        long loops = 1;
        double speed = MAX_SPEED;
        CaptureFormat format = null;
        boolean overwrite = false;
        while (line.next()) {
            if (line.isWord() && line.index() == 0) {
                line.once("out");
                out = file(line, line.part());
                continue;
            }
            switch (line.key()) {
                case "in" -> in = file(line, line.value());
                case "out" -> out = file(line, line.value());
                case "loops" -> loops = line.value().equals("forever") ? FOREVER : line.number(1, FOREVER - 1);
                case "speed" -> speed = speed(line);
                case "format" -> format = format(line);
                case "overwrite" -> overwrite = word(line);
                default -> throw line.unknown();
            }
        }
        if (format != null && out == null) {
            throw line.wrong("format is for out=FILE, and there is none");
        }
        try {
            return new PcapSettings(in, loops, speed, out,
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
            throw line.wrong("'" + name + "' is no name of a file");
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
}
