package dev.skerry.nic.shale;

import java.util.List;

/**
 * The mechanisms of Shale §3.3 that a fabric runs with (docs/spec/shale.md §7).
 *
 * @param label    their name on the command line.
 * @param control  makes the congestion control of each bank.
 * @param spraying how a spraying hop chooses its link.
 */
public record Mechanisms(String label, ControlFactory control, SprayRule spraying) {
    /** Random spraying, first come first served, no limit. */
    public static final Mechanisms NONE = new Mechanisms("none", Unlimited.FACTORY, SprayRule.RANDOM);
    /** Hop-by-hop tokens, random spraying. */
    public static final Mechanisms HBH = new Mechanisms("hbh", HopByHop.FACTORY, SprayRule.RANDOM);
    /** Spraying by the shortest queue, no limit. */
    public static final Mechanisms SPRAY_SHORT =
        new Mechanisms("spray-short", Unlimited.FACTORY, SprayRule.SHORTEST_QUEUE);
    /** Hop-by-hop tokens and spraying by the shortest queue: Shale as its authors propose it. */
    public static final Mechanisms HBH_SPRAY =
        new Mechanisms("hbh+spray", HopByHop.FACTORY, SprayRule.SHORTEST_QUEUE);
    /** What the command line offers. */
    public static final List<Mechanisms> ALL = List.of(NONE, HBH, SPRAY_SHORT, HBH_SPRAY);

    /**
     * The mechanisms with a label.
     *
     * @throws IllegalArgumentException if there are none.
     */
    public static Mechanisms of(final String label) {
        return ALL.stream().filter(mechanisms -> mechanisms.label.equals(label)).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no such mechanisms: label=" + label));
    }

    /** Whether cells need hop-by-hop tokens. */
    public boolean hopByHop() {
        return control == HopByHop.FACTORY;
    }

    @Override
    public String toString() {
        return label;
    }
}
