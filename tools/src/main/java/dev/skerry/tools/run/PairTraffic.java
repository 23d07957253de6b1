package dev.skerry.tools.run;

import dev.skerry.nic.fabric.CircuitFabric;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.Workload;

/** Traffic from each endpoint to each, from the options of a run. */
final class PairTraffic {
    static final String NAME = "each-to-each";
    private static final String RATE = "--pair-gbps";
    private static final double MOST_GBPS = 1e4;

    private PairTraffic() {
    }

    /** Refuses a rate without this workload. */
    static void refuseElsewhere(final RunOptions options) {
        if (options.flows != null || !NAME.equals(options.workload)) {
            Choices.refuse(RATE, options.pairGbps, "only the workload " + NAME + " has a rate of pairs",
                "leave it out or add --workload " + NAME);
        }
    }

    /**
     * The workload.
     *
     * @throws InputException if an option is wrong, alone or with it.
     */
    static Workload of(final RunOptions options, final FabricChoice choice) {
        final String why = "the workload is '" + NAME + "', of cells at a rate";
        Choices.refuse("--load", options.load, why, "leave it out or give " + RATE);
        Choices.refuse("--incast-senders", options.incastSenders, why, "leave it out");
        Choices.refuse("--flow-bytes", options.flowBytes, why, "leave it out");
        if (!(choice.fabric() instanceof CircuitFabric)) {
            throw new InputException("--workload", NAME, "it makes cells, and hosts of Stardust send packets",
                "use all-to-all");
        }
        final double gbps = options.pairGbps == null ? 1 : options.pairGbps;
        if (!(gbps > 0 && gbps <= MOST_GBPS)) {
            throw new InputException(RATE, Double.toString(gbps), "a rate is above 0 and up to " + (int) MOST_GBPS,
                "give Gb/s, for example 1");
        }
        return new Workload.EachToEach(choice.format().cellBytes() * Byte.SIZE / gbps / choice.wholeSlotNs());
    }
}
