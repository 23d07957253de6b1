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
 * A kind of fabric as a service: the tools find it by {@link ServiceLoader} and its name. It has its own options and
 * creates a {@link FabricChoice} from them; no class outside its package names it. Immutable; any thread.
 */
@SuppressWarnings("exports")
public interface FabricKind {
    /** Returns the name for {@code --fabric}, in lower case. */
    String name();

    /** Returns the name as the papers write it. */
    default String title() {
        return name().substring(0, 1).toUpperCase(Locale.ROOT) + name().substring(1);
    }

    /** Returns new objects for its own options. */
    List<OptionGroup> options();

    /** Returns those of {@link RunOptions#SHARED} that it has. */
    Set<String> shared();

    /** Returns the names of its own options and of the shared ones that it has. */
    default Set<String> optionNames() {
        return Stream.concat(shared().stream(), options().stream().flatMap(group ->
            CommandSpec.forAnnotatedObjectLenient(group.options()).options().stream()).map(OptionSpec::longestName))
            .collect(Collectors.toSet());
    }

    /**
     * Creates the choice from the options.
     *
     * @throws InputException if an option is wrong, alone or with another.
     */
    FabricChoice choose(RunOptions options);

    /**
     * Sets the defaults for packets from outside: the number of nodes if it is 0, and options that are null.
     *
     * @param onThreads whether NICs and switches run on threads, which may run ahead of each other by the delay.
     */
    void setForPackets(RunOptions options, boolean onThreads);

    /** Returns the parts of a fabric of circuits for engines; null if the fabric is not of this kind. */
    default FabricParts parts(final CircuitFabric fabric) {
        return null;
    }

    /**
     * A device designed by others.
     *
     * @param fabric fabric of which it is a node.
     * @param names  meaning of its cell words.
     * @param node   its id.
     * @param rules  what it may do beyond the laws.
     * @param guards whether it handles failures.
     */
    record Device(CircuitFabric fabric, CellNames names, int node, FollowRules rules, boolean guards) {
    }

    /**
     * Creates a follower of a device; null if its fabric is not of this kind.
     *
     * @param log gets the findings.
     * @throws IllegalArgumentException if such a device cannot be followed; the message gives the reason.
     */
    default Follower follower(final Device device, final FindingLog log) {
        return null;
    }

    /**
     * Creates a follower of a device.
     *
     * @throws IllegalArgumentException if it cannot be followed; the message gives the reason.
     */
    static Follower followerOf(final Device device, final FindingLog log) {
        return all().stream().map(kind -> kind.follower(device, log)).filter(Objects::nonNull).findFirst()
            .orElseThrow(() -> new IllegalArgumentException("nodes of this fabric cannot be followed: fabric="
                + device.fabric()));
    }

    /**
     * Options under one heading.
     *
     * @param heading   heading in help.
     * @param options   object that picocli fills; kinds with the same options have objects of the same class.
     * @param ofPackets whether they apply if packets from outside cross the fabric.
     */
    record OptionGroup(String heading, Object options, boolean ofPackets) {
    }

    /**
     * Equal terms on which fabrics are compared.
     *
     * @param nodes         number of end nodes.
     * @param cellBytes     bytes of a whole cell.
     * @param cellNs        time of a cell at the rate of a node.
     * @param circuitNs     time of a cell and the guard band after it.
     * @param propagationNs delay of the fibres from one node to another.
     */
    record Terms(int nodes, int cellBytes, double cellNs, double circuitNs, double propagationNs) {
    }

    /**
     * Adds what the kind needs for a run on equal terms, unless the user gave it.
     *
     * @param options options, with nodes, cell, slot of a circuit and delay already set, and options of the kind as
     *                typed.
     * @return warnings for the user, one line each.
     */
    default List<String> setForComparison(final RunOptions options, final Terms terms) {
        return List.of();
    }

    /** Returns notes for a comparison that a reader needs to judge its numbers. */
    default List<String> comparisonRemarks() {
        return List.of();
    }

    /** Tells whether an option was typed that only threads have. */
    default boolean needsThreads(final KindOptions options) {
        return false;
    }

    /** Returns all kinds. */
    static List<FabricKind> all() {
        return Loaded.KINDS;
    }

    /**
     * Returns the kind of a name.
     *
     * @param option option that names it, for errors.
     * @throws InputException if there is none.
     */
    static FabricKind named(final String option, final String name) {
        return all().stream().filter(kind -> kind.name().equals(name)).findFirst().orElseThrow(() ->
            new InputException(option, name, "there is no such fabric", "use one of "
                + all().stream().map(FabricKind::name).collect(Collectors.joining(", "))));
    }

    /**
     * Returns the kind of a name.
     *
     * @throws InputException if there is none.
     */
    static FabricKind named(final String name) {
        return named("--fabric", name);
    }

    /**
     * Returns the parts of a fabric of circuits for engines and models.
     *
     * @throws IllegalArgumentException if it is of no known kind.
     */
    static FabricParts partsOf(final CircuitFabric fabric) {
        return all().stream().map(kind -> kind.parts(fabric)).filter(Objects::nonNull).findFirst().orElseThrow(() ->
            new IllegalArgumentException("the tools do not know this fabric: fabric=" + fabric));
    }

    /** Holds the kinds, found once at their first use: jars of parts have joined the class path by then. */
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
