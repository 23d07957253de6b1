package dev.skerry.tools.run.fattree;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fattree.FatTree;
import dev.skerry.nic.fattree.FatTreeEngine;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.host.HostModel.Reno;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.run.HostOptions;
import dev.skerry.tools.traffic.FaultReader;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The packet-switched network that the options of a run define. */
final class FatTreeChoice extends FabricChoice {
    private static final int CELL_BYTES = 64;
    private static final int MOST_CELL = 1024;
    private static final double PROPAGATION_NS = 500;

    private final Configuration configuration;

    FatTreeChoice(final RunOptions options) {
        super(new FatTreeKind(), options);
        this.configuration = configured(options.own.of(FatTreeOptions.class), options.own.of(HostOptions.class));
    }

    private Configuration configured(final FatTreeOptions own, final HostOptions hosts) {
        Choices.refuseIf(options.headerBytes != null && options.headerBytes != 0, "--header-bytes", options.headerBytes,
            "packet sizes include all headers", "leave it out");
        own.refuseRate(options.slotNs);
        final int cellBytes = inRange("--cell-bytes", options.cellBytes, 1, MOST_CELL, CELL_BYTES);
        final double slotNs = slotNs(options, cellBytes * Byte.SIZE / own.linkGbps());
        final double gbps = cellBytes * Byte.SIZE / slotNs;
        final double upShare = own.upShare(gbps);
        final HostModel model = hosts.model(slotNs, "dctcp");
        if (!(model instanceof final Reno reno)) {
            throw new InputException("--hosts", hosts.hosts, "packet switches need hosts with a congestion "
                + "control", "use tcp, dctcp, mptcp, dcqcn or ndp");
        }
        final int linkSlots = Math.max(1, propagationSlots(options, slotNs, 1, PROPAGATION_NS,
            FatTree.MAX_LINK_SLOTS));
        try {
            final FatTree fabric = new FatTree(new FoldedClos(own.config(options.nodes, upShare)), linkSlots, cellBytes,
                cellBytes * upShare, own.rules(hosts, reno, linkSlots, cellBytes * Math.max(1, upShare)),
                own.hosts(reno, slotNs), own.rerouteSlots(slotNs), options.seed);
            return new Configuration(fabric, new CellFormat(cellBytes, 0), slotNs, 1,
                own.share(upShare), Guarantee.NONE, settings(own, hosts, fabric), List.of());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--fabric", "fattree", e.getMessage(),
                "change --nodes, --packet-bytes, --cell-bytes or the rates of links");
        }
    }

    private static Map<String, String> settings(final FatTreeOptions own, final HostOptions hosts,
        final FatTree fabric) {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("packet-bytes", Integer.toString(fabric.rules().packetBytes()));
        hosts.describe(settings);
        settings.putIfAbsent("hosts", "dctcp");
        own.describe(settings);
        return settings;
    }

    private FatTree fatTree() {
        return (FatTree) fabric();
    }

    @Override
    protected Configuration configuration() {
        return configuration;
    }

    /** Returns the delay of one link. */
    @Override
    public int typedPropagationSlots() {
        return fatTree().linkSlots();
    }

    @Override
    public Engine engine(final EngineChoice how, final Traffic traffic, final Idle idle, final boolean check,
        final RunLog log) {
        return new FatTreeEngine(fatTree(), traffic.flows(), traffic.faults(), how.workers(), check);
    }

    @Override
    public MemberEngine member(final FlowSet flows, final Faults faults, final RunLog log,
        final RowExchange exchange) {
        throw new IllegalStateException("refused before");
    }

    @Override
    public long stateBytes(final FlowSet flows, final Faults faults) {
        return FatTreeEngine.bytes(fatTree(), flows);
    }

    @Override
    protected long cellsBetweenBarriers() {
        return (long) fatTree().nodes() * fatTree().linkSlots();
    }

    @Override
    public int switches() {
        return fatTree().clos().devices() - fatTree().nodes();
    }

    @Override
    public Wiring wiring() {
        return null;
    }

    @Override
    protected void refuseInstant() {
        throw new InputException("--mode", options.engine.mode, "packet switches run in lock step only",
            "leave it out; --threads divides the work");
    }

    @Override
    public void refuseMembers() {
        throw new InputException("--members", null, "packet switches run in one process", "leave it out");
    }

    @Override
    public void refusePackets(final int classes) {
        throw new InputException("--fabric", options.fabric, "it carries packets of simulated flows only",
            "use another fabric");
    }

    /** Returns the components that may fail, which are devices. */
    @Override
    public Faulty faulty() {
        return new Faulty(Population.complete(new Phased(1, fatTree().clos().devices())), 0, SwitchNames.NONE,
            ClockWindow.NONE);
    }

    @Override
    public void checkFaults(final String where, final List<Fault> faults) {
        FaultReader.requireLinks(where, faults, fatTree().clos());
    }
}
