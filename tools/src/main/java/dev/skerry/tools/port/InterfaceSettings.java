package dev.skerry.tools.port;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.tools.input.InputException;

/**
 * A network interface of the command line: {@code packet:IFACE[,promisc=on|off][,ring=MIB]}.
 *
 * @param name        name of the interface, see {@link TapSettings#checkedName}.
 * @param promiscuous whether it receives packets to addresses of others too.
 * @param ringMib     size of the receive ring, in MiB, 4 to 1,024.
 */
public record InterfaceSettings(String name, boolean promiscuous, int ringMib) {
    /** Kind of port on the command line. */
    public static final String KIND = "packet";

    private static final String ADVICE =
        "write packet:IFACE, for example packet:eth1, and after it promisc=off or ring=MIB as needed";
    private static final int RING_MIB = 16;
    private static final int MIN_MIB = 4;
    private static final int MAX_MIB = 1024;

    /**
     * Checks the bounds of the ring.
     *
     * @throws IllegalArgumentException if it is out of range.
     */
    public InterfaceSettings {
        Bounds.require("ring", ringMib, MIN_MIB, MAX_MIB);
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
    public static InterfaceSettings parse(final String text) {
        final PortText line = new PortText(KIND, text, ADVICE);
        if (!line.next()) {
            throw line.wrong("it names no interface");
        }
        final String name = TapSettings.checkedName(line);
        boolean promiscuous = true;
        int ring = RING_MIB;
        while (line.next()) {
            switch (line.key()) {
                case "promisc" -> promiscuous = isOn(line);
                case "ring" -> ring = (int) line.number(MIN_MIB, MAX_MIB);
                default -> throw line.unknown();
            }
        }
        return new InterfaceSettings(name, promiscuous, ring);
    }

    private static boolean isOn(final PortText line) {
        return switch (line.value()) {
            case "on" -> true;
            case "off" -> false;
            default -> throw line.wrong("promisc must be on or off: " + line.part());
        };
    }

    /** Text that {@link #parse} accepts. */
    @Override
    public String toString() {
        return KIND + ":" + name + ",promisc=" + (promiscuous ? "on" : "off") + ",ring=" + ringMib;
    }
}
