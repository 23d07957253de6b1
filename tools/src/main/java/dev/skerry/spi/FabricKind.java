package dev.skerry.spi;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.Follower;
import dev.skerry.spi.RunOptions.KindOptions;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A kind of fabric, provided as a service: the tools find it by {@link ServiceLoader} and select it by name. It
 * declares options and creates a {@link FabricChoice} from them; no class outside its package refers to it. Immutable
 * and thread-safe.
 */
@SuppressWarnings("exports")
public interface FabricKind {
    /** Returns the name for {@code --fabric}, in lower case. */
    String name();

    /** Returns the name as the papers write it. */
    default String title() {
        return name().substring(0, 1).toUpperCase(Locale.ROOT) + name().substring(1);
    }

    /** Returns new objects for the options that only this kind declares. */
    List<OptionGroup> options();

    /** Returns the options of {@link RunOptions#SHARED} that this kind supports. */
    Set<String> shared();

    /** Returns the names of all options that this kind supports: its own and the shared ones. */
    default Set<String> optionNames() {
        return Stream.concat(shared().stream(), options().stream().flatMap(group ->
            CommandSpec.forAnnotatedObjectLenient(group.options()).options().stream()).map(OptionSpec::longestName))
            .collect(Collectors.toSet());
    }

    /**
     * Creates the choice from the options.
     *
     * @throws InputException if an option is invalid or contradicts another one.
     */
    FabricChoice choose(RunOptions options);

    /**
     * Sets the defaults for packets from outside: the number of nodes if it is 0, and options that are null.
     *
     * @param onThreads whether NICs and switches run on threads. Their clocks may then differ by up to the propagation
     *     delay.
     */
    void setForPackets(RunOptions options, boolean onThreads);

    /** Returns the parts from which engines build a fabric; null if the fabric is not of this kind. */
    default FabricParts parts(final CircuitFabric fabric) {
        return null;
    }

    /**
     * A device under test.
     *
     * @param fabric fabric in which the device takes the place of a node.
     * @param names  layout of its cell words.
     * @param node   id of the node.
     * @param rules  freedoms of the device beyond the laws of the protocol.
     * @param guards whether the device handles failures.
     */
    record Device(CircuitFabric fabric, CellNames names, int node, FollowRules rules, boolean guards) {
    }

    /**
     * Creates a follower of a device; null if its fabric is not of this kind.
     *
     * @param log log for the findings.
     * @throws IllegalArgumentException if such a device cannot be followed; the message gives the reason.
     */
    default Follower follower(final Device device, final FindingLog log) {
        return null;
    }

    /**
     * Creates a follower of a device of any kind of fabric.
     *
     * @throws IllegalArgumentException if the device cannot be followed; the message gives the reason.
     */
    static Follower followerOf(final Device device, final FindingLog log) {
        return all().stream().map(kind -> kind.follower(device, log)).filter(Objects::nonNull).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("nodes of this fabric cannot be followed: fabric="
                + device.fabric()));
    }

    /**
     * Options under one heading of the help.
     *
     * @param heading   the heading.
     * @param options   object that picocli fills; kinds that share options have objects of the same class.
     * @param ofPackets whether the options also apply when the fabric carries packets from outside.
     */
    record OptionGroup(String heading, Object options, boolean ofPackets) {
    }

    /**
     * Common parameters for a comparison of fabrics.
     *
     * @param nodes         number of end nodes.
     * @param cellBytes     cell size in bytes.
     * @param cellNs        transmission time of a cell at the rate of a node.
     * @param circuitNs     transmission time of a cell plus the guard band.
     * @param propagationNs propagation delay from one node to another.
     */
    record Terms(int nodes, int cellBytes, double cellNs, double circuitNs, double propagationNs) {
    }

    /**
     * Sets the options of this kind for a comparison, unless the user typed them.
     *
     * @param options options in which nodes, cell size, circuit slot and delay are already set.
     * @param terms   parameters that all compared fabrics share.
     * @return warnings for the user, one line each.
     */
    default List<String> setForComparison(final RunOptions options, final Terms terms) {
        return List.of();
    }

    /** Returns notes on this kind that a reader needs to interpret a comparison. */
    default List<String> comparisonRemarks() {
        return List.of();
    }

    /** Tells whether an option was typed that exists only in mode threads. */
    default boolean needsThreads(final KindOptions options) {
        return false;
    }

    /** Returns all kinds. */
    static List<FabricKind> all() {
        return Loaded.KINDS;
    }

    /**
     * Returns the kind with a name.
     *
     * @param option option that contains the name, for errors.
     * @throws InputException if there is no such kind.
     */
    static FabricKind named(final String option, final String name) {
        return all().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow(() ->
            new InputException(option, name, "there is no such fabric", "use one of "
                + all().stream().map(FabricKind::name).collect(Collectors.joining(", "))));
    }

    /**
     * Returns the kind with the name given to {@code --fabric}.
     *
     * @throws InputException if there is no such kind.
     */
    static FabricKind named(final String name) {
        return named("--fabric", name);
    }

    /**
     * Returns the parts from which engines and models build a fabric.
     *
     * @throws IllegalArgumentException if no kind recognises the fabric.
     */
    static FabricParts partsOf(final CircuitFabric fabric) {
        return all().stream().map(kind -> kind.parts(fabric)).filter(Objects::nonNull).findFirst().orElseThrow(() ->
            new IllegalArgumentException("the tools do not know this fabric: fabric=" + fabric));
    }

    /**
     * Holds the kinds. They are loaded at first use, because jars of optional parts join the class path at start-up.
     */
    final class Loaded {
        private static final List<FabricKind> KINDS = ServiceLoader.load(FabricKind.class).stream()
            .map(ServiceLoader.Provider::get).toList();

        private Loaded() {
        }
    }

    /** The names of all kinds, for completion. */
    final class Names implements Iterable<String> {
        /** Created by picocli. */
        public Names() {
        }

        @Override
        public Iterator<String> iterator() {
            return all().stream().map(FabricKind::name).iterator();
        }
    }
}
