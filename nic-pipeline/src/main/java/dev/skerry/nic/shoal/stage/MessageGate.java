package dev.skerry.nic.shoal.stage;

/** Destinations that no message can be sent to. */
@FunctionalInterface
interface MessageGate {
    /** Everyone can be reached. */
    MessageGate OPEN = (node, destination) -> false;

    /**
     * Whether a message from a node has no way.
     *
     * @param node        number in the bank.
     * @param destination id.
     */
    boolean refuses(int node, int destination);
}
