package dev.skerry.nic.fabric;

import dev.skerry.nic.flow.PayloadStore;

/**
 * An edge of a circuit fabric. The bank asks for a cell when its slot comes ({@link PayloadStore#inject}). A delivered
 * cell ({@link PayloadStore#deliver}) waits until the edge is polled; delivering has no other effect.
 */
public interface CellEdge extends Edge, PayloadStore {
}
