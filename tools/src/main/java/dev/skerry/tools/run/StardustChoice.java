package dev.skerry.tools.run;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.CellPacker;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.ClassRules;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.HostModel;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.Guarantee;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Stardust from the options of a run. */
final class StardustChoice {
    private static final int CELL_BYTES = 256;
    private static final int HEADER_BYTES = 16;
    private static final int LEAST_PACKET = 64;
    private static final int PACKET_BYTES = 1500;
    private static final double LINK_GBPS = 25;
    private static final double PROPAGATION_NS = 500;
    private static final double SPEED_UP = 1.1;
    /** How much faster than their ports schedulers hand out credits (Stardust §4.1). */
    private static final double EPSILON = 0.02;
    /** What a port holds before its credits stop, beside what comes of packets that end after their credit. */
    private static final long HIGH_BYTES = 1 << 16;
    private static final int PODS = 4;
    private static final int USUAL_NODES = 256;
    private static final int LEAST_NODES = 16;
    private static final String SCALED = "scaled";
    private static final String SINGLE = "single";
    private static final int SINGLE_LINKS = 4;

    private final RunOptions options;
    private final String topology;
    private final FoldedClosConfig clos;
    private final int ports;
    private final List<Integer> weights;
    private final int classes;

    private StardustChoice(final RunOptions options) {
        this.options = options;
        OptionScope.refuseForeign(options);
        this.topology = options.topology == null ? SCALED : options.topology;
        if (!topology.equals(StardustOptions.CLOS)) {
            options.stardust.refuseShape();
        }
        this.clos = clos(options, topology);
        this.weights = options.weights == null ? List.of() : TrafficClasses.weights(options.weights);
        this.classes = Math.max(Math.max(1, weights.size()), TrafficClasses.number(options) * options.packetClasses);
        Choices.refuseIf(!weights.isEmpty() && weights.size() != classes, "--weights", options.weights, "there are "
            + classes + " traffic classes", "give a weight for each");
        final Integer asked = options.stardust.ports;
        this.ports = inRange("--ports", asked == null ? usualPorts(topology) : asked, 1, 64);
    }

    static FabricChoice of(final RunOptions options) {
        return new StardustChoice(options).choice();
    }

    /** One tier of few links; else the network of Figure 9 with as many adapters: 4 pods, an eighth as links. */
    private static FoldedClosConfig clos(final RunOptions options, final String topology) {
        final FoldedClosConfig preset = switch (topology) {
            case "n62" -> FoldedClosConfig.N62;
            case "n432" -> FoldedClosConfig.N432;
            case "n612" -> FoldedClosConfig.N612;
            case SINGLE -> new FoldedClosConfig(inRange("--nodes", options.nodes, 2, FoldedClosConfig.MAX_RADIX),
                SINGLE_LINKS, 1, options.nodes, 0, List.of());
            case StardustOptions.CLOS -> options.stardust.config(options.nodes, USUAL_NODES);
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

    private static int usualPorts(final String topology) {
        return switch (topology) {
            case "n432" -> 6;
            case "n612" -> 40;
            default -> 1;
        };
    }

    private FabricChoice choice() {
        final CellFormat format = format();
        final int channels = Math.max(1, clos.faLinks() / ports);
        Choices.refuseIf(options.channels != null && options.channels != channels, "--channels", options.channels,
            "an end node has " + channels + " links of its own", "leave it out");
        final StardustLinks links = options.stardustLinks;
        final double slotNs = FabricChoice.slotNs(options, links.slotBytes(format.cellBytes()) * Byte.SIZE / LINK_GBPS
            / channels);
        final double speedUp = options.speedUp == null ? SPEED_UP : options.speedUp;
        Choices.refuseIf(!(speedUp >= 1 && speedUp <= 100), "--speed-up", speedUp, "links carry at least what ports do",
            "give 1 or more, for example " + SPEED_UP);
        final int packetBytes = inRange("--packet-bytes", options.packetBytes == null
            ? PACKET_BYTES : options.packetBytes, LEAST_PACKET, CellPacker.MAX_PACKET_BYTES);
        final Integer asked = options.stardust.creditBytes;
        final int creditBytes = asked == null ? Credits.USUAL_BYTES : asked;
        final double cellsPerSlot = (double) links.slotBytes(format.cellBytes()) / format.cellBytes();
        final double portBytes = clos.faLinks() * cellsPerSlot * format.payloadBytes() / ports / speedUp;
        final int linkSlots = linkSlots(slotNs, channels);
        final HostModel model = options.stardustEnds.model(slotNs * channels);
        try {
            final Credits credits = options.stardust.credits(new Credits(creditBytes, portBytes * (1 + EPSILON), 0,
                0, 1, true).with(ClassRules.weighted(weights)), classes, portBytes, 2 * clos.tiers() * linkSlots,
                slotNs * channels);
            final Stardust fabric = new Stardust(options.stardust.deployment(new FoldedClos(clos)), linkSlots,
                new HostSide(ports, ports * options.portPairs, classes, portBytes, HIGH_BYTES, HIGH_BYTES / 2, model,
                options.stardustEnds.signals(model, packetBytes)),
                new CellCut(packetBytes, format.payloadBytes(), true, options.stardust.packing()),
                credits, links.links(format.headerBytes()), true, options.seed);
            return new FabricChoice(fabric, format, slotNs, clos.faLinks(), cellsPerSlot / speedUp,
                promise(model, cellsPerSlot / speedUp / channels), settings(speedUp, packetBytes, creditBytes),
                options.stardust.isBringUp() ? List.of(bringUp(fabric, slotNs * channels)) : List.of());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--fabric", "stardust", e.getMessage(),
                "change --nodes, --ports, --cell-bytes, --credit-bytes or --hosts");
        }
    }

    /** The rate of a port, if all elements are there, no tier is over-subscribed and hosts have no control. */
    private Guarantee promise(final HostModel model, final double ofLink) {
        final boolean whole = options.stardust.topElements == null
            && (clos.tiers() == 1 || 2 * clos.upLinks() >= clos.radix());
        return whole && model == HostModel.IDEAL ? new Guarantee("1/speed-up", ofLink * clos.faLinks() / ports)
            : Guarantee.NONE;
    }

    private static String bringUp(final Stardust fabric, final double wholeSlotNs) {
        final int slots = EngineChoice.reachability(wholeSlotNs).bringUpSlots(fabric.clos(), fabric.linkSlots());
        return String.format(Locale.ROOT, "devices know nobody at slot 0; by Appendix E of the paper all know all by "
            + "slot %d, %.1f us", slots, slots * wholeSlotNs / 1e3);
    }

    /** A link's own delay, and the slot in which it sends a cell. */
    private int linkSlots(final double slotNs, final int channels) {
        final int slots = FabricChoice.propagationSlots(options, slotNs, channels, PROPAGATION_NS,
            Stardust.MAX_LINK_SLOTS - 1);
        final int ofDevice = options.stardustLinks.deviceSlots(slotNs * channels);
        final int all = (options.propagationSlots == null ? slots + 1 : inRange("--propagation-slots", slots, 1,
            Stardust.MAX_LINK_SLOTS)) + ofDevice;
        Choices.refuseIf(all > Stardust.MAX_LINK_SLOTS, "--device-ns", options.stardustLinks.deviceNs,
            "a link and the device behind it take " + Stardust.MAX_LINK_SLOTS + " slots at most", "give less");
        return all;
    }

    private CellFormat format() {
        final int headerBytes = options.headerBytes == null ? HEADER_BYTES : options.headerBytes;
        final int payloadBytes = options.cellBytes == null ? CELL_BYTES : options.cellBytes;
        inRange("--header-bytes", headerBytes, HEADER_BYTES, CELL_BYTES);
        inRange("--cell-bytes", payloadBytes, LEAST_PACKET, 2 * CELL_BYTES);
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
        settings.put("packing", options.stardust.packing().name().toLowerCase(Locale.ROOT));
        options.stardust.describe(settings);
        options.stardustEnds.describe(settings);
        options.stardustLinks.describe(settings);
        if (!weights.isEmpty()) {
            settings.put("weights", options.weights);
        }
        return settings;
    }
}
