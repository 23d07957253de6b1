package dev.skerry.tools.traffic;

import dev.skerry.nic.fault.Fault;

/** The circuit switches that a script of faults may name. */
public interface SwitchNames {
    /** Of fabrics whose switches do not fail. */
    SwitchNames NONE = new SwitchNames() {
        @Override
        public int count(final String kind) {
            return 0;
        }

        @Override
        public Fault.Switch fault(final long slot, final String kind, final int number, final boolean up) {
            throw new IllegalArgumentException("no switch fails here: kind=" + kind);
        }
    };

    /** How many there are of a kind: leaf, spine or switch; 0 if scripts may name none. */
    int count(String kind);

    /** The fault of one of them, 0 to {@link #count} - 1. */
    Fault.Switch fault(long slot, String kind, int number, boolean up);
}
