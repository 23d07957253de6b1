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
 * A fabric as the options of a run describe it, checked, and all that depends on the kind of fabric: its engines, what
 * a script of faults may name, its traffic classes and files. Each kind extends it; the rest of the tools uses only
 * this class. One thread.
 */
@SuppressWarnings("exports")
public abstract class FabricChoice {
    /** The options as typed. */
    protected final RunOptions options;

    /**
     * Stores the options, none of which may belong to another kind.
     *
     * @throws InputException if one of them belongs to another kind.
     */
    protected FabricChoice(final FabricKind kind, final RunOptions options) {
        options.refuseForeign(kind);
        this.options = options;
    }

    /**
     * The chosen fabric with its properties.
     *
     * @param fabric    the fabric.
     * @param format    format of its cells.
     * @param slotNs    time between the cells that a node sends: a slot, divided by the channels.
     * @param links     number of neighbours of a node.
     * @param guarantee cells per node, slot and channel that it carries under any traffic, according to the paper; the
     *                  usual load follows from it.
     * @param promise   guarantee that the report may state for these settings if nothing fails.
     * @param settings  its own settings as they would be typed.
     * @param remarks   remarks for the user before the run.
     */
    public record Configuration(Fabric fabric, CellFormat format, double slotNs, int links, double guarantee,
        Guarantee promise, Map<String, String> settings, List<String> remarks) {
    }

    /**
     * Creates the choice from the options.
     *
     * @throws InputException if an option is wrong, alone or with another.
     */
    public static FabricChoice of(final RunOptions options) {
        return FabricKind.named(options.fabric).choose(options);
    }

    /** Returns the chosen fabric with its properties. */
    protected abstract Configuration configuration();

    /** Returns the fabric. */
    public final Fabric fabric() {
        return configuration().fabric;
    }

    /** Returns the format of its cells. */
    public final CellFormat format() {
        return configuration().format;
    }

    /** Returns the time between the cells that a node sends in ns: a slot, divided by the channels. */
    public final double slotNs() {
        return configuration().slotNs;
    }

    /** Returns the number of neighbours of a node. */
    public final int links() {
        return configuration().links;
    }

    /** Returns the cells per node, slot and channel under any traffic, according to the paper. */
    public final double guarantee() {
        return configuration().guarantee;
    }

    /** Returns its own settings as they would be typed. */
    public final Map<String, String> settings() {
        return configuration().settings;
    }

    /** Returns remarks for the user before the run. */
    public final List<String> remarks() {
        return configuration().remarks;
    }

    /** Returns the reason why flows cannot wait for others; empty if they can. */
    public String againstWaits() {
        return "";
    }

    /** Tells whether something fails, by a script or an order. */
    final boolean mayFail() {
        return options.faults != null;
    }

    /** Returns the guarantee that the report may state. */
    public final Guarantee promise() {
        return mayFail() ? Guarantee.NONE : configuration().promise;
    }

    /**
     * Returns the fabric for what needs a fabric of circuits.
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

    /** Returns the terms in which numbers of cells and slots are expressed. */
    public final RunResult.Terms terms() {
        return new RunResult.Terms(fabric().channels(), slotNs(), format().payloadBytes(), promise());
    }

    /** Returns the time from the start of a slot to that of the next, in ns. */
    public final double wholeSlotNs() {
        return BigDecimal.valueOf(slotNs()).multiply(BigDecimal.valueOf(fabric().channels())).doubleValue();
    }

    /** Returns the bytes of a cell as {@code --cell-bytes} counts them. */
    public int typedCellBytes() {
        return format().cellBytes();
    }

    /** Returns the delay as {@code --propagation-slots} counts it. */
    public int typedPropagationSlots() {
        return fabric().propagationSlots();
    }

    /** Returns the number of nodes, from 0 up, that never answer, if traces keep their numbers. */
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

    /** Returns advice on how to reduce its memory. */
    public String smaller() {
        return "choose fewer nodes or a shorter delay";
    }

    /**
     * Creates the engine with the fabric in it, at slot 0.
     *
     * @param how     workers or threads.
     * @param traffic the traffic.
     * @param idle    how a thread of lock step waits while packets may come and there is nothing to do.
     * @param log     filled by a fabric of circuits; null for none.
     */
    public abstract Engine engine(EngineChoice how, Traffic traffic, Idle idle, boolean check, RunLog log);

    /**
     * Creates the engine for a run whose cells the fabric generates itself.
     *
     * @param log filled by a fabric of circuits; null for none.
     */
    public final Engine engine(final EngineChoice how, final FlowSet flows, final Faults faults, final boolean check,
        final RunLog log) {
        return engine(how, new Traffic(flows, faults), Idle.SPIN, check, log);
    }

    /**
     * Creates the reference engine with the fabric in it, at slot 0.
     *
     * @throws IllegalArgumentException if it lacks what the fabric or the flows need; the message names it.
     */
    protected Engine reference(final FlowSet flows) {
        throw new IllegalArgumentException("this fabric has no reference engine");
    }

    /**
     * Creates one member's engine with its part of the fabric in it, at slot 0.
     *
     * @param log filled by a fabric of circuits; null for none.
     */
    public abstract MemberEngine member(FlowSet flows, Faults faults, RunLog log, RowExchange exchange);

    /** Returns the memory in bytes before its first slot. */
    public abstract long stateBytes(FlowSet flows, Faults faults);

    /** Returns the places for cells that workers of lock step process between two barriers. */
    protected abstract long cellsBetweenBarriers();

    /** Returns the number of switches that may each have a thread: those of a lane. */
    public abstract int switches();

    /** Returns the circuit switches; null if it has none. */
    public abstract Wiring wiring();

    /**
     * Refuses what nodes on separate threads cannot do.
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

    /** Adds the settings of its switches, if there are any. */
    protected void describeSwitches(final Map<String, String> settings) {
    }

    /** Returns what a script of faults may name. */
    public Faulty faulty() {
        return new Faulty(fabric().population());
    }

    /**
     * Checks faults beyond the range of their numbers.
     *
     * @param where their origin, for errors.
     * @throws InputException if a fault names what does not exist.
     */
    public void checkFaults(final String where, final List<Fault> faults) {
    }

    /** Returns a script with the faults that follow from it. */
    public FaultPlan played(final FaultPlan script, final List<String> remarks) {
        return script;
    }

    /**
     * Returns the flows in their traffic classes.
     *
     * @throws InputException if the fabric does not support them.
     */
    public FlowSet classed(final FlowSet flows) {
        return TrafficClasses.of(options, this, flows);
    }

    /**
     * Refuses traffic classes of a trace.
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
     * Refuses what is not possible with packets from outside.
     *
     * @param classes number of traffic classes of the packets.
     * @throws InputException if a mechanism has to know flows beforehand, if there are no such classes, or packets
     *                        would wait too long for what is lost.
     */
    public abstract void refusePackets(int classes);

    /**
     * Refuses what several processes cannot run together.
     *
     * @throws InputException if a count is kept in one process.
     */
    public void refuseMembers() {
    }

    /**
     * Tells whether flows of which nothing has arrived are listed among those in progress, as in the authors'
     * simulator.
     */
    public boolean listsUntouchedFlows() {
        return false;
    }

    /** Returns the number of links that one phase of the schedule uses. */
    public int linksPerPhase() {
        return links();
    }

    /** Tells whether each link of a node has a separate queue. */
    public boolean hasLinkQueues() {
        return false;
    }

    /** Returns the meaning of the words on its links. */
    public LinkWords words() {
        return LinkWords.PLAIN;
    }

    /**
     * Returns the slots of some epochs.
     *
     * @throws InputException if the authors' simulator does not count flows in progress by epochs.
     */
    public long countingSlots(final long epochs) {
        throw new InputException("--count-after-epochs", Long.toString(epochs), "only Shoal's simulator counts so",
            "leave it out");
    }

    /** Returns the length of a slot after a check. */
    protected static double slotNs(final RunOptions options, final double otherwise) {
        final double slotNs = options.slotNs == null ? otherwise : options.slotNs;
        Choices.refuseIf(!(slotNs > 0 && slotNs < 1e9), "--slot-ns", slotNs, "a slot lasts more than 0 ns and less "
            + "than a second", "give its length in ns, for example " + otherwise);
        return slotNs;
    }

    /**
     * Returns the whole slots of the delay, computed in decimal arithmetic, so that they are rounded up only once.
     *
     * @param slotNs    time between the cells that a node sends.
     * @param channels  channels of a node.
     * @param otherwise delay in ns if none is given.
     * @param most      largest number of slots.
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

    /** Returns the format of a cell after a check of its sizes. */
    protected static CellFormat format(final int cellBytes, final int headerBytes) {
        Choices.refuseIf(cellBytes <= headerBytes, "--cell-bytes", cellBytes, "a header of " + headerBytes
            + " bytes leaves no room for payload", "give " + (headerBytes + 1L) + " or more");
        return new CellFormat(cellBytes, headerBytes);
    }
}
