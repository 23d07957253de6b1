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
 * A fabric that has been created from the options of a run and checked. It provides everything that depends on the kind
 * of fabric: engines, the components that a fault script may name, traffic classes and files. Each kind of fabric
 * extends this class; the other tools use only this class. Not thread-safe.
 */
@SuppressWarnings("exports")
public abstract class FabricChoice {
    /** The options as typed. */
    protected final RunOptions options;

    /**
     * Stores the options and checks that none of them belongs to another kind.
     *
     * @throws InputException if an option belongs to another kind.
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
     * @param guarantee cells per node, slot and channel that the fabric carries under any traffic according to its
     *     paper; the default load derives from it.
     * @param promise   guarantee that the report may state for these settings if nothing fails.
     * @param settings  settings of this kind of fabric, as they would be typed.
     * @param remarks   remarks for the user before the run.
     */
    public record Configuration(Fabric fabric, CellFormat format, double slotNs, int links, double guarantee,
        Guarantee promise, Map<String, String> settings, List<String> remarks) {
    }

    /**
     * Creates the choice from the options.
     *
     * @throws InputException if an option is invalid or contradicts another one.
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

    /**
     * Returns the cells per node, slot and channel that the fabric carries under any traffic according to its paper.
     */
    public final double guarantee() {
        return configuration().guarantee;
    }

    /** Returns the settings of this kind of fabric as they would be typed. */
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

    /** Tells whether the run has faults, from a script or from orders. */
    final boolean mayFail() {
        return options.faults != null;
    }

    /** Returns the guarantee that the report may state; none if the run has faults. */
    public final Guarantee promise() {
        return mayFail() ? Guarantee.NONE : configuration().promise;
    }

    /**
     * Returns the fabric for commands that need a fabric of circuits.
     *
     * @throws InputException if the fabric does not consist of circuits.
     */
    public final CircuitFabric circuits() {
        if (fabric() instanceof final CircuitFabric circuits) {
            return circuits;
        }
        throw new InputException("--fabric", options.fabric, "this command needs a fabric of circuits",
            "use another one");
    }

    /** Returns the units in which numbers of cells and slots are reported. */
    public final RunResult.Terms terms() {
        return new RunResult.Terms(fabric().channels(), slotNs(), format().payloadBytes(), promise());
    }

    /** Returns the length of a slot in ns. */
    public final double wholeSlotNs() {
        return BigDecimal.valueOf(slotNs()).multiply(BigDecimal.valueOf(fabric().channels())).doubleValue();
    }

    /** Returns the cell size in bytes as {@code --cell-bytes} counts it. */
    public int typedCellBytes() {
        return format().cellBytes();
    }

    /** Returns the delay as {@code --propagation-slots} counts it. */
    public int typedPropagationSlots() {
        return fabric().propagationSlots();
    }

    /** Returns the number of failed nodes at the lowest ids of traces; 0 if traces number only the other nodes. */
    public int failedNodes() {
        return 0;
    }

    /**
     * Checks that the fabric can count the slots of a run.
     *
     * @throws InputException if the run is too long.
     */
    public void refuseSlots(final long slots) {
    }

    /** Returns advice on how to reduce the memory of the fabric. */
    public String smaller() {
        return "choose fewer nodes or a shorter delay";
    }

    /**
     * Creates the engine with the fabric in slot 0.
     *
     * @param how     engine to create, with its workers or threads.
     * @param traffic flows, packets and faults of the run.
     * @param idle    how a lock-step thread waits while there is nothing to do but packets may arrive.
     * @param log     log that a fabric of circuits fills; null for none.
     */
    public abstract Engine engine(EngineChoice how, Traffic traffic, Idle idle, boolean check, RunLog log);

    /**
     * Creates the engine for a run without packets from outside.
     *
     * @param log log that a fabric of circuits fills; null for none.
     */
    public final Engine engine(final EngineChoice how, final FlowSet flows, final Faults faults, final boolean check,
        final RunLog log) {
        return engine(how, new Traffic(flows, faults), Idle.SPIN, check, log);
    }

    /**
     * Creates the reference engine with the fabric in slot 0.
     *
     * @throws IllegalArgumentException if it does not support the fabric or the flows; the message gives the reason.
     */
    protected Engine reference(final FlowSet flows) {
        throw new IllegalArgumentException("this fabric has no reference engine");
    }

    /**
     * Creates the engine of one member process, with its part of the fabric in slot 0.
     *
     * @param log log that a fabric of circuits fills; null for none.
     */
    public abstract MemberEngine member(FlowSet flows, Faults faults, RunLog log, RowExchange exchange);

    /** Returns the memory in bytes that the fabric needs before its first slot. */
    public abstract long stateBytes(FlowSet flows, Faults faults);

    /** Returns the number of cells that lock step can process between two barriers. */
    protected abstract long cellsBetweenBarriers();

    /** Returns the number of switches of a channel, each of which may have its own thread. */
    public abstract int switches();

    /** Returns the circuit switches; null if it has none. */
    public abstract Wiring wiring();

    /**
     * Checks that nodes can run on separate threads.
     *
     * @throws InputException if a mechanism needs the state of other nodes in the same slot.
     */
    protected void refuseInstant() {
    }

    /**
     * Refuses switch options that have no effect in this run.
     *
     * @throws InputException if such an option was typed.
     */
    protected void refuseSwitches(final String why, final String advice) {
    }

    /** Adds the settings of its switches, if there are any. */
    protected void describeSwitches(final Map<String, String> settings) {
    }

    /** Returns the components that a fault script may name. */
    public Faulty faulty() {
        return new Faulty(fabric().population());
    }

    /**
     * Checks faults for more than the ranges of their numbers.
     *
     * @param where origin of the faults, for errors.
     * @throws InputException if a fault names a component that does not exist.
     */
    public void checkFaults(final String where, final List<Fault> faults) {
    }

    /** Returns the script with the faults that follow from its own, such as those of a whole switch. */
    public FaultPlan played(final FaultPlan script, final List<String> remarks) {
        return script;
    }

    /**
     * Assigns the flows to their traffic classes.
     *
     * @throws InputException if the fabric does not support these classes.
     */
    public FlowSet classed(final FlowSet flows) {
        return TrafficClasses.of(options, this, flows);
    }

    /**
     * Refuses a number of traffic classes in a trace.
     *
     * @throws InputException if the fabric does not support as many.
     */
    public void refuseClasses(final int classes) {
        throw new InputException("--flows", options.flows.toString(), "its sixth field gives traffic classes, which "
            + "this fabric does not support", "leave the field out, or use another fabric");
    }

    /** Adds the settings of traffic classes. */
    public void describeClasses(final FlowSet flows, final Map<String, String> settings) {
    }

    /**
     * Checks that the fabric can carry packets from outside.
     *
     * @param classes number of traffic classes of the packets.
     * @throws InputException if a mechanism needs to know all flows in advance, if the fabric does not have these
     *     classes, or if packets would wait too long for lost cells.
     */
    public abstract void refusePackets(int classes);

    /**
     * Checks that several processes can run the fabric together.
     *
     * @throws InputException if a mechanism keeps a count in a single process.
     */
    public void refuseMembers() {
    }

    /**
     * Tells whether the flows in progress include flows that have not received anything yet, as in the authors'
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

    /** Returns the layout of the words on the links of the fabric. */
    public LinkWords words() {
        return LinkWords.PLAIN;
    }

    /**
     * Converts epochs to slots.
     *
     * @throws InputException if the authors' simulator of this fabric does not count flows in progress by epochs.
     */
    public long countingSlots(final long epochs) {
        throw new InputException("--count-after-epochs", Long.toString(epochs), "only Shoal's simulator counts in "
            + "this way",
            "leave it out");
    }

    /** Returns the length of a slot in ns, after a range check. */
    protected static double slotNs(final RunOptions options, final double otherwise) {
        final double slotNs = options.slotNs == null ? otherwise : options.slotNs;
        Choices.refuseIf(!(slotNs > 0 && slotNs < 1e9), "--slot-ns", slotNs, "a slot must last more than 0 ns and "
            + "less than a second", "give its length in ns, for example " + otherwise);
        return slotNs;
    }

    /**
     * Returns the propagation delay in whole slots. It is computed in decimal arithmetic, so that it is rounded up only
     * once.
     *
     * @param slotNs    time between the cells that a node sends.
     * @param channels  channels of a node.
     * @param otherwise delay in ns if none is given.
     * @param most      maximum number of slots.
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

    /** Returns the cell format, after a check of its sizes. */
    protected static CellFormat format(final int cellBytes, final int headerBytes) {
        Choices.refuseIf(cellBytes <= headerBytes, "--cell-bytes", cellBytes, "a header of " + headerBytes
            + " bytes leaves no room for payload", "give " + (headerBytes + 1L) + " or more");
        return new CellFormat(cellBytes, headerBytes);
    }
}
