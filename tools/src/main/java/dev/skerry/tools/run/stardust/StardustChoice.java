package dev.skerry.tools.run.stardust;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.codec.CellFormat;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.engine.Resumable.MemberEngine;
import dev.skerry.nic.engine.RowExchange;
import dev.skerry.nic.engine.RunLog;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.StardustEngine;
import dev.skerry.nic.stardust.StardustMember;
import dev.skerry.nic.stardust.StardustThreads;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.reference.ReferenceStardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.EngineChoice;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import dev.skerry.spi.TrafficClasses;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.run.HostOptions;
import dev.skerry.tools.run.stardust.StardustOptions.StardustEnds;
import dev.skerry.tools.run.stardust.StardustOptions.StardustLinks;
import dev.skerry.tools.traffic.FaultReader;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The Stardust fabric that the options of a run define. */
public final class StardustChoice extends FabricChoice {
    private static final int CELL_BYTES = 256;
    static final int HEADER_BYTES = 16;
    private static final int LEAST_PACKET = 64;
    private static final double LINK_GBPS = 25;
    private static final double PROPAGATION_NS = 500;
    private static final double SPEED_UP = 1.1;
    /** Relative amount by which the credits of schedulers exceed the rate of their ports (Stardust §4.1). */
    private static final double EPSILON = 0.02;
    /** Bytes in a port's buffer at which its credits stop, excluding packets that extend beyond their credit. */
    private static final long HIGH_BYTES = 1 << 16;
    private static final int PODS = 4;
    static final int USUAL_NODES = 256;
    private static final int LEAST_NODES = 16;
    private static final String SCALED = "scaled";
    static final String SINGLE = "single";
    private static final int SINGLE_LINKS = 4;
    /** Period of the reachability messages in ns. */
    private static final double REACHABILITY_NS = 10_000;
    private static final String WEIGHTS = "--weights";
    private static final String WEIGHT_ADVICE = "give one for each class, for example 0,3,1";

    private final StardustOptions own;
    private final StardustEnds ends;
    private final HostOptions hosts;
    private final StardustLinks links;
    private final String topology;
    private final FoldedClosConfig clos;
    private final int ports;
    private final List<Integer> weights;
    private final int classes;
    private final Configuration configuration;

    StardustChoice(final RunOptions options) {
        super(new StardustKind(), options);
        this.own = options.own.of(StardustOptions.class);
        this.ends = options.own.of(StardustEnds.class);
        this.hosts = options.own.of(HostOptions.class);
        this.links = options.own.of(StardustLinks.class);
        this.topology = own.topology == null ? SCALED : own.topology;
        if (!topology.equals(StardustOptions.CLOS)) {
            own.refuseShape();
        }
        this.clos = clos();
        this.weights = ends.weights == null ? List.of() : weights(ends.weights);
        this.classes = Math.max(Math.max(1, weights.size()), TrafficClasses.number(options) * options.packetClasses);
        Choices.refuseIf(!weights.isEmpty() && weights.size() != classes, "--weights", ends.weights, "there are "
            + classes + " traffic classes", "give a weight for each");
        this.ports = inRange("--ports", own.ports, 1, 64, usualPorts(topology));
        this.configuration = configured();
    }

    /**
     * Returns the network: a single tier with few links, a preset, or the network of Figure 9 scaled to the number of
     * adapters, with 4 pods and an eighth of the adapters as links.
     */
    private FoldedClosConfig clos() {
        final FoldedClosConfig preset = switch (topology) {
            case "n62" -> FoldedClosConfig.N62;
            case "n432" -> FoldedClosConfig.N432;
            case "n612" -> FoldedClosConfig.N612;
            case SINGLE -> new FoldedClosConfig(inRange("--nodes", options.nodes, 2, FoldedClosConfig.MAX_RADIX),
                SINGLE_LINKS, 1, options.nodes, 0, List.of());
            case StardustOptions.CLOS -> own.config(options.nodes, USUAL_NODES);
            case SCALED -> null;
            default -> throw new InputException("--topology", topology, "there is no such choice",
                "use " + SCALED + ", " + SINGLE + ", n62, n432, n612 or " + StardustOptions.CLOS);
        };
        if (preset != null) {
            Choices.refuseIf(options.nodes != USUAL_NODES && options.nodes != preset.fas(), "--nodes", options.nodes,
                topology + " has " + preset.fas() + " adapters", "leave it out");
            return preset;
        }
        Choices.refuseIf(options.nodes < LEAST_NODES || options.nodes % (2 * PODS) != 0
            || options.nodes / 2 > FoldedClosConfig.MAX_RADIX, "--nodes", options.nodes, "an adapter has as many links "
            + "as an eighth of the adapters", "give a multiple of 8 from 16 to " + 2 * FoldedClosConfig.MAX_RADIX);
        final int perPod = options.nodes / PODS;
        return new FoldedClosConfig(2 * perPod, perPod / 2, 1, perPod, perPod, List.of(PODS));
    }

    /** Returns the weights of classes as typed. */
    private static List<Integer> weights(final String text) {
        final List<Integer> weights = new ArrayList<>();
        for (final String part : text.split(",", -1)) {
            final long weight = TrafficClasses.number(WEIGHTS, text, part.strip(), "weight", WEIGHT_ADVICE);
            Choices.refuseIf(weight < 0 || weight > ClassRules.MAX_WEIGHT || weights.size() == FlowSet.MAX_CLASSES,
                WEIGHTS, text, "up to " + FlowSet.MAX_CLASSES + " classes have weights of 0 to "
                + ClassRules.MAX_WEIGHT, WEIGHT_ADVICE);
            Choices.refuseIf(weight == 0 && !weights.isEmpty() && weights.getLast() > 0, WEIGHTS, text,
                "classes of weight 0 have priority and must come first", WEIGHT_ADVICE);
            weights.add((int) weight);
        }
        return weights;
    }

    private static int usualPorts(final String topology) {
        return switch (topology) {
            case "n432" -> 6;
            case "n612" -> 40;
            default -> 1;
        };
    }

    private Configuration configured() {
        final CellFormat format = format(options);
        final int channels = Math.max(1, clos.faLinks() / ports);
        Choices.refuseIf(options.channels != null && options.channels != channels, "--channels", options.channels,
            "an end node has " + channels + " links of its own", "leave it out");
        final double slotNs = slotNs(options, links.slotBytes(format.cellBytes()) * Byte.SIZE / LINK_GBPS
            / channels);
        final double speedUp = ends.speedUp == null ? SPEED_UP : ends.speedUp;
        Choices.refuseIf(!(speedUp >= 1 && speedUp <= 100), "--speed-up", speedUp, "links must have at least the "
            + "capacity of the ports",
            "give 1 or more, for example " + SPEED_UP);
        final int packetBytes = hosts.packetBytes();
        final int creditBytes = own.creditBytes == null ? Credits.USUAL_BYTES : own.creditBytes;
        final double cellsPerSlot = (double) links.slotBytes(format.cellBytes()) / format.cellBytes();
        final double portBytes = clos.faLinks() * cellsPerSlot * format.payloadBytes() / ports / speedUp;
        final int linkSlots = linkSlots(slotNs, channels);
        final HostModel model = hosts.model(slotNs * channels, "ideal");
        Choices.refuse("--hosts", HostOptions.pulls(model) ? "ndp" : null, "adapters do not trim packets",
            "use --fabric fattree, or other hosts");
        try {
            final Credits credits = own.credits(new Credits(creditBytes, portBytes * (1 + EPSILON), 0,
                0, 1, true).with(ClassRules.weighted(weights)), classes, portBytes, 2 * clos.tiers() * linkSlots,
                slotNs * channels);
            final Stardust fabric = new Stardust(own.deployment(new FoldedClos(clos)), linkSlots,
                new HostSide(ports, ports * options.portPairs, classes, portBytes, HIGH_BYTES, HIGH_BYTES / 2, model,
                StardustEnds.signals(hosts, model, packetBytes)),
                new CellCut(packetBytes, format.payloadBytes(), true, own.packing()),
                credits, links.links(format.headerBytes()), true, options.seed);
            return new Configuration(fabric, format, slotNs, clos.faLinks(), cellsPerSlot / speedUp,
                promise(model, cellsPerSlot / speedUp / channels), settings(speedUp, packetBytes, creditBytes),
                own.isBringUp() ? List.of(bringUp(fabric, slotNs * channels)) : List.of());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--fabric", "stardust", e.getMessage(),
                "change --nodes, --ports, --cell-bytes, --credit-bytes or --hosts");
        }
    }

    /**
     * Returns the guarantee, which is the rate of a port. It requires that all elements are present, no tier is
     * oversubscribed, and hosts have no congestion control.
     */
    private Guarantee promise(final HostModel model, final double ofLink) {
        final boolean whole = own.topElements == null
            && (clos.tiers() == 1 || 2 * clos.upLinks() >= clos.radix());
        return whole && model == HostModel.IDEAL ? new Guarantee("1/speed-up", ofLink * clos.faLinks() / ports)
            : Guarantee.NONE;
    }

    private static String bringUp(final Stardust fabric, final double wholeSlotNs) {
        final int slots = ReachTiming.every(REACHABILITY_NS, wholeSlotNs).bringUpSlots(fabric.clos(),
            fabric.linkSlots());
        return String.format(Locale.ROOT, "devices know no others at slot 0; by Appendix E of the paper, all know "
            + "each other by slot %d, %.1f us", slots, slots * wholeSlotNs / 1e3);
    }

    /** Returns the delay of a link, including the slot for sending a cell. */
    private int linkSlots(final double slotNs, final int channels) {
        final int slots = propagationSlots(options, slotNs, channels, PROPAGATION_NS,
            Stardust.MAX_LINK_SLOTS - 1);
        final int ofDevice = links.deviceSlots(slotNs * channels);
        final int all = (options.propagationSlots == null ? slots + 1 : inRange("--propagation-slots", slots, 1,
            Stardust.MAX_LINK_SLOTS)) + ofDevice;
        Choices.refuseIf(all > Stardust.MAX_LINK_SLOTS, "--device-ns", links.deviceNs,
            "a link and the device behind it take " + Stardust.MAX_LINK_SLOTS + " slots at most", "give less");
        return all;
    }

    private static CellFormat format(final RunOptions options) {
        final int headerBytes = inRange("--header-bytes", options.headerBytes, HEADER_BYTES, CELL_BYTES, HEADER_BYTES);
        final int payloadBytes = inRange("--cell-bytes", options.cellBytes, LEAST_PACKET, 2 * CELL_BYTES, CELL_BYTES);
        return new CellFormat(payloadBytes + headerBytes, headerBytes);
    }

    private Map<String, String> settings(final double speedUp, final int packetBytes, final int creditBytes) {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("nodes", Integer.toString(clos.fas()));
        settings.put("topology", topology);
        settings.put("ports", Integer.toString(ports));
        settings.put("channels", Integer.toString(Math.max(1, clos.faLinks() / ports)));
        settings.put("speed-up", Double.toString(speedUp));
        settings.put("packet-bytes", Integer.toString(packetBytes));
        settings.put("credit-bytes", Integer.toString(creditBytes));
        settings.put("packing", own.packing().name().toLowerCase(Locale.ROOT));
        own.describe(settings);
        hosts.describe(settings);
        links.describe(settings);
        if (!weights.isEmpty()) {
            settings.put("weights", ends.weights);
        }
        return settings;
    }

    /** Returns the timing of reachability messages and the knowledge of devices at slot 0. */
    public ReachTiming healing() {
        final ReachTiming known = ReachTiming.every(REACHABILITY_NS, wholeSlotNs());
        return own.isBringUp() ? known.fromNothing() : known;
    }

    private Stardust stardust() {
        return (Stardust) fabric();
    }

    @Override
    public String againstWaits() {
        return stardust().takesWaits() ? "" : "flows wait for others, which is not possible with bounds of queues "
            + "(--voq-bytes, --adapter-bytes) and a class without credits (--low-latency)";
    }

    @Override
    protected Configuration configuration() {
        return configuration;
    }

    @Override
    public Engine engine(final EngineChoice how, final Traffic traffic, final Idle idle, final boolean check,
        final RunLog log) {
        if (how.isReference()) {
            return reference(traffic.flows());
        }
        return how.threading() == null ? new StardustEngine(stardust(), traffic.flows(), traffic.faults(), healing(),
            how.workers(), check, traffic.edges(), idle)
            : new StardustThreads(stardust(), traffic.flows(), traffic.faults(), healing(), traffic.edges(),
            how.threading());
    }

    @Override
    protected Engine reference(final FlowSet flows) {
        if (own.isBringUp()) {
            throw new IllegalArgumentException("the reference engine requires devices that know each other at slot 0");
        }
        return new ReferenceStardust(stardust(), flows);
    }

    @Override
    public MemberEngine member(final FlowSet flows, final Faults faults, final RunLog log,
        final RowExchange exchange) {
        return new StardustMember(stardust(), flows, faults, healing(), exchange);
    }

    @Override
    public long stateBytes(final FlowSet flows, final Faults faults) {
        return StardustEngine.bytes(stardust(), flows);
    }

    @Override
    protected long cellsBetweenBarriers() {
        return (long) clos.fas() * clos.faLinks() * stardust().linkSlots();
    }

    @Override
    public int switches() {
        return stardust().clos().devices() - clos.fas();
    }

    /** Returns null, because elements switch cells and not circuits. */
    @Override
    public Wiring wiring() {
        return null;
    }

    @Override
    public int typedCellBytes() {
        return format().payloadBytes();
    }

    /** Returns the delay of one link. */
    @Override
    public int typedPropagationSlots() {
        return stardust().linkSlots();
    }

    /** Returns the components that may fail, which are devices. */
    @Override
    public Faulty faulty() {
        return new Faulty(Population.complete(new Phased(1, stardust().clos().devices())), fabric().nodes(),
            SwitchNames.NONE, ClockWindow.NONE);
    }

    @Override
    public void checkFaults(final String where, final List<Fault> faults) {
        FaultReader.requireLinks(where, faults, stardust().clos());
    }

    @Override
    public void refuseClasses(final int number) {
        Choices.refuseIf(classes < number, "--flows", options.flows, "its sixth field puts flows "
            + "into " + number + " traffic classes, of which " + classes + " have a weight",
            "give all weights with --weights, for example 0,0, or leave the field out");
    }

    @Override
    public void refusePackets(final int number) {
        Choices.refuse("--give-up-ms", own.giveUpMs, "packets of ports wait for their destination port as long as "
            + "--stall-ms allows", "leave it out");
    }
}
