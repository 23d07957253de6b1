package dev.skerry.nic.edge;

/** What stands and rests at the edges of a fabric at present. Any thread may call; values may lag. */
public final class EdgeGauges {
    private final BankPorts[] banks;
    private final int[] bankOf;
    private final EdgeMemory memory;

    EdgeGauges(final BankPorts[] banks, final int[] bankOf, final EdgeMemory memory) {
        this.banks = banks;
        this.bankOf = bankOf;
        this.memory = memory;
    }

    /** Cells that wait at a port to enter the fabric. */
    public int waitingCells(final int port) {
        return banks[bankOf[port]].ingressOf(port).waiting();
    }

    /** Cells that have arrived for a port and that it has not taken yet. */
    public int arrivedCells(final int port) {
        return banks[bankOf[port]].arrivedCells(port);
    }

    /** Cells of a port's packets to another port, from cut to handed over. */
    public int heldCells(final int port, final int to) {
        return memory.held(port, to);
    }

    /** Time in ns in which a bank let no slot pass because nothing was under way. */
    public long restedNs(final int bank) {
        return banks[bank].restedNs();
    }
}
