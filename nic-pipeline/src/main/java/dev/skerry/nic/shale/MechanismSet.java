package dev.skerry.nic.shale;

/**
 * The mechanisms of Shale §3.3 that a fabric runs with (docs/spec/shale.md §7).
 *
 * @param label    their name on the command line.
 * @param control  makes the congestion control of each bank.
 * @param spraying how a spraying hop chooses its link.
 */
public record MechanismSet(String label, ControlFactory control, SprayRule spraying) {
    @Override
    public String toString() {
        return label;
    }
}
