package dev.skerry.tools.traffic;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A synthetic workload: a pure function of its parameters, the size of the fabric and a seed. Immutable; any thread may
 * call.
 */
public sealed interface Workload permits Permutation, PoissonArrivals, Incast, AllToAll, EachToEach {
    /** The workloads by the names {@link #named} knows. */
    List<String> NAMES = List.of("permutation", "short", "heavy", "web", "incast", "all-to-all");

    /** Before the path of a file of flow sizes, in place of a name. */
    String FILE = "file:";

    /** Most flows of a workload, some 5 GB of them. */
    int MAX_FLOWS = 1 << 27;

    /**
     * Makes the flows: ids from 0 in order of start.
     *
     * @param endpoints    nodes that may send and receive, at least 2.
     * @param payloadBytes payload bytes of a cell, at least 1.
     * @param untilSlot    flows start before this slot; only arrival processes look at it.
     * @param seed         decides everything random.
     * @return the flows.
     * @throws InputException if the parameters do not fit the fabric, or make more than {@link #MAX_FLOWS} flows.
     */
    FlowSet generate(int endpoints, int payloadBytes, long untilSlot, long seed);

    /**
     * The workload that the command line names.
     *
     * @param name      one of {@link #NAMES}, or {@link #FILE} and the path of a {@link SizeFile}.
     * @param load      cells that an endpoint offers per slot and channel on average, over 0 up to 1; {@code short},
     *                  {@code heavy}, {@code web} and sizes from a file only.
     * @param channels  of an endpoint.
     * @param senders   senders of an incast; {@link Incast#DEFAULT_SENDERS} or all there are if not given.
     * @param flowBytes bytes of a flow; if not given, a permutation's flows never end, an incast's have
     *                  {@link Incast#DEFAULT_FLOW_BYTES} and an all-to-all's {@link AllToAll#DEFAULT_FLOW_BYTES}.
     * @return the workload.
     * @throws InputException for an unknown name, a value out of range, or an option the workload has no use for.
     */
    static Workload named(final String name, final double load, final int channels, final OptionalInt senders,
        final OptionalLong flowBytes) {
        if (senders.isPresent() && !"incast".equals(name)) {
            throw new InputException("--incast-senders", Integer.toString(senders.getAsInt()),
                "the workload is '" + name + "'", "leave it out or add --workload incast");
        }
        if (name.startsWith(FILE)) {
            return arrivals(name, SizeFile.read(Path.of(name.substring(FILE.length()))), load, channels, flowBytes);
        }
        return switch (name) {
            case "permutation" -> new Permutation(flowBytes.orElse(Permutation.ENDLESS_BYTES));
            case "short" -> arrivals(name, SizeDistribution.SHORT, load, channels, flowBytes);
            case "heavy" -> arrivals(name, SizeDistribution.HEAVY, load, channels, flowBytes);
            case "web" -> arrivals(name, SizeDistribution.WEB, load, channels, flowBytes);
            case "incast" -> new Incast(senders, flowBytes.orElse(Incast.DEFAULT_FLOW_BYTES));
            case "all-to-all" -> new AllToAll(flowBytes.orElse(AllToAll.DEFAULT_FLOW_BYTES));
            default -> throw new InputException("--workload", name, "there is no such workload",
                "use one of " + String.join(", ", NAMES) + ", each-to-each or file:PATH" + (name.startsWith("web")
                ? "; did you mean web?" : Choices.nearest(name, NAMES)));
        };
    }

    private static Workload arrivals(final String name, final FlowSizes sizes, final double load,
        final int channels, final OptionalLong flowBytes) {
        if (flowBytes.isPresent()) {
            throw new InputException("--flow-bytes", Long.toString(flowBytes.getAsLong()),
                "the workload '" + name + "' draws its sizes from a table",
                "leave it out or add --workload permutation, incast or all-to-all");
        }
        return new PoissonArrivals(sizes, load, channels);
    }
}
