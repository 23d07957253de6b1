package dev.skerry.tools.traffic;

/** Seconds of a slot whose length is given in decimal ns. */
public final class SlotSeconds {
    private static final int NANO = -9;

    private SlotSeconds() {
    }

    /**
     * The double nearest to the decimal number: 5.8125 * 1e-9 is not 5.8125e-9, and the authors' simulators are given
     * the latter. By text, as to load decimal arithmetic takes 25 ms.
     *
     * @param ns finite, over 0.
     */
    public static double of(final double ns) {
        final String text = Double.toString(ns);
        final int mark = text.indexOf('E');
        final int exponent = mark < 0 ? 0 : Integer.parseInt(text.substring(mark + 1));
        return Double.parseDouble((mark < 0 ? text : text.substring(0, mark)) + "E" + (exponent + NANO));
    }
}
