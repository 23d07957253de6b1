package dev.skerry.tools.port;

import dev.skerry.tools.input.InputException;

/**
 * A TAP device of the command line: {@code tap:NAME}.
 *
 * @param name name of the device, see {@link #checkedName}.
 */
public record TapSettings(String name) {
    /** Kind of port on the command line. */
    public static final String KIND = "tap";

    private static final String ADVICE = "write tap:NAME, for example tap:skerry0";

    /** Whether a text has this kind. */
    public static boolean isOne(final String text) {
        return PortText.isOne(KIND, text);
    }

    /**
     * Parses settings.
     *
     * @throws InputException if they are wrong.
     */
    public static TapSettings parse(final String text) {
        final PortText line = new PortText(KIND, text, ADVICE);
        if (!line.next()) {
            throw line.wrong("it names no device");
        }
        final String name = checkedName(line);
        if (line.next()) {
            throw line.unknown();
        }
        return new TapSettings(name);
    }

    /**
     * The part as the name of a network interface: 1 to 15 printable ASCII characters, but no slash, colon, percent
     * sign or space, and not {@code .} or {@code ..}. The system would take a percent sign as a pattern.
     *
     * @throws InputException if it is none.
     */
    static String checkedName(final PortText line) {
        final String name = line.part();
        if (name.length() > DeviceCalls.MAX_NAME) {
            throw line.wrong("the name of an interface has at most " + DeviceCalls.MAX_NAME + " characters: '" + name
                + "'");
        }
        if (!name.matches("[!-~&&[^/:%=]]+") || name.equals(".") || name.equals("..")) {
            throw line.wrong("'" + name + "' is no name of an interface");
        }
        return name;
    }

    /** Text that {@link #parse} accepts. */
    @Override
    public String toString() {
        return KIND + ":" + name;
    }
}
