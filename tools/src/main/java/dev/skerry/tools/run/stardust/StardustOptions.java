package dev.skerry.tools.run.stardust;

import static dev.skerry.tools.input.Choices.inRange;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.host.HostModel;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.VoqRules;
import dev.skerry.nic.stardust.fabric.HostSide.HostSignals;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.HostOptions;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The options of Stardust for all commands that create a fabric: ports and packing, requests for credits and limits of
 * queues, the elements that are present, and the shape of a folded Clos. {@link StardustChoice} evaluates them.
 */
public final class StardustOptions {
    /** The topology to which the options for a shape apply. */
    static final String CLOS = "clos";
    private static final int RADIX = 8;
    private static final int ADAPTER_LINKS = 4;
    private static final int TIERS = 2;
    private static final int MOST_TIERS = 8;
    private static final int LONGEST_PACKET = 9216;
    private static final double MOST_GIVE_UP_MS = 3.6e6;
    private static final double NS_PER_MS = 1e6;

    /** Contents of a request. */
    private enum Asking {
        /** Only the presence of data: every credit is worth the same (docs/spec/stardust.md §3.2). */
        STATE,
        /** The number of bytes: a credit is worth no more than these. */
        BACKLOG,
        /** As {@link #STATE}, but ahead of time: queues keep credits in reserve. */
        AHEAD,
        /** As {@link #STATE}, at a low rate if a queue needs little. */
        SLOW
    }

    /** Knowledge of devices at slot 0. */
    private enum Knowledge {
        /** Devices know the adapters to which their links lead. */
        KNOWN,
        /** Devices know no adapters. */
        LEARNT
    }

    @Option(names = "--topology", paramLabel = "NAME",
        description = "Stardust: topology of the network. NAME is scaled, the paper's network of Figure 9 with "
            + "--nodes adapters; single, --nodes adapters of 4 links in one tier; clos, the largest network of "
            + "--radix, --adapter-links, --tiers and --up-links; or n62, n432, n612, the networks of Figures 9 and 10 "
            + "and of section 6.1.2 (default: scaled; live: single).")
    String topology;

    @Option(names = "--ports", paramLabel = "D",
        description = "Stardust: hosts per adapter, each an end node of its own. Node i is port i mod D of adapter i "
            + "/ D (default: 1; 6 for n432, 40 for n612).")
    Integer ports;

    @Option(names = "--credit-bytes", paramLabel = "C",
        description = "Stardust: bytes that one credit allows a queue to send (default: 4096).")
    Integer creditBytes;

    @Option(names = "--packing", paramLabel = "NAME", completionCandidates = Choices.Packings.class,
        description = "Stardust: packing of packets into cells: ${COMPLETION-CANDIDATES}. continuous: any number of "
            + "packets of a credit can share a cell; simple: two at most; none: no sharing (default: continuous).")
    String packing;

    @Option(names = "--requests", paramLabel = "NAME",
        description = "Stardust: what a queue requests: state, backlog, ahead or slow. state: credits of a fixed size "
            + "while it is not empty; backlog: credits for all bytes that it holds; ahead: credits in advance, before "
            + "packets arrive; slow: as state, but a queue with a small backlog requests only 3 to 96 %% of the rate "
            + "of its port (default: state).")
    String requests;

    @Option(names = "--low-latency", paramLabel = "SHARE",
        description = "Stardust: send the highest traffic class without credits. It may use up to this share of the "
            + "bandwidth of an adapter's links. Packets above the share are dropped at the source adapter and "
            + "counted (default: the class waits for credits).")
    Double lowLatency;

    @Option(names = "--voq-bytes", paramLabel = "B",
        description = "Stardust: capacity of each queue of an adapter, in bytes. A packet that finds no room is "
            + "dropped and counted (default: no limit).")
    Long voqBytes;

    @Option(names = "--adapter-bytes", paramLabel = "B",
        description = "Stardust: capacity of all queues of an adapter together, in bytes (default: no limit).")
    Long adapterBytes;

    @Option(names = "--give-up-ms", paramLabel = "X",
        description = "Stardust: time without credit after which a queue drops its packets. They are counted; "
            + "comparable chips use 500 ms. Not with --hosts tcp (default: never).")
    Double giveUpMs;

    @Option(names = "--top-elements", paramLabel = "K",
        description = "Stardust: number of elements of the top tier that are present. These are the first ones; a "
            + "fabric works with any number of them (default: all).")
    Integer topElements;

    @Option(names = "--reachability", paramLabel = "NAME",
        description = "Stardust: what devices know at slot 0: known or learnt. known: where each of their links "
            + "leads; learnt: nothing, until reachability messages arrive (default: known).")
    String reachability;

    @Option(names = "--radix", paramLabel = "K",
        description = "Stardust, topology clos: links of an element (default: " + RADIX + ").")
    Integer radix;

    @Option(names = "--adapter-links", paramLabel = "T",
        description = "Stardust, topology clos: links of an adapter to the fabric. 1 for a NIC that is an adapter "
            + "(default: " + ADAPTER_LINKS + ").")
    Integer adapterLinks;

    @Option(names = "--tiers", paramLabel = "N",
        description = "Stardust, topology clos: number of tiers of elements (default: " + TIERS + ").")
    Integer tiers;

    @Option(names = "--up-links", paramLabel = "U",
        description = "Stardust, topology clos: uplinks of an element below the top. With fewer than half of its "
            + "links, the tiers above are over-subscribed (default: half of them).")
    Integer upLinks;

    /** Returns how packets share cells. */
    Packing packing() {
        return Choices.of("--packing", packing, Packing.CONTINUOUS, Packing.values());
    }

    /**
     * Returns the network.
     *
     * @param nodes requested number of adapters.
     * @param usual default number of adapters.
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

    /** Refuses the options for a shape if the topology defines it. */
    void refuseShape() {
        final Map<String, String> shape = new LinkedHashMap<>();
        describeShape(shape);
        shape.forEach((name, value) -> Choices.refuse("--" + name, value, "the topology determines it",
            "leave it out or add --topology " + CLOS));
    }

    private void describeShape(final Map<String, String> settings) {
        put(settings, "radix", radix);
        put(settings, "adapter-links", adapterLinks);
        put(settings, "tiers", tiers);
        put(settings, "up-links", upLinks);
    }

    /** Tells whether devices know no adapters at slot 0. */
    boolean isBringUp() {
        return Choices.of("--reachability", reachability, Knowledge.KNOWN, Knowledge.values()) == Knowledge.LEARNT;
    }

    /**
     * Returns the credits that the options define.
     *
     * @param usual       credits of the paper.
     * @param classes     number of traffic classes.
     * @param portBytes   bytes that a port sends in a slot.
     * @param fabricSlots slots from one adapter to another, without queues.
     * @param slotNs      length of a slot.
     * @throws InputException if an option is invalid.
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
                "the time must be above 0 and at most an hour", "give more than 0 and up to "
                + (long) MOST_GIVE_UP_MS + ", for example 500");
            credits = credits.with(credits.voqs().givenUpAfter((long) Math.ceil(giveUpMs * NS_PER_MS / slotNs)));
        }
        if (lowLatency != null) {
            Choices.refuseIf(!(lowLatency > 0 && lowLatency <= 1), "--low-latency", lowLatency,
                "it is a share of an adapter's links", "give more than 0 and up to 1, for example 0.05");
            Choices.refuseIf(classes < 2 || !credits.classes().weights().isEmpty()
                && credits.classes().weights().getFirst() != 0, "--low-latency", lowLatency,
                "it applies to the highest of several traffic classes, which must not have a weight",
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
     * Returns the devices that are present.
     *
     * @throws InputException if there are fewer than requested.
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

    /** Adds the chosen options as they would be typed. */
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

    /** Options of Stardust for adapters and their hosts. */
    public static final class StardustEnds {
        /** Half of the queue of an adapter, because packets to other adapters must fit, too. */
        private static final int PAUSE_PACKETS = 50;

        @Option(names = "--speed-up", paramLabel = "FS",
            description = "Stardust: capacity of the links of an adapter over that of its ports (default: 1.1).")
        Double speedUp;

        @Option(names = "--weights", paramLabel = "W0,W1,...",
            description = "Stardust: weight of each traffic class, 0 to 127. A class of weight 0 has priority over "
                + "all that follow; the others share the remaining credits by weight (default: each class has "
                + "priority over the next).")
        String weights;

        /**
         * Returns the ECN marks and pauses with which adapters signal congestion to hosts.
         *
         * @param packetBytes size of a full packet.
         */
        static HostSignals signals(final HostOptions hosts, final HostModel model, final int packetBytes) {
            final HostSignals marks = HostSignals.marking(hosts.marks(model, packetBytes));
            if (hosts.pauseBytes == null) {
                return HostOptions.rates(model) ? marks.pausing((long) PAUSE_PACKETS * packetBytes) : marks;
            }
            Choices.refuseIf(model == HostModel.IDEAL, "--pause-bytes", hosts.pauseBytes, "hosts that hand over whole "
                + "flows cannot be paused", "add --hosts paced, or leave it out");
            hosts.checkPause(packetBytes, "an adapter holds a packet before it pauses its hosts");
            return marks.pausing(hosts.pauseBytes);
        }
    }

    /** Options of Stardust for the cost of a cell on a link, and for the delay of a device. */
    public static final class StardustLinks {
        private static final int LEAST_BYTES = 80;
        private static final double MOST_DEVICE_NS = 1e6;

        @Option(names = "--link-bytes", paramLabel = "B",
            description = "Stardust: link rate in bytes per slot, at least " + LEAST_BYTES + ". That is a cell of 64 "
                + "bytes with its header. The time that a cell occupies a link is then proportional to its length "
                + "(default: every cell occupies a link for one slot).")
        Integer linkBytes;

        @Option(names = "--device-ns", paramLabel = "X",
            description = "Stardust: processing delay of adapters and elements, in ns. It is added to the delay of "
                + "each link, for control messages too; the paper's hardware takes 500 to 4000 (default: 0).")
        Double deviceNs;

        @Option(names = "--control", paramLabel = "WHERE",
            description = "Stardust: bandwidth of control messages: links or beside. links: requests, credits and "
                + "reachability messages consume link bandwidth, with priority over cells; beside: they consume none "
                + "(default: beside).")
        String control;

        /** The path of control messages. */
        private enum Way {
            /** Outside of the links, without using bandwidth. */
            BESIDE,
            /** Over the links, where they use bandwidth. */
            LINKS
        }

        /**
         * Returns the bytes that a link sends in a slot.
         *
         * @param cell bytes of a full cell with its header.
         */
        int slotBytes(final int cell) {
            return inRange("--link-bytes", linkBytes, LEAST_BYTES, cell, cell);
        }

        /** Returns the rules of links, including the cost of a cell. */
        LinkRules links(final int headerBytes) {
            final LinkRules rules = linkBytes == null ? LinkRules.USUAL
                : LinkRules.USUAL.charging(new LinkCharge(linkBytes, headerBytes, 0));
            final Way way = Choices.of("--control", control, Way.BESIDE, Way.values());
            return way == Way.LINKS ? rules.carryingControl() : rules;
        }

        /** Returns the processing delay of a device in slots, rounded up. */
        int deviceSlots(final double wholeSlotNs) {
            if (deviceNs == null) {
                return 0;
            }
            Choices.refuseIf(!(deviceNs >= 0 && deviceNs <= MOST_DEVICE_NS), "--device-ns", deviceNs,
                "the delay must be at most a millisecond", "give 0 to 1000000, for example 500");
            return (int) Math.ceil(deviceNs / wholeSlotNs);
        }

        /** Adds the chosen options as they would be typed. */
        void describe(final Map<String, String> settings) {
            put(settings, "link-bytes", linkBytes);
            put(settings, "control", control);
        }
    }
}
