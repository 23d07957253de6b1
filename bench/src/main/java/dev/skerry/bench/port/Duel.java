package dev.skerry.bench.port;

/** One kind of work at a memif port: testpmd does it, then we do, opposite the same testpmd. */
enum Duel {
    /** Takes packets out of the ring, with a copy, and drops them. */
    RECEIVE("txonly", "TX-packets", "rxonly"),
    /** Sends back what it gets, to a peer that sends and receives at once. */
    ECHO("flowgen", "RX-packets", "io"),
    /** Makes packets and sends them, all alike. */
    GENERATE("rxonly", "RX-packets", "txonly"),
    /** The same, but ours have number, time and check sums. */
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

    /** Mode of the testpmd that both meet, and that counts. */
    String peer() {
        return peer;
    }

    /** What it counts. */
    String counter() {
        return counter;
    }

    /** Mode of the testpmd in our place. */
    String baseline() {
        return baseline;
    }

    /** Who generates is the client, as in testpmd's own pair; who is sent to is the server. */
    String role() {
        return generates() ? "client" : "server";
    }

    /** The peer's. */
    String peerRole() {
        return generates() ? "server" : "client";
    }
}
