package dev.skerry.tools.execution;

import dev.skerry.tools.run.Scenario;

import java.io.Console;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Shows the progress of a run: on a terminal, in a line that is updated after the first two seconds; elsewhere, in a
 * new line every ten seconds. Used by the thread of the run.
 */
final class ProgressLine {
    private static final long FIRST_NS = 2_000_000_000L;
    private static final long INTERVAL_NS = 250_000_000L;
    private static final long LINE_NS = 10_000_000_000L;
    private static final String ERASE = "\r\033[K";

    private final PrintWriter out;
    private final boolean terminal;
    private final int nodes;
    private final long slots;
    private final int flows;
    private final LongSupplier clock;
    private final long start;
    private long next;

    /** Creates the line; nothing is shown yet. The clock counts nanoseconds from any origin. */
    ProgressLine(final PrintWriter out, final boolean terminal, final int nodes, final long slots, final int flows,
        final LongSupplier clock) {
        this.out = out;
        this.terminal = terminal;
        this.nodes = nodes;
        this.slots = slots;
        this.flows = flows;
        this.clock = clock;
        this.start = clock.getAsLong();
        this.next = start + (terminal ? FIRST_NS : LINE_NS);
    }

    static ProgressLine on(final PrintWriter out, final Scenario scenario) {
        final Console console = System.console();
        return new ProgressLine(out, console != null && console.isTerminal(), scenario.fabric().nodes(),
            scenario.slotLimit(), scenario.flows().size(), System::nanoTime);
    }

    /** Shows the line if it is due. */
    void show(final long slot, final long completed) {
        final long now = clock.getAsLong();
        if (now - next < 0) {
            return;
        }
        next = now + (terminal ? INTERVAL_NS : LINE_NS);
        final String line = line(slot, completed, (now - start) / 1e9);
        out.print(terminal ? ERASE + line : "skerry: run: " + line + System.lineSeparator());
        out.flush();
    }

    /** Removes the line. */
    void clear() {
        if (terminal && next - start > FIRST_NS) {
            out.print(ERASE);
            out.flush();
        }
    }

    /**
     * Returns the text of the line. The remaining time is estimated from slots, or from flows if the run ends with the
     * last flow.
     */
    String line(final long slot, final long completed, final double seconds) {
        final double share = slots > 0 ? (double) slot / slots : flows > 0 ? (double) completed / flows : 0;
        return String.format(Locale.ROOT, "%s slots%s, %,d of %,d flows, %.1f M node-slots/s%s",
            slots > 0 ? String.format(Locale.ROOT, "%,d of %,d", slot, slots) : String.format(Locale.ROOT, "%,d", slot),
            slots > 0 ? String.format(Locale.ROOT, " (%d %%)", (int) (100 * share)) : "", completed, flows,
            nodes * (double) slot / seconds / 1e6,
            share > 0 ? String.format(Locale.ROOT, ", %d s to go", Math.round(seconds / share - seconds)) : "");
    }
}
