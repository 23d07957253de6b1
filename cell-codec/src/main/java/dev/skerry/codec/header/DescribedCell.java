package dev.skerry.codec.header;

import dev.skerry.codec.ShaleToken;

/**
 * What a header says, whatever its layout. A number that the header lacks is {@link #UNKNOWN}.
 *
 * @param state          what the slot holds; the other components of nothing have no meaning.
 * @param source         originator, a node id.
 * @param destination    a node id.
 * @param sequence       low bits of the cell's number within source and destination.
 * @param sprays         sprays that remain at the receiver.
 * @param phase          phase of the slot it is sent in.
 * @param sourceMac      node that sends it on this hop.
 * @param destinationMac node that receives it on this hop.
 * @param token1         a {@link ShaleToken} or {@link ShaleToken#NONE}.
 * @param token2         a second token or {@link ShaleToken#NONE}.
 */
public record DescribedCell(SlotState state, int source, int destination, int sequence, int sprays, int phase,
    int sourceMac, int destinationMac, int token1, int token2) {
    /** A number that the header does not have. */
    public static final int UNKNOWN = -1;
    /** A slot in which nothing is sent. */
    public static final DescribedCell NOTHING = new DescribedCell(SlotState.NOTHING, UNKNOWN, UNKNOWN, UNKNOWN,
        UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, ShaleToken.NONE, ShaleToken.NONE);
}
