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

/** The mechanisms that there are, by their names on the command line (docs/spec/shale.md §7). */
public final class Mechanisms {
    /** Random spraying, first come first served, no limit. */
    public static final MechanismSet NONE = new MechanismSet("none", Unlimited.FACTORY, SprayRule.RANDOM);
    /** Hop-by-hop tokens, random spraying. */
    public static final MechanismSet HBH = new MechanismSet("hbh", HopByHop.FACTORY, SprayRule.RANDOM);
    /** Hop-by-hop tokens and spraying by the shortest queue: Shale as its authors propose it. */
    public static final MechanismSet HBH_SPRAY =
        new MechanismSet("hbh+spray", HopByHop.FACTORY, SprayRule.SHORTEST_QUEUE);

    /**
     * The mechanisms with a label: {@code none}, or parts joined with {@code +} in any order, {@code spray-short} and
     * {@code spray-bucket} not both, nor {@code rd} and {@code ndp}; {@code spray} is {@code spray-short}. In place of
     * {@code hbh} stands the name of a {@link ControlFactory} that is a service.
     *
     * @throws IllegalArgumentException if there are none.
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

    /** The control that a service brings, whose name is taken from the parts; none if there is no such service. */
    private static ControlFactory service(final List<String> parts) {
        return ServiceLoader.load(ControlFactory.class).stream().map(ServiceLoader.Provider::get)
            .filter(control -> !control.name().isEmpty() && parts.remove(control.name())).findFirst()
            .orElse(Unlimited.FACTORY);
    }

    private Mechanisms() {
    }
}
