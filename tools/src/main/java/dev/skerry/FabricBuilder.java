package dev.skerry;

import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Builder for a {@link Fabric}, a {@link Live} fabric or a {@link Model} of one node. The methods set common options;
 * {@link #set} sets any option of the command line by its name. {@code skerry run --help-all} and {@code skerry live
 * --help-all} document all options and their values. Options that you do not set have the defaults of the
 * command line. If you set an option twice, the second value replaces the first. {@link #build}, {@link #live},
 * {@link #node} and {@link #follower} check all settings together. You can use a builder several times, also after you
 * have changed a setting.
 *
 * <pre>{@code
 * Shale builder = Shale.nodes(64).workload("permutation").slots(2_000).set("spray-ties", "lowest");
 * for (int tokens = 1; tokens <= 3; tokens++) {
 *     System.out.println(tokens + " tokens: " + builder.tokens(tokens).build().run().throughput());
 * }
 * }</pre>
 *
 * <p>Not thread-safe.
 *
 * @param <B> the type of the builder.
 */
public abstract sealed class FabricBuilder<B extends FabricBuilder<B>> permits Shale, Shoal, Stardust, FatTree,
    NamedFabric {
    private static final String FABRIC = "--fabric";
    private static final Pattern WORD = Pattern.compile("-(.)");

    private final Map<String, List<String>> options = new LinkedHashMap<>();

    FabricBuilder(final String fabric) {
        options.put(FABRIC, List.of(fabric));
    }

    abstract B self();

    /** Kind of the model of a node, and the setting that has its number. */
    String nodeModel() {
        return "node node";
    }

    /** Kind of the follower of a node, and the setting that has its number. */
    String followerModel() {
        return "follower node";
    }

    /**
     * Sets an option of {@code skerry run}.
     *
     * @param option name of the option without the leading dashes, such as {@code first-hop-tokens}, or the same in
     *               camel case, such as {@code firstHopTokens}.
     * @param value  as on the command line. For an option without a value, {@code true} sets the option and
     *               {@code false} removes it. A collection gives the option several times, such as {@code port} of
     *               {@link #live}: {@code set("port", List.of("3=loop", "4=pcap:out.pcap"))}.
     * @throws IllegalArgumentException if the value is null.
     */
    public final B set(final String option, final Object value) {
        if (value == null) {
            throw new IllegalArgumentException("--" + option + " needs a value: it is null");
        }
        final Stream<?> values = value instanceof final Collection<?> several ? several.stream() : Stream.of(value);
        options.put("--" + option.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT),
            values.map(Object::toString).toList());
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

    /** One-way propagation delay of a link in slots. */
    public final B propagationSlots(final int slots) {
        return set("propagation-slots", slots);
    }

    /** Number of slots to run; 0 runs until every flow is complete. */
    public final B slots(final long slots) {
        return set("slots", slots);
    }

    /**
     * Synthetic workload of {@link Fabric#run()}: permutation, short, heavy, web, incast, all-to-all, each-to-each,
     * ring-allreduce, tree-allreduce, moe, incast-rounds, or a table of flow sizes as {@code file:PATH}.
     */
    public final B workload(final String name) {
        return set("workload", name);
    }

    /** Offered load of a random workload, in cells per node, slot and channel. */
    public final B load(final double load) {
        return set("load", load);
    }

    /**
     * Fault script: a file with one fault per line, {@code <slot> node <id> down|up}, {@code <slot> link <from> <to>
     * down|up} and others, depending on the fabric.
     */
    public final B faults(final Path script) {
        return set("faults", script);
    }

    /** Checks every invariant in every slot. This is slow; use it for small fabrics. */
    public final B check() {
        return set("check", true);
    }

    /**
     * Checks the settings and creates the fabric.
     *
     * @throws IllegalArgumentException if a setting is invalid or contradicts another one. The message is the one that
     *                                  the command line prints.
     */
    public final Fabric build() {
        return new Fabric(words());
    }

    /**
     * Starts a fabric that carries packets between ports of this process, and returns when the fabric accepts packets.
     * Set the options of {@code skerry live}, for example {@code set("map", "0:5,5:0")}. By default, the fabric first
     * warms up the JIT compiler with test packets for up to 10 seconds; {@code set("warm-up", 0)} skips this.
     *
     * @param ports ports of this process, at least one. The option {@code port} can add other ports.
     * @throws IllegalArgumentException if a setting is invalid.
     * @throws IllegalStateException    if a port is in use by another fabric, or the fabric fails.
     */
    public final Live live(final QueuePort... ports) {
        return new Live(words(), ports);
    }

    /**
     * Creates a model of one node of a Shale or Shoal fabric, or of one Fabric Adapter or Fabric Element of a Stardust
     * fabric, numbered from 0, adapters first. Its flows come from a workload, a trace or endless pairs
     * ({@code set("pairs", "0>1,5>12")}). {@code set("offers", 100)} reserves room for 100 flows that are added later
     * with {@link Model#offer}.
     *
     * <p>For Shale and Shoal, an input row is the slot, then for each channel the words of the cell that the node
     * receives: route, cell and feedback. An output row has the same words of the cell that it sends. The words
     * -1, 0, -1 are a dummy without feedback.
     *
     * @throws IllegalArgumentException if a setting is invalid or does not apply to a single node.
     */
    public final Model node(final int node) {
        return Model.open(description(nodeModel(), node));
    }

    /**
     * Creates a follower, which checks a device that takes the place of a node of the fabric, for example RTL. Settings
     * are those of {@link #node}, and those of the device, such as {@code set("cell-delay", 1)}
     * ({@code docs/device-latencies.md}). {@link Model} has an example.
     *
     * @throws IllegalArgumentException if a setting is invalid or does not apply to a single node.
     */
    public final Model follower(final int node) {
        return Model.open(description(followerModel(), node));
    }

    private String description(final String model, final int node) {
        return options.get(FABRIC).getFirst() + "-" + model + "=" + node + options.entrySet().stream()
            .filter(option -> !option.getKey().equals(FABRIC)).map(option -> " " + WORD.matcher(option.getKey()
                .substring(2)).replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT)) + "="
                + String.join(",", option.getValue())).collect(Collectors.joining());
    }

    private List<String> words() {
        return options.entrySet().stream().flatMap(option -> option.getValue().stream()
            .filter(value -> !value.equals("false"))
            .map(value -> value.equals("true") ? option.getKey() : option.getKey() + "=" + value)).toList();
    }
}
