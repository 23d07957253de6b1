package dev.skerry.tools.run;

import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a run that only Shoal has; {@link ShoalChoice} makes sense of them. */
public final class ShoalOptions {
    @Option(names = "--shoal-rule", paramLabel = "NAME",
        description = "Shoal: when a cell may be released to a relay: exact; paper-literal, Eq. 2 as printed; "
            + "paper-one-report and exact-one-report, the same with each queue told of once; basic, without ready "
            + "queues (the paper's section 3.3.2); or authors-simulator (default: exact).")
    String rule;

    @Option(names = "--shoal-schedule", paramLabel = "NAME",
        description = "Shoal: order of the round robin: plain, or delay to hide a propagation delay (default: plain).")
    public String schedule;

    @Option(names = "--shoal-age-rule", paramLabel = "on|off",
        description = "Shoal: whether young flows wait for short queues, which keeps short flows fast "
            + "(default: on; off with the rules authors-simulator and basic).")
    String ageRule;

    @Option(names = "--flow-order", paramLabel = "NAME",
        description = "Shoal: which flow between two nodes sends the next cell: round-robin, or shortest, the one of "
            + "fewest cells (default: round-robin).")
    String flowOrder;

    @Option(names = "--clos-spines", paramLabel = "NAME",
        description = "Shoal, mode threads or with --faults: how cells take the spines of the Clos: balanced; or "
            + "reciprocal, both directions of a pair over one spine, which halves what a failed spine costs (default: "
            + "balanced).")
    String closSpines;

    @Mixin
    ShoalTimeOptions times = new ShoalTimeOptions();

    /** Which flow between two nodes sends the next cell. */
    FlowOrder order() {
        for (final FlowOrder order : FlowOrder.values()) {
            if (flowOrder == null || order.label().equals(flowOrder)) {
                return order;
            }
        }
        throw new InputException("--flow-order", flowOrder, "there is no such order",
            "use round-robin or shortest");
    }
}
