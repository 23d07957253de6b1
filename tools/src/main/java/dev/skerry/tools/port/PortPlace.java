package dev.skerry.tools.port;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Place of a port: {@code NODE}, or {@code NODE.NUMBER} for the second and later ports of a node.
 *
 * @param node   node of the port. Whether the fabric has this node is not checked here.
 * @param number number of the port at its node, from 0.
 */
public record PortPlace(int node, int number) {
    /** Value for no place. */
    public static final PortPlace NONE = new PortPlace(-1, 0);
    /** Maximum number of a port at its node. */
    public static final int MOST_NUMBER = 255;

    /** MAC address of the first port of node 0; the address of another node is this plus its number. */
    public static final long NODE_ADDRESS = 0x0200_0000_0000L;

    /** Pattern of a MAC address. */
    static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}");
    private static final long GROUP_BIT = 1L << 40;
    private static final int HEX = 16;
    private static final int NODE_MASK = 0xFFFF;
    private static final long REST_MASK = 0xFFFF_FFFFL;
    private static final int MOST_NODE = 1 << 20;
    private static final Pattern TEXT = Pattern.compile("(\\d{1,7})(?:\\.([1-9]\\d{0,2}))?");

    /** Returns the place that a text names; {@link #NONE} if it does not name one. */
    public static PortPlace of(final String text) {
        final Matcher place = TEXT.matcher(text);
        if (!place.matches()) {
            return NONE;
        }
        final int node = Integer.parseInt(place.group(1));
        final int number = place.group(2) == null ? 0 : Integer.parseInt(place.group(2));
        return node < MOST_NODE && number <= MOST_NUMBER ? new PortPlace(node, number) : NONE;
    }

    /** Returns the MAC address of a port: that of its node, with the number of the port in the second byte. */
    public static long macOf(final int node, final int number) {
        return NODE_ADDRESS + ((long) number << Integer.SIZE) + node;
    }

    /** Returns the place with a MAC address; {@link #NONE} for other addresses. */
    public static PortPlace ofMac(final long mac) {
        final long rest = mac - NODE_ADDRESS;
        final long number = rest >>> Integer.SIZE;
        return number > MOST_NUMBER || (rest & REST_MASK) > NODE_MASK ? NONE
            : new PortPlace((int) rest & NODE_MASK, (int) number);
    }

    /** Returns a MAC address with its first byte in bits 47 to 40; -1 if the text is not a MAC address. */
    public static long mac(final String text) {
        return MAC.matcher(text).matches() ? Long.parseLong(text.replace(":", ""), HEX) : -1;
    }

    /** Tells whether a MAC address is a multicast or broadcast address. */
    public static boolean isGroup(final long mac) {
        return (mac & GROUP_BIT) != 0;
    }

    /** Returns the place as it is typed. */
    @Override
    public String toString() {
        return number == 0 ? Integer.toString(node) : node + "." + number;
    }
}
