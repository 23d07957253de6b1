package dev.skerry.spi;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.schedule.Wiring;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.traffic.FaultReader.Faulty;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.Map;

/**
 * A fabric as the options of a run describe it, checked, and all that depends on which fabric it is: its engines, what
 * a script of faults may name, its traffic classes and files. Each fabric extends it; the rest of the tools ask this
 * class and not which fabric it is. One thread.
 */
@SuppressWarnings("exports")
public abstract class FabricChoice {
    /** As typed. */
    protected final RunOptions options;

    /**
     * Keeps the options, of which none may belong to another kind.
     *
     * @throws InputException if one of them belongs to another kind.
     */
    protected FabricChoice(final FabricKind kind, final RunOptions options) {
        options.refuseForeign(kind);
        this.options = options;
    }

    /**
     * What was chosen.
     *
     * @param fabric    the fabric.
     * @param format    of its cells.
     * @param slotNs    time between the cells that a node sends: a slot, divided by the channels.
     * @param links     neighbours of a node.
     * @param guarantee cells per node, slot and channel that it carries under any traffic, as the paper has it; the
     *                  usual load follows from it.
     * @param promise   what the report may say is guaranteed with these very settings where nothing fails.
     * @param settings  its own settings as they would be typed.
     * @param remarks   what the user should know before the run.
     */
    public record Configuration(Fabric fabric, CellFormat format, double slotNs, int links, double guarantee,
        Guarantee promise, Map<String, String> settings, List<String> remarks) {
    }

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    public static FabricChoice of(final RunOptions options) {
        return FabricKind.named(options.fabric).choose(options);
    }

    /** What was chosen. */
    protected abstract Configuration configuration();

    /** The fabric. */
    public final Fabric fabric() {
        return configuration().fabric;
    }

    /** Of its cells. */
    public final CellFormat format() {
        return configuration().format;
    }

    /** Time between the cells that a node sends in ns: a slot, divided by the channels. */
    public final double slotNs() {
        return configuration().slotNs;
    }

    /** Neighbours of a node. */
    public final int links() {
        return configuration().links;
    }

    /** Cells per node, slot and channel under any traffic, as the paper has it. */
    public final double guarantee() {
        return configuration().guarantee;
    }

    /** Its own settings as they would be typed. */
    public final Map<String, String> settings() {
        return configuration().settings;
    }

    /** What the user should know before the run. */
    public final List<String> remarks() {
        return configuration().remarks;
    }

    /** Why flows cannot wait for others; empty if they can. */
    public String againstWaits() {
        return "";
    }

    /** Whether something fails, by a script or an order. */
    final boolean mayFail() {
        return options.faults != null;
    }

    /** What the report may say is guaranteed. */
    public final Guarantee promise() {
        return mayFail() ? Guarantee.NONE : configuration().promise;
    }

    /**
     * The fabric, for what needs one of circuits.
     *
     * @throws InputException if it is none.
     */
    public final CircuitFabric circuits() {
        if (fabric() instanceof final CircuitFabric circuits) {
            return circuits;
        }
        throw new InputException("--fabric", options.fabric, "this command needs a fabric of circuits",
            "use another one");
    }

    /** What numbers of cells and slots are worth. */
    public final RunResult.Terms terms() {
        return new RunResult.Terms(fabric().channels(), slotNs(), format().payloadBytes(), promise());
    }

    /** From the start of a slot to that of the next, in ns. */
    public final double wholeSlotNs() {
        return BigDecimal.valueOf(slotNs()).multiply(BigDecimal.valueOf(fabric().channels())).doubleValue();
    }

    /** Bytes of a cell as {@code --cell-bytes} counts them. */
    public int typedCellBytes() {
        return format().cellBytes();
    }

    /** The delay as {@code --propagation-slots} counts it. */
    public int typedPropagationSlots() {
        return fabric().propagationSlots();
    }

    /** Nodes 0 and up that never answer, if traces keep their numbers. */
    public int failedNodes() {
        return 0;
    }

    /**
     * Refuses runs that are too long for it.
     *
     * @throws InputException if it cannot count so many slots.
     */
    public void refuseSlots(final long slots) {
    }

    /** What makes it take less memory. */
    public String smaller() {
        return "choose fewer nodes or a shorter delay";
    }

    /**
     * The engine with the fabric in it, at slot 0.
     *
     * @param how     workers or threads.
     * @param traffic what it carries.
     * @param idle    what a thread of lock step does while packets may come and there is nothing to do.
     * @param log     filled by a fabric of circuits; null for none.
     */
    public abstract Engine engine(EngineChoice how, Traffic traffic, Idle idle, boolean check, RunLog log);

    /**
     * The same for a run whose cells the fabric makes itself.
     *
     * @param log filled by a fabric of circuits; null for none.
     */
    public final Engine engine(final EngineChoice how, final FlowSet flows, final Faults faults, final boolean check,
        final RunLog log) {
        return engine(how, new Traffic(flows, faults), Idle.SPIN, check, log);
    }

    /**
     * The reference engine with the fabric in it, at slot 0.
     *
     * @throws IllegalArgumentException if it lacks what the fabric or the flows need; the message says what.
     */
    protected Engine reference(final FlowSet flows) {
        throw new IllegalArgumentException("this fabric has no reference engine");
    }

    /**
     * One member's engine with its part of the fabric in it, at slot 0.
     *
     * @param log filled by a fabric of circuits; null for none.
     */
    public abstract MemberEngine member(FlowSet flows, Faults faults, RunLog log, RowExchange exchange);

    /** Bytes it takes before its first slot. */
    public abstract long stateBytes(FlowSet flows, Faults faults);

    /** Places for cells that workers of lock step go through between two meetings. */
    protected abstract long cellsBetweenBarriers();

    /** Switches that a thread each would suit: those of a lane. */
    public abstract int switches();

    /** The circuit switches; null if it has none. */
    public abstract Wiring wiring();

    /**
     * Refuses what nodes on threads of their own cannot do.
     *
     * @throws InputException if they would have to know of each other at once.
     */
    protected void refuseInstant() {
    }

    /**
     * Refuses options of switches that this run does not have.
     *
     * @throws InputException if one was typed.
     */
    protected void refuseSwitches(final String why, final String advice) {
    }

    /** Adds the settings of its switches, if there are some. */
    protected void describeSwitches(final Map<String, String> settings) {
    }

    /** What a script of faults may name. */
    public Faulty faulty() {
        return new Faulty(fabric().population());
    }

    /**
     * Checks faults beyond the range of their numbers.
     *
     * @param where they come from, for errors.
     * @throws InputException if one names what is not there.
     */
    public void checkFaults(final String where, final List<Fault> faults) {
    }

    /** A script with what follows from it. */
    public FaultPlan played(final FaultPlan script, final List<String> remarks) {
        return script;
    }

    /**
     * The flows in their traffic classes.
     *
     * @throws InputException if the fabric does not know of them.
     */
    public FlowSet classed(final FlowSet flows) {
        return TrafficClasses.of(options, this, flows);
    }

    /**
     * Refuses traffic classes that the trace says.
     *
     * @throws InputException if the fabric does not have so many.
     */
    public void refuseClasses(final int classes) {
        throw new InputException("--flows", options.flows.toString(), "its sixth field puts flows into traffic classes "
            + "and this fabric has none", "leave the field out, or use another fabric");
    }

    /** Adds the settings of traffic classes. */
    public void describeClasses(final FlowSet flows, final Map<String, String> settings) {
    }

    /**
     * Refuses what packets from outside cannot have.
     *
     * @param classes of the packets.
     * @throws InputException if a mechanism has to know flows beforehand, if there are no such classes, or packets
     *     would wait too long for what is lost.
     */
    public abstract void refusePackets(int classes);

    /**
     * Refuses what several processes cannot run together.
     *
     * @throws InputException if a count is kept in one process.
     */
    public void refuseMembers() {
    }

    /** Whether flows that nothing has arrived of are listed among those under way, as the authors' simulator does. */
    public boolean listsUntouchedFlows() {
        return false;
    }

    /** Links that one phase of the schedule uses. */
    public int linksPerPhase() {
        return links();
    }

    /** Whether each link of a node has a queue of its own. */
    public boolean hasLinkQueues() {
        return false;
    }

    /** What the words on its links say. */
    public LinkWords words() {
        return LinkWords.PLAIN;
    }

    /**
     * Slots of some epochs.
     *
     * @throws InputException if the authors' simulator does not count flows under way by epochs.
     */
    public long countingSlots(final long epochs) {
        throw new InputException("--count-after-epochs", Long.toString(epochs), "only Shoal's simulator counts so",
            "leave it out");
    }

    /** Checks the length of a slot. */
    protected static double slotNs(final RunOptions options, final double otherwise) {
        final double slotNs = options.slotNs == null ? otherwise : options.slotNs;
        Choices.refuseIf(!(slotNs > 0 && slotNs < 1e9), "--slot-ns", slotNs, "a slot lasts more than 0 ns and less "
            + "than a second", "give its length in ns, for example " + otherwise);
        return slotNs;
    }

    /**
     * Whole slots of the delay, rounded up once, not twice: by decimal arithmetic.
     *
     * @param slotNs    time between the cells that a node sends.
     * @param channels  of a node.
     * @param otherwise delay in ns if none is given.
     * @param most      slots.
     */
    protected static int propagationSlots(final RunOptions options, final double slotNs, final int channels,
        final double otherwise, final int most) {
        Choices.refuseIf(options.propagationSlots != null && options.propagationNs != null, "--propagation-slots",
            options.propagationSlots, "--propagation-ns is given too", "leave one of them out");
        if (options.propagationSlots != null) {
            return Choices.inRange("--propagation-slots", options.propagationSlots, 0, most);
        }
        final double delayNs = options.propagationNs == null ? otherwise : options.propagationNs;
        Choices.refuseIf(!(delayNs >= 0 && delayNs / slotNs / channels < most), "--propagation-ns", delayNs,
            "the delay must be 0 to " + most + " slots", "give the one-way delay in ns, for example 500");
        return BigDecimal.valueOf(delayNs).divide(BigDecimal.valueOf(slotNs).multiply(BigDecimal.valueOf(channels)),
            0, RoundingMode.CEILING).intValue();
    }

    /** Checks the sizes of a cell. */
    protected static CellFormat format(final int cellBytes, final int headerBytes) {
        Choices.refuseIf(cellBytes <= headerBytes, "--cell-bytes", cellBytes, "a header of " + headerBytes
            + " bytes leaves no room for payload", "give " + (headerBytes + 1L) + " or more");
        return new CellFormat(cellBytes, headerBytes);
    }
}
