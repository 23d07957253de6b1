package dev.skerry.tools.traffic;

import static dev.skerry.nic.flow.FlowSet.ENDLESS;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.TraceFormat.Columns;
import org.agrona.collections.LongHashSet;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Reads a flow trace in the format of the papers' simulators (docs/spec/shale.md §11, §12):
 *
 * <pre>
 *   flow-id,source,destination,size-in-bytes,start-in-seconds
 *   0,82,55,754,8.91804266416e-09
 * </pre>
 *
 * <p>or in another {@link TraceFormat}, which is recognised by the first line. There is one flow per line, except in
 * schedules. The file is plain or compressed with gzip. An optional sixth field is the traffic class of the flow, 0
 * (highest, default) to 3. {@code after=ID+ID} after the last field names flows that must be delivered before this one
 * starts, and {@code delay-s=X} is the time between the last delivery and the start. Fields are separated by a comma,
 * blanks or both; {@code #} starts a comment. Blank lines are skipped, and so is a first line whose first field is not
 * a number. If a format has no ids, flows are numbered from 0. Lines are processed one by one; only the flow and its id
 * are kept.
 */
public final class TraceReader {
    private static final String WHAT = "trace";
    /**
     * Words that may follow the ends of a connection of htsim, each with a value; the last two are ignored. A flow that
     * has been sent has also been received, so triggers at both ends have the same effect.
     */
    private static final List<String> WORDS = List.of("id", "size", "start", "trigger", "send_done_trigger",
        "recv_done_trigger", "prio", "subflow_size");
    private static final int SIZE = 1;
    private static final int START = 2;
    private static final int TRIGGER = 3;
    private static final int LAST_TRIGGER = 5;
    /** Maximum start slot. Up to this number, every slot number is an exact double. */
    private static final double MAX_START_SLOT = 1L << 53;

    private final LineReader lines;
    private final int endpoints;
    private final int payloadBytes;
    private final double slotNs;
    private final TraceFilter filter;
    private final LongHashSet ids = new LongHashSet();
    private final StartOrder flows = new StartOrder();
    private final TraceWaits waits = new TraceWaits(WHAT);
    private final TraceTriggers triggers = new TraceTriggers();
    private final GoalSchedule schedule;
    private final List<String> warnings = new ArrayList<>();
    private TraceFormat format;
    private double slotTicks;
    /** Start of the first flow in ticks. */
    private double firstStart = Double.NaN;
    /** Number of flows that the file states; -1 if it does not. */
    private long announced = -1;
    private long read;
    private long taken;
    private long localFlows;
    private long skippedFlows;
    private long laterFlows;
    private String firstLocal;
    private String firstSkipped;
    private String firstLate;

    private TraceReader(final LineReader lines, final int endpoints, final int payloadBytes, final double slotNs,
        final TraceFilter filter) {
        this.lines = lines;
        this.endpoints = endpoints;
        this.payloadBytes = payloadBytes;
        this.filter = filter;
        this.slotNs = slotNs;
        this.schedule = new GoalSchedule(WHAT, lines, endpoints);
    }

    /**
     * Reads a trace. A flow has {@code ceil(size / payloadBytes)} cells and starts in slot {@code floor(start / slot)},
     * in the double arithmetic of the authors' simulators. Flows are sorted by start slot; flows of the same slot keep
     * the order of the file. Thread-safe.
     *
     * @param file         the trace.
     * @param endpoints    number of nodes that may send and receive; ids are 0 to {@code endpoints - 1}.
     * @param payloadBytes payload bytes of a cell, at least 1.
     * @param slotNs       length of a slot in ns, above 0.
     * @param filter       selection and scaling of flows.
     * @return the flows, with warnings about what was left out.
     * @throws InputException if the file cannot be read, is damaged or contains no flow; or, with file and line, for a
     *     missing or extra field, a field that is not a number, a duplicate id, a node that is out of range, a time
     *     that is negative or not finite, or a flow of 2^31 - 1 or more cells.
     */
    public static Trace read(final Path file, final int endpoints, final int payloadBytes, final double slotNs,
        final TraceFilter filter) {
        try (LineReader lines = new LineReader(WHAT, file)) {
            final TraceReader reader = new TraceReader(lines, endpoints, payloadBytes, slotNs, filter);
            reader.readLines();
            reader.takeSchedule();
            Choices.refuseIf(reader.read == 0, WHAT, file, "holds no flow", reader.format == null
                ? TraceFormat.PAPERS.advice() : reader.format.advice());
            final Trace trace = reader.trace();
            reader.triggers.apply(reader.waits, WHAT, file);
            reader.waits.apply(trace.flows(), file.toString());
            return trace;
        }
    }

    /**
     * Returns the length of a slot in seconds as the double nearest to the decimal number, which the authors'
     * simulators use: 5.8125 * 1e-9 is not 5.8125e-9.
     *
     * @param ns finite, above 0.
     */
    public static double slotSeconds(final double ns) {
        return TraceFormat.PAPERS.slotTicks(ns);
    }

    private void readLines() {
        while (taken < filter.mostFlows()) {
            if (!lines.next()) {
                checkCount();
                return;
            }
            if (lines.fields() == 0 || format == null && !isFlowFirst()) {
                continue;
            }
            if (format == TraceFormat.HPCC && read == announced) {
                warn(lines.where(), "more flows than the first line says", "flows read: " + read);
                return;
            }
            if (format == TraceFormat.GOAL) {
                schedule.read();
            } else if (format != TraceFormat.HTSIM) {
                readFlow(columns());
            } else if (!isBesideConnections()) {
                readFlow(connection());
            }
        }
    }

    /** Determines the format from the first line; returns whether this line is or may be a flow. */
    private boolean isFlowFirst() {
        format = TraceFormat.of(lines);
        slotTicks = format.slotTicks(slotNs);
        if (format != TraceFormat.PAPERS) {
            warnings.add(WHAT + ": " + lines.where() + ": read as " + format.inWords());
        }
        if (format == TraceFormat.HPCC) {
            announced = lines.wholeNumber(0);
        }
        return format != TraceFormat.HPCC && !(format == TraceFormat.PAPERS && isHeader());
    }

    private boolean isHeader() {
        final boolean header = Double.isNaN(lines.number(0));
        if (header && lines.fields() > 1 && !Double.isNaN(lines.number(1))) {
            warn(lines.where(), "the first field is not a number", "line treated as a header and skipped");
        }
        return header;
    }

    /**
     * Checks the stated number of flows. HPCC's generator may write a number with an extra digit; htsim refuses a wrong
     * number.
     */
    private void checkCount() {
        final String says = "the file says that it has " + announced + " flows and has " + read;
        if (format == TraceFormat.HPCC && read < announced) {
            warn(lines.where(), says, "flows read: " + read);
        } else if (format == TraceFormat.HTSIM && read != announced) {
            throw refuse(announced < 0 ? "a line Connections is missing" : says, "write Connections " + read);
        }
    }

    /** Reads a line of a matrix that is not a connection; returns false if the line is a connection. */
    private boolean isBesideConnections() {
        final String word = lines.text(0);
        if (word.equals("trigger")) {
            readTrigger();
            return true;
        }
        if (!TraceFormat.HEADERS.contains(word)) {
            return false;
        }
        final long number = lines.fields() == 2 ? lines.wholeNumber(1) : -1;
        if (number < 0) {
            throw refuse(word + " needs a whole number", "write for example " + word + " 16");
        }
        if (word.equals("Nodes") && number > endpoints) {
            throw refuse("the matrix has " + number + " nodes and the fabric " + endpoints, "add --nodes " + number);
        }
        if (word.equals("Failures") && number > 0) {
            throw refuse("failures of htsim's switches are not read", "leave them out or use --faults");
        }
        announced = word.equals("Connections") ? number : announced;
        return true;
    }

    /** Adds all flows of a schedule, including those that start after {@code --slots}. */
    private void takeSchedule() {
        if (format != TraceFormat.GOAL) {
            return;
        }
        if (!filter.isWhole()) {
            throw refuse("a schedule cannot be read in part or scaled in time", "leave out --min-flow-bytes, "
                + "--max-flow-bytes, --read-flows and --load-factor");
        }
        schedule.apply(waits, slotNs);
        for (int flow = 0; flow < schedule.flows(); flow++) {
            final long bytes = Math.max(1, filter.scaled(schedule.bytes(flow)));
            flows.add(new StartOrder.Flow(flow, schedule.source(flow), schedule.destination(flow), bytes, cells(bytes),
                (long) Math.floor(format.ticks(schedule.startNs(flow)) / slotTicks), 0));
            read++;
        }
        if (schedule.namesPlaces()) {
            warnings.add("warning: " + WHAT + ": operations are on several cpus or nics, which are ignored");
        }
    }

    private Columns columns() {
        if (format == TraceFormat.PAPERS) {
            waits.read(lines.wholeNumber(0), lines, slotTicks);
        }
        final Columns columns = format.columns(lines);
        if (columns == null) {
            throw refuse(format.usualFields() + " fields are needed and " + lines.fields() + " found", format.advice());
        }
        return columns;
    }

    /** Returns the columns of a connection of htsim. */
    private Columns connection() {
        if (!lines.cutArrow()) {
            throw refuse(lines.quote(0) + " is not a keyword of a matrix", format.advice());
        }
        final int[] at = new int[WORDS.size()];
        Arrays.fill(at, Columns.NONE);
        for (int field = 2; field < lines.fields(); field += 2) {
            final int word = WORDS.indexOf(lines.text(field));
            if (word < 0 || at[word] != Columns.NONE || field + 1 == lines.fields()) {
                throw refuse(lines.quote(field) + (word < 0 ? " is not a keyword of a connection"
                    : at[word] != Columns.NONE ? " is given twice" : " has no value"), format.advice());
            }
            at[word] = field + 1;
        }
        if (at[SIZE] == Columns.NONE || at[START] == Columns.NONE == (at[TRIGGER] == Columns.NONE)) {
            throw refuse("a connection needs a size, and a start or a trigger", format.advice());
        }
        for (int word = TRIGGER; word <= LAST_TRIGGER; word++) {
            if (at[word] != Columns.NONE) {
                connect(lines.wholeNumber(at[word]), at[0] == Columns.NONE ? read : lines.wholeNumber(at[0]),
                    word == TRIGGER);
            }
        }
        return new Columns(at[0], 0, 1, at[SIZE], at[START], Columns.NONE);
    }

    private void connect(final long trigger, final long flow, final boolean starts) {
        if (trigger < 0) {
            throw refuse("a trigger is a whole number", "write for example trigger 1");
        }
        if (starts) {
            triggers.start(trigger, flow);
        } else {
            triggers.fire(trigger, flow);
        }
    }

    private void readTrigger() {
        final boolean isBarrier = lines.fields() == 6 && lines.text(3).equals("barrier")
            && lines.text(4).equals("count");
        final long trigger = lines.fields() > 3 && lines.text(1).equals("id") ? lines.wholeNumber(2) : -1;
        final long count = isBarrier ? lines.wholeNumber(5)
            : lines.fields() == 4 && List.of("oneshot", "multishot").contains(lines.text(3)) ? 1 : 0;
        if (trigger < 0 || count < 1) {
            throw refuse("a trigger needs an id, and oneshot, multishot or barrier", "write trigger id 1 oneshot or "
                + "trigger id 1 barrier count 4");
        }
        if (!triggers.define(trigger, count)) {
            throw refuse("trigger " + trigger + " is given twice", "leave one out");
        }
    }

    private void readFlow(final Columns at) {
        final long id = at.id() == Columns.NONE ? read : lines.wholeNumber(at.id());
        if (id < 0) {
            throw refuse("flow id " + lines.quote(at.id()) + " is not a whole number", "give 0 to 2^63 - 1");
        }
        if (!ids.add(id)) {
            throw refuse("flow id " + id + " occurs a second time", "give every flow its own id");
        }
        read++;
        final int source = node(at.source(), "source ");
        final int destination = node(at.destination(), "destination ");
        final long bytes = lines.wholeNumber(at.size());
        if (bytes == LineReader.NOT_A_NUMBER) {
            throw refuse("size " + lines.quote(at.size()) + " is not a whole number of bytes", "give 1 to 2^63 - 1");
        }
        final long startSlot = startSlot(at.start());
        final int trafficClass = at.trafficClass() == Columns.NONE ? 0 : trafficClass(at.trafficClass());
        if (bytes > 0 && !filter.takes(bytes)) {
            return;
        }
        if (startSlot >= filter.endSlot()) {
            laterFlows++;
            return;
        }
        taken++;
        final long scaled = filter.scaled(bytes);
        if (scaled <= 0) {
            firstSkipped = skippedFlows++ == 0 ? lines.where() : firstSkipped;
        } else if (source == destination) {
            firstLocal = localFlows++ == 0 ? lines.where() : firstLocal;
        } else {
            flows.add(new StartOrder.Flow(id, source, destination, scaled, cells(scaled), startSlot, trafficClass));
            firstLate = flows.hasLate() && firstLate == null ? lines.where() : firstLate;
        }
    }

    private int node(final int field, final String name) {
        final long node = lines.wholeNumber(field);
        if (node < 0 || node >= endpoints) {
            throw refuse(name + lines.quote(field) + " is not a node", "give 0 to " + (endpoints - 1)
                + " or a larger --nodes");
        }
        return (int) node;
    }

    private int trafficClass(final int field) {
        final long trafficClass = lines.wholeNumber(field);
        if (trafficClass < 0 || trafficClass >= FlowSet.MAX_CLASSES) {
            throw refuse("there is no traffic class " + lines.quote(field), "give 0 to " + (FlowSet.MAX_CLASSES - 1)
                + ", 0 goes first, or leave the field out");
        }
        return (int) trafficClass;
    }

    private int cells(final long bytes) {
        final long cells = (bytes - 1) / payloadBytes + 1;
        if (cells >= ENDLESS) {
            throw refuse("size " + bytes + " makes a flow of " + cells + " cells", "give at most "
                + (ENDLESS - 1L) * payloadBytes + " bytes");
        }
        return (int) cells;
    }

    private long startSlot(final int field) {
        if (field == Columns.NONE) {
            return 0;
        }
        final double start = format.ticks(lines.number(field));
        if (!(start >= 0) || start == Double.POSITIVE_INFINITY) {
            throw refuse("start " + lines.quote(field) + " is not a time", "give " + format.unit() + " from 0 up");
        }
        if (Double.isNaN(firstStart)) {
            firstStart = filter.fromFirst() ? start : 0;
        }
        if (start < firstStart) {
            throw refuse("start " + lines.quote(field) + " lies before that of the first flow", "sort the trace or "
                + "leave out --from-first-start");
        }
        final double slot = Math.floor((start - firstStart) / filter.loadFactor() / slotTicks);
        if (slot > MAX_START_SLOT) {
            throw refuse("start " + lines.quote(field) + " lies beyond slot 2^53", "give an earlier time in "
                + format.unit());
        }
        return (long) slot;
    }

    private Trace trace() {
        if (skippedFlows > 0) {
            warn(firstSkipped, "size is 0 or less", "flows skipped: " + skippedFlows);
        }
        if (localFlows > 0) {
            warn(firstLocal, "source is the destination", "flows delivered locally and not sent: " + localFlows);
        }
        if (laterFlows > 0) {
            warnings.add("warning: " + WHAT + ": flows that start in slot " + filter.endSlot()
                + " or later are left out: " + laterFlows);
        }
        if (firstLate != null) {
            warn(firstLate, "starts before a flow above it", "flows sorted by start");
        }
        return new Trace(flows.flows(), warnings);
    }

    private void warn(final String where, final String why, final String done) {
        warnings.add("warning: " + WHAT + ": " + where + ": " + why + ", " + done);
    }

    private InputException refuse(final String why, final String advice) {
        return new InputException(WHAT, lines.where(), why, advice);
    }

    /**
     * Sorts flows by start slot; flows of the same slot keep their order. Flows in order are added directly to the set,
     * so a sorted trace has no extra cost. Only late flows, which start before a flow that has already been read, are
     * stored separately, sorted, and merged at the end. Not thread-safe.
     */
    private static final class StartOrder {
        private final FlowSet inOrder = new FlowSet();
        private final List<Flow> late = new ArrayList<>();
        private long latestStart;

        /** A flow as read. */
        record Flow(long id, int from, int to, long bytes, int cells, long start, int trafficClass) {
            private void addTo(final FlowSet flows) {
                flows.add(id, from, to, bytes, cells, start);
                flows.setClass(trafficClass);
            }
        }

        void add(final Flow flow) {
            if (flow.start >= latestStart) {
                latestStart = flow.start;
                flow.addTo(inOrder);
            } else {
                late.add(flow);
            }
        }

        /** Tells whether a flow followed one with a later start. */
        boolean hasLate() {
            return !late.isEmpty();
        }

        /** Returns all flows in order. */
        FlowSet flows() {
            if (late.isEmpty()) {
                return inOrder;
            }
            late.sort(Comparator.comparingLong(Flow::start));
            final FlowSet merged = new FlowSet();
            int next = 0;
            for (int flow = 0; flow < inOrder.size(); flow++) {
                // A late flow was read after all flows in order with the same start slot, so it follows them.
                while (next < late.size() && late.get(next).start < inOrder.startSlot(flow)) {
                    late.get(next++).addTo(merged);
                }
                merged.add(inOrder.id(flow), inOrder.source(flow), inOrder.destination(flow), inOrder.bytes(flow),
                    inOrder.cells(flow), inOrder.startSlot(flow));
                merged.setClass(inOrder.trafficClass(flow));
            }
            return merged; // The last flow in order starts after every late one, so no late flow is left.
        }
    }

    /**
     * The contents of a trace file.
     *
     * @param flows    the flows to send, in order of start slot; flows of the same slot are in the order of the file.
     *     Flows without bytes, or whose source is their destination, are not included.
     * @param warnings remarks of one line each, with the prefix {@code warning: }, at most one of each kind.
     */
    public record Trace(FlowSet flows, List<String> warnings) {
        /** Copies the warnings. */
        public Trace {
            warnings = List.copyOf(warnings);
        }
    }

    /**
     * Selection and scaling of a trace, in the order of the simulator of Shale's authors (docs/spec/shale.md §11):
     * flows outside of a range of sizes are left out; sizes are multiplied and rounded down to whole bytes; starts are
     * divided.
     *
     * @param minBytes   minimum size of a flow, before multiplication.
     * @param maxBytes   maximum size of a flow, before multiplication.
     * @param sizeFactor factor for sizes, above 0.
     * @param loadFactor divisor for start times, above 0.
     * @param mostFlows  maximum number of flows to read; the rest of the trace is left out.
     * @param endSlot    flows that start in this slot or later are left out.
     * @param fromFirst  whether starts count from that of the first flow.
     */
    public record TraceFilter(long minBytes, long maxBytes, double sizeFactor, double loadFactor, long mostFlows,
        long endSlot, boolean fromFirst) {
        /** The whole trace, unscaled. */
        public static final TraceFilter ALL = new TraceFilter(0, Long.MAX_VALUE, 1, 1, Long.MAX_VALUE, Long.MAX_VALUE,
            false);

        /** Tells whether all flows are selected, with unchanged start times. */
        boolean isWhole() {
            return minBytes == 0 && maxBytes == Long.MAX_VALUE && loadFactor == 1 && mostFlows == Long.MAX_VALUE;
        }

        /** Tells whether flows of a size are selected. */
        boolean takes(final long bytes) {
            return bytes >= minBytes && bytes <= maxBytes;
        }

        /** Returns the scaled size of a selected flow. */
        long scaled(final long bytes) {
            return sizeFactor == 1 ? bytes : (long) (bytes * sizeFactor);
        }
    }
}
