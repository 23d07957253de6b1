package dev.skerry.bench.port;

/** One kind of work at a memif port. testpmd does it first, then our peer, opposite the same testpmd. */
enum Duel {
    /** Receives packets, copies them out of the ring and drops them. */
    RECEIVE("txonly", "TX-packets", "rxonly"),
    /** Sends back every packet, opposite a peer that sends and receives at the same time. */
    ECHO("flowgen", "RX-packets", "io"),
    /** Sends packets that are all alike. */
    GENERATE("rxonly", "RX-packets", "txonly"),
    /** Sends packets like {@link #GENERATE}; ours also carry a number, a time and checksums. */
    PROBE("rxonly", "RX-packets", "txonly");

    private final String peer;
    private final String counter;
    private final String baseline;

    Duel(final String peer, final String counter, final String baseline) {
        this.peer = peer;
        this.counter = counter;
        this.baseline = baseline;
    }

    private boolean generates() {
        return this == GENERATE || this == PROBE;
    }

    /** Forwarding mode of the testpmd opposite, whose counter is measured. */
    String peer() {
        return peer;
    }

    /** Counter of that testpmd that is measured. */
    String counter() {
        return counter;
    }

    /** Forwarding mode of the testpmd that does our work as the baseline. */
    String baseline() {
        return baseline;
    }

    /** Our role. The generator is the client, as in testpmd's own pair; the receiver is the server. */
    String role() {
        return generates() ? "client" : "server";
    }

    /** The role of the testpmd opposite. */
    String peerRole() {
        return generates() ? "server" : "client";
    }
}
