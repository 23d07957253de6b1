package dev.skerry.tools.resources;

import java.util.List;

/**
 * A part of a ToR chip and what an FE saves of it (Stardust Appendix C, docs/spec/stardust.md §9). The paper prints the
 * savings of interfaces and of the remaining logic and the result of all; the shares are in an image only, so they are
 * the user's to give.
 *
 * @param name   of the part.
 * @param share  of the ToR chip's area, 0 to 1.
 * @param saving of that in the FE, up to 1; negative if the FE takes more.
 */
public record AreaPart(String name, double share, double saving) {
    /** Area of an FE for a Tb/s, in that of a ToR chip. */
    public static final double ELEMENT_PER_TBPS = 0.666;
    /** What an FE saves of network interfaces, for each port. */
    public static final double INTERFACE_SAVING = 0.70;
    /** What an FE saves of the remaining logic. */
    public static final double REMAINING_SAVING = 0.40;
    /** Area of an FE in that of a switch of reconfigurable match tables. */
    public static final double OF_RMT_SWITCH = 0.45;
    /** Share of an FA's area that serves Stardust. */
    public static final double STARDUST_IN_ADAPTER = 0.08;

    /**
     * Checks the numbers.
     *
     * @throws IllegalArgumentException if one is out of range.
     */
    public AreaPart {
        if (!(share >= 0 && share <= 1) || !(saving <= 1) || Double.isInfinite(saving)) {
            throw new IllegalArgumentException("a share is 0 to 1, a saving at most 1: " + name + ":" + share + ":"
                + saving);
        }
    }

    /**
     * Area of an FE in that of a ToR chip of the same bandwidth.
     *
     * @throws IllegalArgumentException if the shares do not sum to 1 within a thousandth.
     */
    public static double element(final List<AreaPart> parts) {
        double shares = 0;
        double area = 0;
        for (final AreaPart part : parts) {
            shares += part.share;
            area += part.share * (1 - part.saving);
        }
        if (Math.abs(shares - 1) > 1e-3) {
            throw new IllegalArgumentException("the shares of all parts sum to 1: sum=" + shares);
        }
        return area;
    }
}
