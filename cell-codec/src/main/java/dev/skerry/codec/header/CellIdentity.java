package dev.skerry.codec.header;

/**
 * What tells a cell from the others of a fabric.
 *
 * @param source      originator, a node id.
 * @param destination a node id.
 * @param sequence    number of the cell within source and destination, modulo 2 to the width of the header's field.
 */
public record CellIdentity(int source, int destination, int sequence) {
}
