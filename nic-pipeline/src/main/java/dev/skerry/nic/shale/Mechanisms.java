package dev.skerry.nic.shale;

import java.util.ArrayList;
import java.util.Arrays;
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
    /** Hop-by-hop tokens and spraying by the least bucket. */
    public static final Mechanisms HBH_SPRAY_BUCKET =
        new Mechanisms("hbh+spray-bucket", HopByHop.FACTORY, SprayRule.LEAST_BUCKET);
    /** One of each kind. */
    public static final List<Mechanisms> ALL = List.of(NONE, HBH, SPRAY_SHORT, HBH_SPRAY, HBH_SPRAY_BUCKET);

    /**
     * The mechanisms with a label: {@code none}, or parts joined with {@code +} in any order, {@code spray-short} and
     * {@code spray-bucket} not both; {@code hbh+spray} is {@code hbh+spray-short}.
     *
     * @throws IllegalArgumentException if there are none.
     */
    public static Mechanisms of(final String label) {
        if (label.equals(NONE.label)) {
            return NONE;
        }
        if (label.equals(HBH_SPRAY.label)) {
            return HBH_SPRAY;
        }
        final List<String> parts = new ArrayList<>(Arrays.asList(label.split("\\+", -1)));
        final ControlFactory control = parts.remove("hbh") ? HopByHop.FACTORY : Unlimited.FACTORY;
        final SprayRule spraying = parts.remove("spray-short") ? SprayRule.SHORTEST_QUEUE
            : parts.remove("spray-bucket") ? SprayRule.LEAST_BUCKET : SprayRule.RANDOM;
        if (!parts.isEmpty()) {
            throw new IllegalArgumentException("no such mechanisms: label=" + label);
        }
        return new Mechanisms(label, control, spraying);
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
