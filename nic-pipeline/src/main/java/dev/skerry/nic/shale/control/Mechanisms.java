package dev.skerry.nic.shale.control;

import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.schedule.check.Bounds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;

/** The sets of mechanisms by their labels on the command line (docs/spec/shale.md §7). */
public final class Mechanisms {
    /** Random spraying, first come first served, no congestion control. */
    public static final MechanismSet NONE = new MechanismSet("none", Unlimited.FACTORY, SprayRule.RANDOM);
    /** Hop-by-hop tokens with random spraying. */
    public static final MechanismSet HBH = new MechanismSet("hbh", HopByHop.FACTORY, SprayRule.RANDOM);
    /** Hop-by-hop tokens with spraying to the shortest queue: Shale as its authors propose it. */
    public static final MechanismSet HBH_SPRAY =
        new MechanismSet("hbh+spray", HopByHop.FACTORY, SprayRule.SHORTEST_QUEUE);

    /**
     * Returns the mechanisms of a label: {@code none}, or parts joined with {@code +} in any order. {@code spray-short}
     * and {@code spray-bucket} exclude each other, as do {@code rd} and {@code ndp}; {@code spray} is
     * {@code spray-short}. The name of a {@link ControlFactory} that is a service may replace {@code hbh}.
     *
     * @throws IllegalArgumentException if the label names no such mechanisms.
     */
    public static MechanismSet of(final String label) {
        if (label.equals(NONE.label())) {
            return NONE;
        }
        if (label.equals(HBH_SPRAY.label())) {
            return HBH_SPRAY;
        }
        final List<String> parts = new ArrayList<>(Arrays.asList(label.split("\\+", -1)));
        final ControlFactory control = parts.remove("hbh") ? HopByHop.FACTORY : service(parts);
        final SprayRule spraying = parts.remove("spray-short") || parts.remove("spray") ? SprayRule.SHORTEST_QUEUE
            : parts.remove("spray-bucket") ? SprayRule.LEAST_BUCKET : SprayRule.RANDOM;
        final QueueOrder order = parts.remove("priority") ? Priority.USUAL : QueueOrder.ARRIVAL;
        final EndToEndFactory byReceivers = parts.remove("rd") ? ReceiverDriven.RD
            : parts.remove("ndp") ? ReceiverDriven.NDP : null;
        final EndToEndFactory endToEnd = !parts.remove("isd") ? byReceivers
            : new SenderDriven(0, byReceivers);
        Bounds.refuseIf(!parts.isEmpty(), "no such mechanisms: label=", label);
        return new MechanismSet(label, control, spraying, order, endToEnd, TieRule.DRAWN, LocalRule.LINK);
    }

    /**
     * Returns the control of a service whose name is among the parts, and removes that name; {@link Unlimited} if there
     * is none.
     */
    private static ControlFactory service(final List<String> parts) {
        return ServiceLoader.load(ControlFactory.class).stream().map(ServiceLoader.Provider::get)
            .filter(control -> !control.name().isEmpty() && parts.remove(control.name())).findFirst()
            .orElse(Unlimited.FACTORY);
    }

    private Mechanisms() {
    }
}
