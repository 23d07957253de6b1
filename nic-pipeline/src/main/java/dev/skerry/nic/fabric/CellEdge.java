package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.PayloadStore;

/**
 * An edge of a circuit fabric. It hands over a cell when its slot comes ({@link PayloadStore#inject}). A delivered cell
 * ({@link PayloadStore#deliver}) waits until the edge is polled; delivering changes nothing else.
 */
public interface CellEdge extends Edge, PayloadStore {
}
