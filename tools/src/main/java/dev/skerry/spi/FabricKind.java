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
 * A fabric as one row of a table: the tools find it by {@link ServiceLoader} and know it by its name. It brings its own
 * options, makes a {@link FabricChoice} of them, and no class outside its package names it. Immutable; any thread.
 */
@SuppressWarnings("exports")
public interface FabricKind {
    /** As {@code --fabric} takes it, in lower case. */
    String name();

    /** As the papers write it. */
    default String title() {
        return name().substring(0, 1).toUpperCase(Locale.ROOT) + name().substring(1);
    }

    /** New objects for its own options. */
    List<OptionGroup> options();

    /** Those of {@link RunOptions#SHARED} that it has. */
    Set<String> shared();

    /** Names of its own options and of the shared ones that it has. */
    default Set<String> optionNames() {
        return Stream.concat(shared().stream(), options().stream().flatMap(group ->
            CommandSpec.forAnnotatedObjectLenient(group.options()).options().stream()).map(OptionSpec::longestName))
            .collect(Collectors.toSet());
    }

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, alone or with another.
     */
    FabricChoice choose(RunOptions options);

    /**
     * Sets the defaults for packets from outside: the number of nodes where it is 0, and options that are null.
     *
     * @param onThreads whether NICs and switches run on threads, which may run ahead of each other by the delay.
     */
    void setForPackets(RunOptions options, boolean onThreads);

    /** What engines need of a fabric of circuits; null if it is not of this kind. */
    default FabricParts parts(final CircuitFabric fabric) {
        return null;
    }

    /**
     * A device that somebody else designed.
     *
     * @param fabric that it is a node of.
     * @param names  what its cell words say.
     * @param node   its id.
     * @param rules  what it may do that the laws do not grant.
     * @param guards whether it guards against failures.
     */
    record Device(CircuitFabric fabric, CellNames names, int node, FollowRules rules, boolean guards) {
    }

    /**
     * Follows a device; null if its fabric is not of this kind.
     *
     * @param log gets the findings.
     * @throws IllegalArgumentException if such a device cannot be followed; the message says why.
     */
    default Follower follower(final Device device, final FindingLog log) {
        return null;
    }

    /**
     * Follows a device.
     *
     * @throws IllegalArgumentException if it cannot be followed; the message says why.
     */
    static Follower followerOf(final Device device, final FindingLog log) {
        return all().stream().map(kind -> kind.follower(device, log)).filter(Objects::nonNull).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("nodes of this fabric cannot be followed: fabric="
                + device.fabric()));
    }

    /**
     * Options under one heading.
     *
     * @param heading   in help.
     * @param options   object that picocli fills; kinds with the same options have objects of the same class.
     * @param ofPackets whether they apply where packets from outside cross the fabric.
     */
    record OptionGroup(String heading, Object options, boolean ofPackets) {
    }

    /**
     * Equal terms on which fabrics are compared.
     *
     * @param nodes         end nodes.
     * @param cellBytes     of a whole cell.
     * @param cellNs        of a cell at the rate of a node.
     * @param circuitNs     of a cell and the guard band after it.
     * @param propagationNs of the fibres from a node to another.
     */
    record Terms(int nodes, int cellBytes, double cellNs, double circuitNs, double propagationNs) {
    }

    /**
     * Adds to a run on equal terms what the kind needs beyond them, where the user did not say it.
     *
     * @param options nodes, cell, slot of a circuit and delay are set already, options of the kind as typed.
     * @return warnings for the user, a line each.
     */
    default List<String> setForComparison(final RunOptions options, final Terms terms) {
        return List.of();
    }

    /** Notes below a comparison that a reader needs to judge its numbers. */
    default List<String> comparisonRemarks() {
        return List.of();
    }

    /** Whether an option was typed that only threads have. */
    default boolean needsThreads(final KindOptions options) {
        return false;
    }

    /** All kinds that are there. */
    static List<FabricKind> all() {
        return Loaded.KINDS;
    }

    /**
     * The kind of a name.
     *
     * @param option that names it, for errors.
     * @throws InputException if there is none.
     */
    static FabricKind named(final String option, final String name) {
        return all().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow(() ->
            new InputException(option, name, "there is no such fabric", "use one of "
                + all().stream().map(FabricKind::name).collect(Collectors.joining(", "))));
    }

    /**
     * The kind of a name.
     *
     * @throws InputException if there is none.
     */
    static FabricKind named(final String name) {
        return named("--fabric", name);
    }

    /**
     * What engines and models need of a fabric of circuits.
     *
     * @throws IllegalArgumentException if it is of no kind that is there.
     */
    static FabricParts partsOf(final CircuitFabric fabric) {
        return all().stream().map(kind -> kind.parts(fabric)).filter(Objects::nonNull).findFirst().orElseThrow(() ->
            new IllegalArgumentException("the tools do not know this fabric: fabric=" + fabric));
    }

    /** Found once, when they are first asked for: jars of parts have joined the class path by then. */
    final class Loaded {
        private static final List<FabricKind> KINDS = ServiceLoader.load(FabricKind.class).stream()
            .map(ServiceLoader.Provider::get).toList();

        private Loaded() {
        }
    }

    /** The names of all kinds, for completion. */
    final class Names implements Iterable<String> {
        /** For picocli. */
        public Names() {
        }

        @Override
        public Iterator<String> iterator() {
            return all().stream().map(FabricKind::name).iterator();
        }
    }
}
