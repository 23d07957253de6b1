package dev.skerry.tools.run;

import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.PoissonArrivals;
import dev.skerry.tools.traffic.Workload;

import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The synthetic workload as it was typed; null is what was not.
 *
 * @param name          of the workload.
 * @param load          that arrivals offer.
 * @param incastSenders of an incast.
 * @param flowBytes     of a flow.
 */
public record WorkloadChoice(String name, Double load, Integer incastSenders, Long flowBytes) {
    /** The workload without a name. */
    public static final String USUAL = "short";

    /**
     * Makes sense of the options.
     *
     * @param usualLoad load of arrivals if none was typed.
     * @param channels  of a node.
     * @throws InputException if one of them is wrong, alone or with another.
     */
    public Workload workload(final double usualLoad, final int channels) {
        final Workload workload = Workload.named(name == null ? USUAL : name, load == null ? usualLoad : load, channels,
            incastSenders == null ? OptionalInt.empty() : OptionalInt.of(incastSenders),
            flowBytes == null ? OptionalLong.empty() : OptionalLong.of(flowBytes));
        Choices.refuseIf(load != null && !(workload instanceof PoissonArrivals), "--load", load, "the workload '" + name
            + "' starts all its flows at once", "leave it out or add --workload short, heavy or web");
        return workload;
    }

    /** Refuses a workload beside a trace. */
    public void refuseBeside(final Path trace) {
        Choices.refuseIf(name != null || load != null || incastSenders != null || flowBytes != null, "--flows", trace,
            "a trace says all about its flows", "leave out --workload, --load, --incast-senders and --flow-bytes");
    }
}
