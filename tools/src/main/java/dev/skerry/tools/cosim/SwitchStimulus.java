package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchCounter;

import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Draws slots of a circuit switch: mostly valid cells, some stale or duplicate, and bootstrap signals that are early,
 * late or repeated.
 */
final class SwitchStimulus implements Stimulus {
    private static final int MAX_AFTER = 4;
    private static final int SIGNALS = 24;
    private static final SwitchCounter[] COUNTERS = SwitchCounter.values();

    private final Weights weights;
    private final Coverage coverage = new Coverage("empty", "full", "wrap", "same cycle", "dark", "unselected",
        "second cell", "wrong stamp", "signal ignored");
    private final int ports;
    private final int epochSlots;
    private final long[] before = new long[COUNTERS.length];
    private long runningSlots;

    SwitchStimulus(final RegisterTable table, final Map<String, Integer> weights) {
        this.ports = table.ports();
        this.epochSlots = table.epochSlots();
        this.weights = new Weights("cell=6", "none=3", "stale=1", "twice=1").with(weights);
    }

    @Override
    public void begin(final Twin twin) {
        runningSlots = 0;
        Arrays.fill(before, 0);
    }

    @Override
    public void draw(final SplittableRandom random, final long[] row) {
        row[SwitchTwin.START] = random.nextInt(SIGNALS) == 0 ? 1 : 0;
        row[SwitchTwin.AFTER] = row[SwitchTwin.START] == 0 ? 0 : random.nextInt(-1, MAX_AFTER);
        for (int port = 0; port < ports; port++) {
            final String choice = weights.draw(random);
            row[SwitchTwin.FIRST_CELL + 2 * port] =
                choice.equals("none") ? SwitchTwin.DARK : random.nextInt(Integer.MAX_VALUE);
            row[SwitchTwin.FIRST_CELL + 2 * port + 1] = switch (choice) {
                case "stale" -> SwitchTwin.STALE;
                case "twice" -> SwitchTwin.TWICE;
                default -> SwitchTwin.ONE;
            };
        }
    }

    @Override
    public void covered(final long[] row, final long[] answer) {
        int cells = 0;
        for (int port = 0; port < ports; port++) {
            cells += row[SwitchTwin.FIRST_CELL + 2 * port] == SwitchTwin.DARK ? 0 : 1;
        }
        runningSlots += answer[ports];
        coverage.count("empty", cells == 0);
        coverage.count("full", cells == ports);
        coverage.count("wrap", answer[ports] != 0 && runningSlots % epochSlots == 1 && runningSlots > 1);
        coverage.count("same cycle", row[SwitchTwin.START] != 0 && row[SwitchTwin.AFTER] == 0);
        count("dark", SwitchCounter.DARK_BY_TABLE, answer);
        count("unselected", SwitchCounter.DROPPED_UNSELECTED, answer);
        count("second cell", SwitchCounter.DROPPED_SECOND_CELL, answer);
        count("wrong stamp", SwitchCounter.WRONG_STAMP, answer);
        count("signal ignored", SwitchCounter.SIGNALS_IGNORED, answer);
        for (final SwitchCounter counter : COUNTERS) {
            before[counter.ordinal()] = answer[at(counter)];
        }
    }

    /** Counters are cumulative: a case occurred if its counter has grown. */
    private void count(final String name, final SwitchCounter counter, final long[] answer) {
        coverage.count(name, answer[at(counter)] > before[counter.ordinal()]);
    }

    private int at(final SwitchCounter counter) {
        return ports + 1 + counter.ordinal();
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
