package dev.skerry;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Settings of a {@link Fabric}. The methods set the options that most users need; {@link #set} sets every option of
 * {@code skerry run} by its name. An option that is not set keeps its default, and the last value counts.
 * {@link #build} checks all settings together. Not thread-safe.
 *
 * @param <B> the type of the builder.
 */
public abstract sealed class FabricBuilder<B extends FabricBuilder<B>> permits Shale, Shoal, Stardust, FatTree,
    NamedFabric {
    private static final String FABRIC = "--fabric";
    private static final Pattern WORD = Pattern.compile("-(.)");

    private final Map<String, String> options = new LinkedHashMap<>();

    FabricBuilder(final String fabric) {
        options.put(FABRIC, fabric);
    }

    abstract B self();

    /**
     * Sets an option of {@code skerry run}.
     *
     * @param option name as on the command line without dashes, for example {@code first-hop-tokens}, or in camel case,
     *               {@code firstHopTokens}.
     * @param value  as on the command line; {@code true} for an option without a value, which {@code false} removes.
     */
    public final B set(final String option, final Object value) {
        options.put("--" + option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT), value.toString());
        return self();
    }

    /** Seed of all random choices; default 1. */
    public final B seed(final long seed) {
        return set("seed", seed);
    }

    /** Number of worker threads; default 1. The result does not depend on it. */
    public final B threads(final int threads) {
        return set("threads", threads);
    }

    /** Cell size in bytes, header included. */
    public final B cellBytes(final int bytes) {
        return set("cell-bytes", bytes);
    }

    /** Interval between the cells that a node sends, in nanoseconds. */
    public final B slotNs(final double ns) {
        return set("slot-ns", ns);
    }

    /** One-way propagation delay in slots. */
    public final B propagationSlots(final int slots) {
        return set("propagation-slots", slots);
    }

    /** Number of slots to run; 0 runs until every flow is done. */
    public final B slots(final long slots) {
        return set("slots", slots);
    }

    /** Synthetic workload of {@link Fabric#run()}, for example {@code permutation} or {@code web}. */
    public final B workload(final String name) {
        return set("workload", name);
    }

    /** Offered load of a random workload, in cells per node, slot and channel. */
    public final B load(final double load) {
        return set("load", load);
    }

    /** Script of faults, see {@code docs/formats.md}. */
    public final B faults(final Path script) {
        return set("faults", script);
    }

    /** Checks every invariant in every slot; slow, for small fabrics. */
    public final B check() {
        return set("check", true);
    }

    /**
     * The fabric with these settings.
     *
     * @throws IllegalArgumentException if a setting is wrong, alone or with another; the message is that of the command
     *                                  line.
     */
    public final Fabric build() {
        return new Fabric(words());
    }

    /**
     * Starts a fabric that carries packets between ports of this process, and returns when it takes packets. Settings
     * are those of {@code skerry live}, for example {@code set("map", "0:5,5:0")}; without {@code set("warm-up", 0)} it
     * first sends packets of its own for up to 10 seconds, so that all code is compiled.
     *
     * @param ports one or more; settings may name others.
     * @throws IllegalArgumentException if a setting is wrong.
     */
    public final Live live(final QueuePort... ports) {
        return new Live(words(), ports);
    }

    /**
     * A model of one node of the fabric, of Shale and Shoal. Flows are those of {@code set("pairs", "0>1,5>12")}, a
     * workload or a trace; {@code set("offers", 100)} leaves room for flows that arrive while it runs.
     *
     * @throws IllegalArgumentException if a setting is wrong or does not apply to a single node.
     */
    public final Model node(final int node) {
        return Model.open(description("node", node));
    }

    /** A follower, which checks whether a device that plays a node of the fabric keeps its rules; see {@link #node}. */
    public final Model follower(final int node) {
        return Model.open(description("follower", node));
    }

    private String description(final String part, final int node) {
        return options.get(FABRIC) + "-" + part + " node=" + node + options.entrySet().stream()
            .filter(option -> !option.getKey().equals(FABRIC)).map(option -> " " + WORD.matcher(option.getKey()
                .substring(2)).replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT)) + "="
                + option.getValue()).collect(Collectors.joining());
    }

    private List<String> words() {
        return options.entrySet().stream().filter(option -> !option.getValue().equals("false"))
            .map(option -> option.getValue().equals("true") ? option.getKey()
                : option.getKey() + "=" + option.getValue()).collect(Collectors.toUnmodifiableList());
    }
}
