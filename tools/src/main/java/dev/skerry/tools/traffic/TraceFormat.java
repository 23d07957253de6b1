package dev.skerry.tools.traffic;

import java.math.BigDecimal;
import java.util.List;
import java.util.Set;

/**
 * The formats of traces: how the first line identifies a format, the unit of its times, and the meaning of the fields
 * in a line.
 */
enum TraceFormat {
    /** The format of the papers' simulators and of Skerry; an optional sixth field is the traffic class. */
    PAPERS("a trace", "flow-id,source,destination,size-in-bytes,start-in-seconds", Unit.SECONDS,
        new Columns(0, 1, 2, 3, 4, Columns.NONE), new Columns(0, 1, 2, 3, 4, 5)),

    /** The first line has only the number of flows; each other line has a flow. Some forks omit the port. */
    HPCC("HPCC's flow.txt", "source destination priority-group port size-in-bytes start-in-seconds", Unit.SECONDS,
        new Columns(Columns.NONE, 0, 1, 4, 5, Columns.NONE), new Columns(Columns.NONE, 0, 1, 3, 4, Columns.NONE)),

    /** Four whole numbers per line, without commas. */
    OPERA("opera-sim's flows", "source destination size-in-bytes start-in-ns", Unit.NANOSECONDS,
        new Columns(Columns.NONE, 0, 1, 2, 3, Columns.NONE)),

    /** A line for each of {@link #HEADERS}, then a line for each connection and trigger, with words in any order. */
    HTSIM("htsim's connection matrix", "source->destination start PICOSECONDS size BYTES", Unit.PICOSECONDS),

    /** See {@link GoalSchedule}. */
    GOAL("a GOAL schedule", "num_ranks, then for each rank its operations between rank N { and }", Unit.NANOSECONDS);

    /** First words of the lines before the connections of a matrix. */
    static final Set<String> HEADERS = Set.of("Nodes", "Connections", "Triggers", "Failures");

    private final String title;
    private final String form;
    private final Unit unit;
    private final List<Columns> columns;

    /**
     * Creates a format.
     *
     * @param title   name for messages.
     * @param form    form of a line, for errors.
     * @param unit    unit of times.
     * @param columns meaning of the fields for each number of fields, the usual one first; none if words identify them.
     */
    TraceFormat(final String title, final String form, final Unit unit, final Columns... columns) {
        this.title = title;
        this.form = form;
        this.unit = unit;
        this.columns = List.of(columns);
    }

    /** Units of time. Whole nanoseconds and picoseconds are counted exactly, in ticks of a picosecond. */
    private enum Unit {
        SECONDS("seconds", 1, -9), NANOSECONDS("ns", 1000, 3), PICOSECONDS("ps", 1, 3);

        private final String name;
        private final double ticks;
        /** Ticks per nanosecond, as a power of ten. */
        private final int exponent;

        Unit(final String name, final double ticks, final int exponent) {
            this.name = name;
            this.ticks = ticks;
            this.exponent = exponent;
        }
    }

    /** Fields of a line by their meaning; {@link #NONE} for absent fields. */
    record Columns(int id, int source, int destination, int size, int start, int trafficClass) {
        static final int NONE = -1;

        private int fields() {
            return Math.max(start, trafficClass) + 1;
        }
    }

    /** Returns the format of a file with a given first line. */
    static TraceFormat of(final LineReader first) {
        final int fields = first.fields();
        if (fields == 2 && HEADERS.contains(first.text(0)) || first.text(0).contains("->")) {
            return HTSIM;
        }
        if (GoalSchedule.BEGINNINGS.stream().anyMatch(first.text(0)::startsWith)) {
            return GOAL;
        }
        for (int field = 0; field < fields; field++) {
            if (first.hasComma() || first.wholeNumber(field) < 0) {
                return PAPERS;
            }
        }
        return fields == 1 ? HPCC : fields == OPERA.usualFields() ? OPERA : PAPERS;
    }

    /** Returns the columns of a line; null if it has too few or too many fields. */
    Columns columns(final LineReader line) {
        for (final Columns one : columns) {
            if (one.fields() == line.fields()) {
                return one;
            }
        }
        return null;
    }

    /** Returns the usual number of fields of a line. */
    int usualFields() {
        return columns.getFirst().fields();
    }

    /** Returns a time in ticks. */
    double ticks(final double time) {
        return time * unit.ticks;
    }

    /** Returns the length of a slot in ticks: the double nearest to the decimal number. */
    double slotTicks(final double slotNs) {
        return BigDecimal.valueOf(slotNs).scaleByPowerOfTen(unit.exponent).doubleValue();
    }

    /** Returns advice on the form of lines, for errors. */
    String advice() {
        return "write " + form;
    }

    /** Returns the unit of times, for messages. */
    String unit() {
        return unit.name;
    }

    /** Returns a description for the user: the name of the format and the unit of times. */
    String inWords() {
        return title + ", " + (this == GOAL ? "times" : "starts") + " in " + unit.name;
    }
}
