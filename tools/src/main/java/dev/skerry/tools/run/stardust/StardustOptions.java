package dev.skerry.tools.run.stardust;

import static dev.skerry.tools.input.Choices.inRange;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The options of Stardust that say the same wherever a fabric is chosen: ports and packing, how queues ask for credits
 * and what they hold, which elements there are, and the largest folded Clos of some devices. {@link StardustChoice}
 * makes sense of them.
 */
public final class StardustOptions {
    /** The topology that takes them. */
    static final String CLOS = "clos";
    private static final int RADIX = 8;
    private static final int ADAPTER_LINKS = 4;
    private static final int TIERS = 2;
    private static final int MOST_TIERS = 8;
    private static final int LONGEST_PACKET = 9216;
    private static final double MOST_GIVE_UP_MS = 3.6e6;
    private static final double NS_PER_MS = 1e6;

    /** What a request says. */
    private enum Asking {
        /** That there is something: each credit is worth the same (docs/spec/stardust.md §3.2). */
        STATE,
        /** How much there is: a credit is worth no more. */
        BACKLOG,
        /** The same as {@link #STATE}, ahead of time: queues keep credits in hand. */
        AHEAD,
        /** The same as {@link #STATE}, at a slow rate where a queue needs little. */
        SLOW
    }

    /** What devices know at slot 0. */
    private enum Knowledge {
        /** Whom their links lead to. */
        KNOWN,
        /** Nobody. */
        LEARNT
    }

    @Option(names = "--topology", paramLabel = "NAME",
        description = "Stardust: scaled, the paper's network of Figure 9 with --nodes adapters; single, --nodes "
            + "adapters of 4 links in one tier; clos, the largest network of --radix, --adapter-links, "
            + "--tiers and --up-links; or n62, n432, n612, the networks of its figures 9, 10 and section 6.1.2 "
            + "(default: scaled; in live single).")
    String topology;

    @Option(names = "--ports", paramLabel = "D",
        description = "Stardust: hosts of an adapter, each an end node of its own: node i is port i mod D of adapter "
            + "i / D (default: 1; 6 for n432, 40 for n612).")
    Integer ports;

    @Option(names = "--credit-bytes", paramLabel = "C",
        description = "Stardust: bytes that a credit lets go (default: 4096).")
    Integer creditBytes;

    @Option(names = "--packing", paramLabel = "NAME", completionCandidates = Choices.Packings.class,
        description = "Stardust: how the packets of a credit share cells: ${COMPLETION-CANDIDATES}; that is freely, "
            + "two in a cell at most, or not at all (default: continuous).")
    String packing;

    @Option(names = "--requests", paramLabel = "NAME",
        description = "Stardust: what queues ask for. state: credits of one size while they hold anything; backlog: "
            + "credits for all that they hold; ahead: credits in hand before anything comes; slow: as state, at 3 to "
            + "96 %% of the pace of the port where they need little (default: state).")
    String requests;

    @Option(names = "--low-latency", paramLabel = "SHARE",
        description = "Stardust: the highest traffic class is sent at once, without request and credit, up to this "
            + "share of an adapter's links; what is beyond is dropped where it came in, and counted (default: it waits "
            + "for credits).")
    Double lowLatency;

    @Option(names = "--voq-bytes", paramLabel = "B",
        description = "Stardust: bytes that a queue of an adapter holds; a packet that finds no room is dropped and "
            + "counted (default: any number).")
    Long voqBytes;

    @Option(names = "--adapter-bytes", paramLabel = "B",
        description = "Stardust: bytes that all queues of an adapter hold together (default: any number).")
    Long adapterBytes;

    @Option(names = "--give-up-ms", paramLabel = "X",
        description = "Stardust: what a queue holds is given up and counted when it got no credit for so long, 500 in "
            + "chips of this kind; not with --hosts tcp (default: it waits).")
    Double giveUpMs;

    @Option(names = "--top-elements", paramLabel = "K",
        description = "Stardust: elements of the top tier that are there, the first ones; a fabric can do with any "
            + "number of them (default: all).")
    Integer topElements;

    @Option(names = "--reachability", paramLabel = "NAME",
        description = "Stardust: what devices know at slot 0. known: whom each of their links leads to; learnt: "
            + "nobody, until reachability messages tell them (default: known).")
    String reachability;

    @Option(names = "--radix", paramLabel = "K",
        description = "Stardust, topology clos: links of an element (default: " + RADIX + ").")
    Integer radix;

    @Option(names = "--adapter-links", paramLabel = "T",
        description = "Stardust, topology clos: links of an adapter to the fabric; 1 for a NIC that is an adapter "
            + "(default: " + ADAPTER_LINKS + ").")
    Integer adapterLinks;

    @Option(names = "--tiers", paramLabel = "N",
        description = "Stardust, topology clos: tiers of elements (default: " + TIERS + ").")
    Integer tiers;

    @Option(names = "--up-links", paramLabel = "U",
        description = "Stardust, topology clos: links of an element below the top that lead up; fewer than half of its "
            + "links over-subscribe the tiers above (default: half of them).")
    Integer upLinks;

    /** How packets share cells. */
    Packing packing() {
        return Choices.of("--packing", packing, Packing.CONTINUOUS, Packing.values());
    }

    /**
     * The network.
     *
     * @param nodes adapters that were asked for.
     * @param usual adapters if nobody asked.
     * @throws InputException if there is no such network.
     */
    FoldedClosConfig config(final int nodes, final int usual) {
        final int links = inRange("--radix", radix, 2, FoldedClosConfig.MAX_RADIX, RADIX);
        final int levels = inRange("--tiers", tiers, 1, MOST_TIERS, TIERS);
        final FoldedClosConfig config;
        try {
            config = FoldedClosConfig.largest(links, adapterLinks == null ? ADAPTER_LINKS : adapterLinks, levels,
                upLinks == null ? levels == 1 ? 0 : links / 2 : upLinks);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--topology", CLOS, e.getMessage(),
                "change --radix, --adapter-links, --tiers or --up-links");
        }
        Choices.refuseIf(nodes != usual && nodes != config.fas(), "--nodes", nodes, "this network has " + config.fas()
            + " adapters", "leave it out");
        return config;
    }

    /** Refuses the options of that topology for others. */
    void refuseShape() {
        final Map<String, String> shape = new LinkedHashMap<>();
        describeShape(shape);
        shape.forEach((name, value) -> Choices.refuse("--" + name, value, "the topology says it",
            "leave it out or add --topology " + CLOS));
    }

    private void describeShape(final Map<String, String> settings) {
        put(settings, "radix", radix);
        put(settings, "adapter-links", adapterLinks);
        put(settings, "tiers", tiers);
        put(settings, "up-links", upLinks);
    }

    /** Whether devices know nobody at slot 0. */
    boolean isBringUp() {
        return Choices.of("--reachability", reachability, Knowledge.KNOWN, Knowledge.values()) == Knowledge.LEARNT;
    }

    /**
     * Credits as they were asked for.
     *
     * @param usual       credits of the paper.
     * @param classes     traffic classes.
     * @param portBytes   that a port sends in a slot.
     * @param fabricSlots from one adapter to another, without queues.
     * @param slotNs      length of a slot.
     * @throws InputException if they were asked for wrongly.
     */
    Credits credits(final Credits usual, final int classes, final double portBytes,
        final int fabricSlots, final double slotNs) {
        Credits credits = asking(usual, portBytes, fabricSlots);
        if (voqBytes != null || adapterBytes != null) {
            final long queue = voqBytes == null ? adapterBytes : voqBytes;
            final long adapter = adapterBytes == null ? Long.MAX_VALUE : adapterBytes;
            atLeast("--voq-bytes", voqBytes, LONGEST_PACKET, "a queue holds a packet");
            atLeast("--adapter-bytes", adapterBytes, queue, "an adapter holds a queue");
            atLeast("--adapter-bytes", adapterBytes, LONGEST_PACKET, "an adapter holds a packet");
            credits = credits.with(credits.voqs().capped(queue, adapter));
        }
        if (giveUpMs != null) {
            Choices.refuseIf(!(giveUpMs > 0 && giveUpMs <= MOST_GIVE_UP_MS), "--give-up-ms", giveUpMs,
                "a queue waits for some time, no longer than an hour", "give more than 0 and up to "
                + (long) MOST_GIVE_UP_MS + ", for example 500");
            credits = credits.with(credits.voqs().givenUpAfter((long) Math.ceil(giveUpMs * NS_PER_MS / slotNs)));
        }
        if (lowLatency != null) {
            Choices.refuseIf(!(lowLatency > 0 && lowLatency <= 1), "--low-latency", lowLatency,
                "it is a share of an adapter's links", "give more than 0 and up to 1, for example 0.05");
            Choices.refuseIf(classes < 2 || !credits.classes().weights().isEmpty()
                && credits.classes().weights().getFirst() != 0, "--low-latency", lowLatency,
                "it is for the highest of several traffic classes, which needs no weight",
                "add --class-bytes (in live --class-of), or --weights that begin with 0");
            credits = credits.with(credits.classes().withLowLatency(lowLatency));
        }
        return credits;
    }

    private Credits asking(final Credits usual, final double portBytes, final int fabricSlots) {
        return switch (Choices.of("--requests", requests, Asking.STATE, Asking.values())) {
            case STATE -> usual;
            case BACKLOG -> usual.with(usual.voqs().sizedByBacklog());
            case AHEAD -> {
                final int inHand = VoqRules.inHand(portBytes, fabricSlots, usual.bytes());
                yield usual.keeping(usual.bytes() * (3 * inHand - 1)).with(VoqRules.ahead(usual.bytes(), inHand));
            }
            case SLOW -> usual.with(usual.voqs().slowUpTo(2 * usual.bytes()
                * (1 + VoqRules.inHand(portBytes, fabricSlots, usual.bytes()))));
        };
    }

    private static void atLeast(final String option, final Long bytes, final long least, final String why) {
        Choices.refuseIf(bytes != null && bytes < least, option, bytes, why, "give at least " + least);
    }

    /**
     * The devices that are there.
     *
     * @throws InputException if there are fewer.
     */
    Deployment deployment(final FoldedClos clos) {
        Deployment deployment = Deployment.full(clos);
        if (topElements != null) {
            final int first = clos.tierStart(clos.tiers());
            final int end = clos.devices();
            for (int element = first + inRange("--top-elements", topElements, 1, end - first); element < end;
                element++) {
                deployment = deployment.without(element);
            }
        }
        return deployment;
    }

    /** What was chosen, as it would be typed. */
    void describe(final Map<String, String> settings) {
        describeShape(settings);
        put(settings, "requests", requests == null ? null : requests.toLowerCase(Locale.ROOT));
        put(settings, "low-latency", lowLatency);
        put(settings, "voq-bytes", voqBytes);
        put(settings, "adapter-bytes", adapterBytes);
        put(settings, "give-up-ms", giveUpMs);
        put(settings, "top-elements", topElements);
        put(settings, "reachability", isBringUp() ? Knowledge.LEARNT.name().toLowerCase(Locale.ROOT) : null);
    }
}
