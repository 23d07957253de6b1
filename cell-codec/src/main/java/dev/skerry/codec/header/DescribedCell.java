package dev.skerry.codec.header;

import dev.skerry.codec.ShaleToken;

/**
 * Contents of a header, whatever its layout. Fields that the header lacks are {@link #UNKNOWN}.
 *
 * @param state          what the slot holds; if {@link SlotState#NOTHING}, the other components have no meaning.
 * @param source         source, a node id.
 * @param destination    destination, a node id.
 * @param sequence       low bits of the cell's number within source and destination.
 * @param sprays         sprays that remain at the receiver.
 * @param phase          phase of the slot in which the cell is sent.
 * @param sourceMac      node that sends the cell on this hop.
 * @param destinationMac node that receives the cell on this hop.
 * @param token1         a {@link ShaleToken} or {@link ShaleToken#NONE}.
 * @param token2         a second token or {@link ShaleToken#NONE}.
 */
public record DescribedCell(SlotState state, int source, int destination, int sequence, int sprays, int phase,
    int sourceMac, int destinationMac, int token1, int token2) {
    /** A field that the header does not have. */
    public static final int UNKNOWN = -1;
    /** A slot in which nothing is sent. */
    public static final DescribedCell NOTHING = new DescribedCell(SlotState.NOTHING, UNKNOWN, UNKNOWN, UNKNOWN,
        UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, ShaleToken.NONE, ShaleToken.NONE);
}
