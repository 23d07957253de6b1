package dev.skerry.schedule;

import dev.skerry.schedule.check.Bounds;

/**
 * The input that each output of a circuit switch selects in every slot of the epoch (docs/spec/shoal.md §7,
 * docs/spec/shale.md §2.6).
 *
 * <pre>
 *   index        slotInEpoch * ports + port
 *   selected     by output: the input it selects, plus 1; 0: empty
 *   reached      by input: the output that selects it, plus 1; 0: none
 * </pre>
 *
 * The builder refuses tables in which an input feeds two outputs or an output selects two inputs (C1). Identical
 * switches share a table. Immutable; any thread may call. The accessors do not check their arguments.
 */
public final class SwitchTable {
    /** No port: the output selects no input, or no output selects the input. */
    public static final int DARK = -1;
    /** Maximum number of ports of a switch. */
    public static final int MAX_PORTS = 65_535;
    /** Maximum number of entries of a table, ports times slots. */
    public static final int MAX_ENTRIES = 1 << 28;

    private final int ports;
    private final int epochSlots;
    private final char[] selected;
    private final char[] reached;

    private SwitchTable(final int ports, final int epochSlots, final char[] selected, final char[] reached) {
        this.ports = ports;
        this.epochSlots = epochSlots;
        this.selected = selected;
        this.reached = reached;
    }

    /** Number of inputs, and of outputs. */
    public int ports() {
        return ports;
    }

    /** Slots of an epoch. */
    public int epochSlots() {
        return epochSlots;
    }

    /** The input that an output selects in a slot of the epoch, or {@link #DARK}. */
    public int selected(final int slotInEpoch, final int out) {
        return selected[slotInEpoch * ports + out] - 1;
    }

    /** The output that selects an input in a slot of the epoch, or {@link #DARK}. */
    public int reached(final int slotInEpoch, final int in) {
        return reached[slotInEpoch * ports + in] - 1;
    }

    /** Builds a table that is dark at first. For set-up; one thread at a time. */
    public static final class Builder {
        private final int ports;
        private final int epochSlots;
        private final char[] selected;
        private final char[] reached;
        private boolean built;

        /**
         * Creates a table in which all outputs are empty.
         *
         * @param ports      number of inputs, and of outputs, 1 to {@link #MAX_PORTS}.
         * @param epochSlots slots of an epoch, at least 1; ports * epochSlots is at most {@link #MAX_ENTRIES}.
         * @throws IllegalArgumentException if a number is out of range.
         */
        public Builder(final int ports, final int epochSlots) {
            Bounds.refuseIf(ports < 1 || ports > MAX_PORTS, "a switch has 1 to ", MAX_PORTS, " ports: ports=", ports);
            Bounds.refuseIf(epochSlots < 1 || (long) ports * epochSlots > MAX_ENTRIES, "a switch table has 1 to ",
                MAX_ENTRIES, " entries: ports=", ports, " epochSlots=", epochSlots);
            this.ports = ports;
            this.epochSlots = epochSlots;
            this.selected = new char[ports * epochSlots];
            this.reached = new char[ports * epochSlots];
        }

        /**
         * Connects an input to an output in a slot of the epoch.
         *
         * @throws IllegalArgumentException if the table has no such entry, C1 would be broken, or the table is already
         *                                  built.
         */
        public Builder connect(final int slotInEpoch, final int in, final int out) {
            if (built || slotInEpoch < 0 || slotInEpoch >= epochSlots || in < 0 || in >= ports
                || out < 0 || out >= ports) {
                throw refused(built ? "a table cannot be changed after it was built" : "no such "
                    + "entry", slotInEpoch, in, out);
            }
            final int row = slotInEpoch * ports;
            if (selected[row + out] != 0) {
                throw refused("C1: an output would select two inputs", slotInEpoch, in, out);
            }
            if (reached[row + in] != 0) {
                throw refused("C1: an input would feed two outputs", slotInEpoch, in, out);
            }
            selected[row + out] = (char) (in + 1);
            reached[row + in] = (char) (out + 1);
            return this;
        }

        /** Returns the table; the builder cannot be used afterwards. */
        public SwitchTable build() {
            built = true;
            return new SwitchTable(ports, epochSlots, selected, reached);
        }

        private IllegalArgumentException refused(final String what, final int slot, final int in, final int out) {
            return new IllegalArgumentException(what + ": slotInEpoch=" + slot + " in=" + in + " out=" + out
                + " ports=" + ports + " epochSlots=" + epochSlots);
        }
    }
}
