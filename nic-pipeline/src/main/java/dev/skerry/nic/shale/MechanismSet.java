package dev.skerry.nic.shale;

import dev.skerry.nic.shale.CongestionControl.ControlFactory;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;

/**
 * The mechanisms of Shale §3.3 that a fabric uses (docs/spec/shale.md §7).
 *
 * @param label    their name on the command line.
 * @param control  creates the congestion control of each bank.
 * @param spraying how a spraying hop chooses its link.
 * @param order    order in which the cells of a queue leave.
 * @param endToEnd creates the end-to-end congestion control of each bank; null if there is none.
 * @param ties     choice among equally good links of a spraying hop; without effect if any link is acceptable.
 * @param locals   order in which a node serves its local flows.
 */
public record MechanismSet(String label, ControlFactory control, SprayRule spraying, QueueOrder order,
    EndToEndFactory endToEnd, TieRule ties, LocalRule locals) {
    /** Mechanisms that serve the cells of a queue in order of arrival, without end-to-end congestion control. */
    public MechanismSet(final String label, final ControlFactory control, final SprayRule spraying) {
        this(label, control, spraying, QueueOrder.ARRIVAL, null, TieRule.DRAWN, LocalRule.LINK);
    }

    /** The same mechanisms with the cells of a queue in another order. */
    public MechanismSet with(final QueueOrder other) {
        return new MechanismSet(label, control, spraying, other, endToEnd, ties, locals);
    }

    /** The same mechanisms with another congestion control of links. */
    public MechanismSet with(final ControlFactory other) {
        return new MechanismSet(label, other, spraying, order, endToEnd, ties, locals);
    }

    /** The same mechanisms with other end-to-end congestion control. */
    public MechanismSet with(final EndToEndFactory other) {
        return new MechanismSet(label, control, spraying, order, other, ties, locals);
    }

    /** The same mechanisms with another choice among equally good links. */
    public MechanismSet with(final TieRule other) {
        return new MechanismSet(label, control, spraying, order, endToEnd, other, locals);
    }

    /** The same mechanisms with another choice among local flows. */
    public MechanismSet serving(final LocalRule other) {
        return new MechanismSet(label, control, spraying, order, endToEnd, ties, other);
    }

    @Override
    public String toString() {
        return label;
    }
}
