package dev.skerry.tools.run;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.Map;

/** Options of Stardust that describe a folded Clos of any size: the largest one of some devices. */
public final class StardustShape {
    /** The topology that takes them. */
    static final String CLOS = "clos";

    private static final int RADIX = 8;
    private static final int ADAPTER_LINKS = 4;
    private static final int TIERS = 2;
    private static final int MOST_TIERS = 8;

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

    /**
     * The network.
     *
     * @param nodes adapters that were asked for.
     * @param usual adapters if nobody asked.
     * @throws InputException if there is no such network.
     */
    FoldedClosConfig config(final int nodes, final int usual) {
        final int links = radix == null ? RADIX : inRange("--radix", radix, 2, FoldedClosConfig.MAX_RADIX);
        final int levels = tiers == null ? TIERS : inRange("--tiers", tiers, 1, MOST_TIERS);
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

    /** Refuses them for other topologies. */
    void refuse() {
        final String why = "the topology says it";
        final String advice = "leave it out or add --topology " + CLOS;
        settings().forEach((name, value) -> Choices.refuse("--" + name, value, why, advice));
    }

    /** What was chosen, as it would be typed. */
    Map<String, String> settings() {
        final Map<String, String> settings = new LinkedHashMap<>();
        put(settings, "radix", radix);
        put(settings, "adapter-links", adapterLinks);
        put(settings, "tiers", tiers);
        put(settings, "up-links", upLinks);
        return settings;
    }

    private static void put(final Map<String, String> settings, final String name, final Integer value) {
        if (value != null) {
            settings.put(name, value.toString());
        }
    }
}
