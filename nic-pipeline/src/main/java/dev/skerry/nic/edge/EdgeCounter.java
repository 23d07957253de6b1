package dev.skerry.nic.edge;

/**
 * Everything that is counted where packets enter and leave a fabric, at each port. Law over all ports of a fabric, with
 * the packets that {@link dev.skerry.nic.packet.PacketCounter} says were lost in it:
 * {@code RX_PACKETS + COPIES = TX_PACKETS + held + drops + lost}.
 */
public enum EdgeCounter {
    /** Packets taken from the port. */
    RX_PACKETS("packets taken from the port"),
    /** Their bytes. */
    RX_BYTES("bytes taken from the port"),
    /** Packets that went to every other port, as nobody knows where their destination is. */
    FLOODED("packets sent to every other port"),
    /** Copies of these beyond the first. */
    COPIES("further copies made of packets sent to every other port"),
    /** Back-pressure: packets wait in the port, as there are no cells to cut them into. */
    WAITS("times packets were left waiting in the port as the fabric was full"),
    /** Packets handed to the port. */
    TX_PACKETS("packets handed to the port"),
    /** Their bytes. */
    TX_BYTES("bytes handed to the port"),
    /** Drop: the destination is at the port it came from. */
    DROPPED_SAME_PORT("packets dropped as their destination is behind the port they came from"),
    /** Drop: shorter than a MAC header. */
    DROPPED_NO_ADDRESS("packets dropped as they are too short for MAC addresses"),
    /** Drop: the rules lead nowhere. */
    DROPPED_NOWHERE("packets dropped as no port is theirs to go to"),
    /** Drop: nobody at the other side of the port. */
    DROPPED_PORT_DOWN("packets dropped as the port they go to has no peer"),
    /** Drop: the peer did not take packets for too long. */
    DROPPED_PORT_STALLED("packets dropped as the peer of the port they go to takes none"),
    /** Drop: the port failed. */
    DROPPED_PORT_DEAD("packets dropped as the port they go to has failed");

    private final String sentence;

    EdgeCounter(final String sentence) {
        this.sentence = sentence;
    }

    /** What it counts, in words. */
    public String sentence() {
        return sentence;
    }

    /** Whether it counts packets that were taken from a port and will not be handed to one. */
    public boolean isDrop() {
        return compareTo(DROPPED_SAME_PORT) >= 0;
    }
}
