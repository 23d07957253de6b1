package dev.skerry.tools.traffic;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads a fault script. The format is the same for every fabric:
 *
 * <pre>
 *   # slot  what
 *   1000    node 5 down
 *   1500    link 3 7 down        what 3 sends to 7 is lost; the other direction is not affected
 *   4000    link 3 7 up
 *   5000    node 5 up
 *   0       corrupt 0.001        of all cells, from this slot on
 *   0       corrupt 0.1 3 7      of the cells from 3 to 7
 *   2000    clock 5 2.5          with a guard band: node 5's clock is 2.5 ns late, or early if negative
 *   3000    leaf 2 down          Shoal: a switch of the Clos, leaves and spines counted plane by plane
 *   3000    spine 1 down
 *   3000    switch 9 down        Shoal: any switch, as docs/spec/shoal.md counts them
 *   7000    host 12 down         Stardust: endpoint 12 takes nothing from its port
 *   7000    control 0.1 0.01     Stardust: share of control messages lost, and share of the others that come twice
 *   7000    rogue 3              Stardust: adapter 3 hands out credits without end
 * </pre>
 *
 * <p>One event per line, in any order, plain or compressed with gzip; {@code #} starts a comment.
 */
public final class FaultReader {
    private static final String WHAT = "faults";
    private static final String FORMAT =
        "write <slot> node <id> down|up, <slot> link <from> <to> down|up or <slot> corrupt <probability> [<from> <to>]";
    private static final String FORMAT_OF_SHALE = FORMAT + " or <slot> clock <id> <ns>";
    private static final String FORMAT_OF_STARDUST = FORMAT
        + ", <slot> host <id> down|up, <slot> control <loss> <repeat> or <slot> rogue <adapter>";
    private static final String FORMAT_OF_SHOAL = FORMAT
        + ", <slot> clock <id> <ns> or <slot> leaf|spine|switch <number> down|up";
    private static final int SLOT = 0;
    private static final int KIND = 1;

    private final LineReader lines;
    private final Faulty named;
    private final String format;

    private FaultReader(final LineReader lines, final Faulty named) {
        this.lines = lines;
        this.named = named;
        this.format = named.hosts > 0 ? FORMAT_OF_STARDUST : named.switches == SwitchNames.NONE ? FORMAT_OF_SHALE
            : FORMAT_OF_SHOAL;
    }

    /**
     * The components of a fabric that a fault script may name.
     *
     * @param population nodes of the fabric; scripts use the ids of endpoints, as traces do.
     * @param hosts      number of hosts of a Stardust fabric, whose nodes are devices; otherwise 0.
     * @param switches   switches that may fail.
     * @param window     tolerated offset of clocks.
     */
    public record Faulty(Population population, int hosts, SwitchNames switches, ClockWindow window) {
        /** Creates the components of a fabric in which only nodes and links may fail. */
        public Faulty(final Population population) {
            this(population, 0, SwitchNames.NONE, ClockWindow.NONE);
        }
    }

    /**
     * Reads a script. Thread-safe.
     *
     * @param file  the script.
     * @param named components of the fabric.
     * @return the faults in order of their slots.
     * @throws InputException if the file cannot be read; with file and line, if a line is invalid or names a component
     *     that does not exist; or if a component goes down that is down, or up that is up.
     */
    public static FaultPlan read(final Path file, final Faulty named) {
        final Map<Fault, Line> from = new IdentityHashMap<>();
        final List<Fault> faults = read(new LineReader(WHAT, file), named, from);
        try {
            return new FaultPlan(faults);
        } catch (final FaultPlan.NoChangeException e) {
            final Line line = from.get(e.fault());
            throw new InputException(WHAT, line.where(), "nothing changes in slot " + e.fault().slot() + ": "
                + line.text(), "let downs and ups alternate");
        }
    }

    /**
     * Reads an event from an order, in the syntax of a script. Orders cannot change clocks. Thread-safe.
     *
     * @param name  source of the order, for errors.
     * @param line  the event.
     * @param named components of the fabric.
     * @throws InputException if the line is invalid.
     */
    public static Fault readOne(final String name, final String line, final Faulty named) {
        final List<Fault> faults = read(new LineReader(WHAT, name, line), new Faulty(named.population, named.hosts,
            named.switches, ClockWindow.NONE), new IdentityHashMap<>());
        Choices.refuseIf(faults.size() != 1, WHAT, name, "one change is needed and " + faults.size() + " found",
            "write for example node 3 down");
        return faults.getFirst();
    }

    private static List<Fault> read(final LineReader from, final Faulty named, final Map<Fault, Line> lineOf) {
        final List<Fault> faults = new ArrayList<>();
        try (LineReader lines = from) {
            final FaultReader reader = new FaultReader(lines, named);
            while (lines.next()) {
                if (lines.fields() > 0) {
                    faults.add(reader.fault());
                    lineOf.put(faults.getLast(), reader.line());
                }
            }
        }
        return faults;
    }

    /** The line of a fault in the script, and its text without the slot. */
    private record Line(String where, String text) {
    }

    private Line line() {
        return new Line(lines.where(), IntStream.range(KIND, lines.fields()).mapToObj(lines::text)
            .collect(Collectors.joining(" ")));
    }

    private Fault fault() {
        final long slot = lines.wholeNumber(SLOT);
        if (slot < 0) {
            throw refuse("slot " + lines.quote(SLOT) + " is not a whole number from 0", format);
        }
        final String kind = lines.fields() > KIND ? lines.text(KIND) : "";
        return switch (kind) {
            case "node" -> {
                need(4);
                yield new Fault.Node(slot, node(2), up(3));
            }
            case "link" -> {
                need(5);
                if (node(2) == node(3)) {
                    throw refuse("a link needs two nodes", format);
                }
                yield new Fault.Link(slot, node(2), node(3), up(4));
            }
            case "corrupt" -> corruption(slot);
            case "clock" -> clock(slot);
            case "leaf", "spine", "switch" -> ofClos(slot, kind);
            case "host", "control", "rogue" -> ofStardust(slot, kind);
            default -> throw refuse("unknown fault", format);
        };
    }

    private Fault corruption(final long slot) {
        if (lines.fields() <= 3) {
            need(3);
            return new Fault.Corruption(slot, probability(2));
        }
        need(5);
        if (node(3) == node(4)) {
            throw refuse("a link needs two nodes", format);
        }
        return new Fault.LinkCorruption(slot, node(3), node(4), probability(2));
    }

    private Fault clock(final long slot) {
        if (named.hosts > 0) {
            throw refuse("only Shale and Shoal have this kind", format);
        }
        need(4);
        if (!named.window.isKnown()) {
            throw refuse("clocks can be off only within a guard band, and there is none", "add --guard-ns");
        }
        final double lateNs = lines.number(3);
        if (!Double.isFinite(lateNs)) {
            throw refuse(lines.quote(3) + " is not a time in ns", format);
        }
        final int lateSlots = named.window.lateSlots(lateNs);
        return new Fault.Clock(slot, node(2), lateSlots > 0 || named.window.holds(lateNs), lateSlots);
    }

    private Fault ofClos(final long slot, final String kind) {
        if (named.switches == SwitchNames.NONE) {
            throw refuse("only Shoal has this kind", format);
        }
        need(4);
        final long number = lines.wholeNumber(2);
        if (number < 0 || number >= named.switches.count(kind)) {
            throw refuse("there is no " + kind + " " + lines.quote(2), "give 0 to " + (named.switches.count(kind) - 1));
        }
        return named.switches.fault(slot, kind, (int) number, up(3));
    }

    private Fault ofStardust(final long slot, final String kind) {
        if (named.hosts == 0) {
            throw refuse("only Stardust has this kind", format);
        }
        need(kind.equals("rogue") ? 3 : 4);
        return switch (kind) {
            case "rogue" -> new Fault.Rogue(slot, node(2));
            case "control" -> new Fault.Control(slot, probability(2), probability(3));
            default -> {
                final long host = lines.wholeNumber(2);
                if (host < 0 || host >= named.hosts) {
                    throw refuse("there is no host " + lines.quote(2), "give 0 to " + (named.hosts - 1));
                }
                yield new Fault.HostPort(slot, (int) host, up(3));
            }
        };
    }

    private double probability(final int field) {
        final double probability = lines.number(field);
        if (!(probability >= 0 && probability <= 1)) {
            throw refuse("probability " + lines.quote(field) + " is out of range", "give 0 to 1");
        }
        return probability;
    }

    private void need(final int count) {
        if (lines.fields() != count) {
            throw refuse(count + " fields are needed and " + lines.fields() + " found", format);
        }
    }

    private int node(final int field) {
        final long node = lines.wholeNumber(field);
        if (node < 0 || node >= named.population.endpoints()) {
            throw refuse("there is no node " + lines.quote(field), "give 0 to " + (named.population.endpoints() - 1));
        }
        return named.population.nodeOf((int) node);
    }

    private boolean up(final int field) {
        return switch (lines.text(field)) {
            case "up" -> true;
            case "down" -> false;
            default -> throw refuse(lines.quote(field) + " is neither down nor up", format);
        };
    }

    private InputException refuse(final String why, final String advice) {
        return new InputException(WHAT, lines.where(), why, advice);
    }

    /** The circuit switches that a fault script may name. */
    public interface SwitchNames {
        /** Value for fabrics whose switches cannot fail. */
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

        /** Returns the number of switches of a kind: leaf, spine or switch; 0 if scripts may not name this kind. */
        int count(String kind);

        /** Returns the fault of a switch with a number from 0 to {@link #count} - 1. */
        Fault.Switch fault(long slot, String kind, int number, boolean up);
    }

    /**
     * The tolerated offset of the clock of a node: half a guard band early or late, because a cell is in the middle of
     * its slot and circuits change in the rest of the slot (docs/spec/shale.md §2.6).
     *
     * @param halfNs half the guard band; NaN if there is none.
     * @param slotNs length of a slot, if a clock may be off by whole slots; otherwise NaN.
     */
    public record ClockWindow(double halfNs, double slotNs) {
        /** Value for fabrics without a guard band. */
        public static final ClockWindow NONE = new ClockWindow(Double.NaN);
        /** Maximum number of slots by which a clock may be late; the cells of later ones are lost. */
        public static final int MOST_LATE_SLOTS = 4096;

        /**
         * Creates a window for fabrics in which a clock outside of it always loses its cells, even if it is off by
         * whole slots.
         */
        public ClockWindow(final double halfNs) {
            this(halfNs, Double.NaN);
        }

        /** Tells whether there is a guard band. */
        boolean isKnown() {
            return !Double.isNaN(halfNs);
        }

        /**
         * Returns the number of whole slots by which a clock is late, if it is in the window of a later slot; otherwise
         * 0.
         */
        int lateSlots(final double lateNs) {
            final double slots = Math.rint(lateNs / slotNs);
            return slots >= 1 && slots <= MOST_LATE_SLOTS && holds(lateNs - slots * slotNs) ? (int) slots : 0;
        }

        /** Tells whether the cells of a clock with this delay, or lead if negative, stay in their slots. */
        boolean holds(final double lateNs) {
            return Math.abs(lateNs) <= halfNs;
        }
    }

    /**
     * Refuses faults of links that do not exist in the network.
     *
     * @param where the file, for messages.
     */
    public static void requireLinks(final String where, final List<Fault> faults, final FoldedClos network) {
        for (final Fault fault : faults) {
            if (fault instanceof final Fault.Link link) {
                requireLink(where, network, link.from(), link.to());
            } else if (fault instanceof final Fault.LinkCorruption link) {
                requireLink(where, network, link.from(), link.to());
            }
        }
    }

    private static void requireLink(final String where, final FoldedClos network, final int from, final int to) {
        if (!network.areLinked(from, to)) {
            final int peer = network.peer(network.firstPort(from));
            throw new InputException("faults", where, "no link leads from device " + from + " to device " + to,
                "give two connected devices, for example " + from + " and "
                    + network.deviceOf(peer == FoldedClos.NONE ? network.firstPort(from) : peer));
        }
    }
}
