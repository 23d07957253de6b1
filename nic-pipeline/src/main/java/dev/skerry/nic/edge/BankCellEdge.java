package dev.skerry.nic.edge;

import dev.skerry.nic.fabric.CellEdge;
import dev.skerry.nic.fabric.Intake;

/**
 * The edge of a bank of a circuit fabric.
 *
 * @param ports the bank's ports.
 */
record BankCellEdge(BankPorts ports) implements CellEdge {
    @Override
    public void join(final Intake intake) {
        ports.join(intake);
    }

    @Override
    public long inject(final long identity) {
        return ports.inject(identity);
    }

    @Override
    public long deliver(final long cell) {
        return ports.arrivals().deliver(cell);
    }

    @Override
    public long identify(final long cell) {
        return ports.arrivals().identify(cell);
    }

    @Override
    public void discard(final long cell) {
        ports.arrivals().discard(cell);
    }

    @Override
    public long poll(final long slot) {
        return ports.poll(slot);
    }
}
