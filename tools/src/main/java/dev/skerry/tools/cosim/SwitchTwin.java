package dev.skerry.tools.cosim;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.circuit.SwitchCounter;
import dev.skerry.dataplane.memory.Region;
import dev.skerry.dataplane.memory.StateImage;
import dev.skerry.dataplane.ring.LinkBundle;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * A circuit switch, one slot per step.
 *
 * <pre>
 *   in    start | after | cell 0 | how 0 | cell 1 | how 1 | ...
 *         start 1: the bootstrap signal arrives before this slot and names the slot {@code after} slots later,
 *                  0 for this slot; a slot before 0 becomes 0
 *         cell     at an input, 0 to 2^31 - 1, or DARK
 *         how      ONE cell; STALE: with the stamp of the slot before; TWICE: sent two times
 *   out   cell at output 0 | output 1 | ... | running | the eight counters in the order of SwitchCounter
 * </pre>
 */
final class SwitchTwin implements Twin {
    static final int START = 0;
    static final int AFTER = 1;
    static final int FIRST_CELL = 2;
    static final int DARK = LinkBundle.DARK;
    static final int ONE = 0;
    static final int STALE = 1;
    static final int TWICE = 2;

    private static final SwitchCounter[] COUNTERS = SwitchCounter.values();
    private static final int ROWS = 2;

    private final RegisterTable table;
    private final int ports;
    private final CircuitSwitch model;
    private final LinkBundle.Producer into;
    private final LinkBundle.Consumer from;
    private final StateImage image;

    SwitchTwin(final RegisterTable table, final Arena arena) {
        this.table = table;
        this.ports = table.ports();
        final LinkBundle in = new LinkBundle(arena, ports, ROWS, 0);
        final LinkBundle out = new LinkBundle(arena, ports, ROWS, 0);
        final int[] all = IntStream.range(0, ports).toArray();
        this.into = in.producer();
        this.from = out.consumer();
        this.model = new CircuitSwitch(arena, "cosim", table,
            List.of(new CircuitSwitch.Inlet(in.consumer(), all)),
            List.of(new CircuitSwitch.Outlet(out.producer(), all)));
        this.image = new StateImage(new Object[] {model, into, from}, arena, value -> false);
    }

    @Override
    public byte[] save() {
        return image.save();
    }

    @Override
    public void restore(final byte[] state) {
        image.restore(state);
    }

    @Override
    public Names names() {
        final List<String> inputs = new ArrayList<>(List.of("start", "after"));
        final List<String> outputs = new ArrayList<>();
        for (int port = 0; port < ports; port++) {
            inputs.addAll(List.of("cell" + port, "how" + port));
            outputs.add("out" + port);
        }
        outputs.add("running");
        Arrays.stream(COUNTERS).map(counter -> counter.name().toLowerCase()).forEach(outputs::add);
        return new Names(inputs, outputs);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        return new SwitchStimulus(table, weights);
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        check(in, inAt);
        final long slot = into.slot();
        if (Words.get(in, inAt, START) != 0) {
            model.start(Math.max(0, slot + Words.get(in, inAt, AFTER)));
        }
        into.writableUntil(slot);
        for (int port = 0; port < ports; port++) {
            final int cell = (int) Words.get(in, inAt, FIRST_CELL + 2 * port);
            final long how = Words.get(in, inAt, FIRST_CELL + 2 * port + 1);
            if (how == STALE && cell != DARK) {
                final Region words = into.words();
                words.setLong(into.row(slot) + (long) port * Long.BYTES, LinkBundle.word(slot - 1, cell));
            } else {
                into.put(slot, port, cell);
                if (how == TWICE) {
                    into.put(slot, port, cell);
                }
            }
        }
        into.publish(slot + 1);
        model.doWork();
        from.readableUntil(slot);
        for (int port = 0; port < ports; port++) {
            Words.set(out, outAt, port, from.handle(slot, port));
        }
        from.free(slot + 1);
        Words.set(out, outAt, ports, model.isRunning() ? 1 : 0);
        for (final SwitchCounter counter : COUNTERS) {
            Words.set(out, outAt, ports + 1 + counter.ordinal(), model.count(counter));
        }
    }

    private void check(final MemorySegment in, final long inAt) {
        Words.intOf(in, inAt, START, "start", 0, 1);
        Words.intOf(in, inAt, AFTER, "after", Integer.MIN_VALUE, Integer.MAX_VALUE);
        for (int port = 0; port < ports; port++) {
            Words.intOf(in, inAt, FIRST_CELL + 2 * port, "cell", DARK, Integer.MAX_VALUE);
            Words.intOf(in, inAt, FIRST_CELL + 2 * port + 1, "how", ONE, TWICE);
        }
    }

    /**
     * Draws slots of a circuit switch: mostly valid cells, some stale or duplicate, and bootstrap signals that are
     * early, late or repeated.
     */
    private static final class SwitchStimulus extends Stimulus {
        private static final int MAX_AFTER = 4;
        private static final int SIGNALS = 24;

        private final int ports;
        private final int epochSlots;
        private final long[] before = new long[COUNTERS.length];
        private long runningSlots;

        SwitchStimulus(final RegisterTable table, final Map<String, Integer> weights) {
            super(new Weights("cell=6", "none=3", "stale=1", "twice=1").with(weights),
                "empty", "full", "wrap", "same cycle", "dark", "unselected", "second cell",
                    "wrong stamp", "signal ignored");
            this.ports = table.ports();
            this.epochSlots = table.epochSlots();
        }

        @Override
        void begin(final Twin twin) {
            runningSlots = 0;
            Arrays.fill(before, 0);
        }

        @Override
        void draw(final SplittableRandom random, final long[] row) {
            row[START] = random.nextInt(SIGNALS) == 0 ? 1 : 0;
            row[AFTER] = row[START] == 0 ? 0 : random.nextInt(-1, MAX_AFTER);
            for (int port = 0; port < ports; port++) {
                final String choice = weights.draw(random);
                row[FIRST_CELL + 2 * port] =
                    choice.equals("none") ? DARK : random.nextInt(Integer.MAX_VALUE);
                row[FIRST_CELL + 2 * port + 1] = switch (choice) {
                    case "stale" -> STALE;
                    case "twice" -> TWICE;
                    default -> ONE;
                };
            }
        }

        @Override
        void covered(final long[] row, final long[] answer) {
            int cells = 0;
            for (int port = 0; port < ports; port++) {
                cells += row[FIRST_CELL + 2 * port] == DARK ? 0 : 1;
            }
            runningSlots += answer[ports];
            coverage.count("empty", cells == 0);
            coverage.count("full", cells == ports);
            coverage.count("wrap", answer[ports] != 0 && runningSlots % epochSlots == 1 && runningSlots > 1);
            coverage.count("same cycle", row[START] != 0 && row[AFTER] == 0);
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
    }
}
