package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Setting;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.cosim.CodecTwin.ShaleTwin;
import dev.skerry.tools.cosim.CodecTwin.ShoalTwin;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.run.NodeChoice;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Describes a model in one line: its kind, and {@code name=value} for each dimension.
 *
 * <pre>
 *   pieo capacity=64 idBits=6 rankBits=16 timeBits=16      the widths are optional, as is ties=lifo
 *   switch ports=4 rows=1,2,3,0/-1,3,-1,1                  one row per slot of the epoch: the input of each output
 *   shoal nodes=1024 classes=1
 *   shale layout=L12F nodes=4096 phases=2 failures=1
 *   shale-node node=5 nodes=16 h=2 workload=permutation    a node of a run, with the options of skerry run
 *   shoal-node node=3 nodes=8 channels=1 probes=all
 *   stardust-device device=5 nodes=6 topology=single       an adapter or element of a run
 *   header file=shale-prototype payload=0                  a described header
 *   shale-follower node=5 nodes=16 mayBeSilent=0 limit=20  follows a device
 *   shoal-follower node=3 nodes=8 channels=1
 *   stardust-follower device=5 nodes=6 topology=single     follows an adapter or element
 *   stimulus shale-node node=5 nodes=16 stimulusSeed=1 weights=first:9,none:0      rows for a device
 * </pre>
 *
 * @param kind   kind of model.
 * @param values values by name.
 */
record Description(String kind, Map<String, String> values) {
    private static final String NODE = "-node";
    private static final String FOLLOWER = "-follower";
    static final String COVERAGE = "coverage";
    private static final String STIMULUS = "stimulus ";

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException if it is malformed.
     */
    static Description of(final String line) {
        final String[] words = line.strip().replaceFirst("^stimulus +", "stimulus\0").split(" +");
        words[0] = words[0].replace('\0', ' ');
        final Map<String, String> values = new TreeMap<>();
        for (int i = 1; i < words.length; i++) {
            final int equals = words[i].indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException("not name=value: " + words[i]);
            }
            values.put(words[i].substring(0, equals), words[i].substring(equals + 1));
        }
        return new Description(words[0], values);
    }

    /** Returns the description as a line. */
    String line() {
        return values.entrySet().stream().map(Object::toString).collect(Collectors.joining(" ", kind + " ", ""));
    }

    /**
     * Creates the model in its initial state.
     *
     * @param arena arena of its memory.
     * @throws IllegalArgumentException if the description fits no model.
     */
    Twin twin(final Arena arena) {
        final Map<String, String> left = new TreeMap<>(values);
        final Twin twin = switch (kind) {
            case "pieo" -> new PieoTwin(pieo(left), newestFirst(left), arena);
            case "switch" -> new SwitchTwin(table(left), arena);
            case "shoal" -> new ShoalTwin(number(left, "nodes", 1024), number(left, "classes", 1), arena);
            case "shale" -> new ShaleTwin(shale(left), arena);
            case "stardust-device" -> device(left);
            case "stardust-follower" -> deviceFollower(left);
            case "header" -> header(left);
            case final String of when of.startsWith(STIMULUS) -> stimulus(left);
            default -> ofFabric(left);
        };
        if (!left.isEmpty()) {
            throw new IllegalArgumentException("a " + kind + " has no " + String.join(", ", left.keySet()));
        }
        return twin;
    }

    private Twin ofFabric(final Map<String, String> left) {
        if (kind.endsWith(NODE) && isFabric(kind.substring(0, kind.length() - NODE.length()))) {
            return node(left);
        }
        if (kind.endsWith(FOLLOWER) && isFabric(kind.substring(0, kind.length() - FOLLOWER.length()))) {
            return follower(left);
        }
        throw new IllegalArgumentException("no such model: " + kind + ", there are pieo, switch, header, shoal, shale, "
            + "stardust-device, stardust-follower, and a node and a follower of each fabric of circuits, such as "
            + "shoal-node and shoal-follower");
    }

    private static boolean isFabric(final String name) {
        return FabricKind.all().stream().anyMatch(each -> each.name().equals(name));
    }

    /** Creates a node. Values that do not configure the node itself are options of the run. */
    private Twin node(final Map<String, String> left) {
        final int node = number(left, "node", 0);
        final String probes = text(left, "probes", "");
        final int start = number(left, "start", 0);
        final boolean covers = number(left, COVERAGE, 0) != 0;
        final FollowRules rules = ofDevice(left);
        // A device that receives first behaves like one that sends first and is one slot closer to its neighbours. A
        // device that stores arriving cells behaves like one that is farther away and receives its tokens earlier.
        final int further = rules.get(Setting.CELL_DELAY) - rules.get(Setting.RECEIVE_FIRST);
        if (further != 0) {
            final String slots = left.get("propagation");
            if (slots == null) {
                throw new IllegalArgumentException("a node with cellDelay or order=receive-first needs propagation=, "
                    + "the delay of the wire in slots");
            }
            final int propagation = parse("propagation", slots);
            if (propagation + further < 0) {
                throw new IllegalArgumentException("with receive-first, the delay must be at least one slot: "
                    + "propagation=" + propagation);
            }
            left.put("propagation", String.valueOf(propagation + further));
        }
        final NodeTwin twin = new NodeTwin(run(left), node, probes, start, rules);
        if (covers) {
            twin.watch(watch());
        }
        return twin;
    }

    /** Creates a follower of the described node, which counts what the node exercises. */
    private FollowTwin watch() {
        final Map<String, String> same = new TreeMap<>(values);
        same.keySet().removeAll(Set.of("probes", "start", COVERAGE));
        if (values.containsKey(Setting.OWED_FIFO.word()) || values.containsKey(Setting.QUEUE_CELLS.word())) {
            same.putIfAbsent("full", "drop");
        }
        return new Description(kind.replace(NODE, FOLLOWER), same).follower(same);
    }

    /** Tells whether this describes a node of a fabric. */
    boolean isNode() {
        return kind.endsWith(NODE);
    }

    /** Returns a copy with a value added or replaced. */
    Description with(final String name, final String value) {
        final Map<String, String> changed = new TreeMap<>(values);
        changed.put(name, value);
        return new Description(kind, changed);
    }

    private FollowTwin follower(final Map<String, String> left) {
        final int node = number(left, "node", 0);
        final FollowRules rules = ofFollower(left);
        final int limit = number(left, "limit", 20);
        final boolean payload = number(left, "payload", 0) != 0;
        return new FollowTwin(run(left), node, rules, limit, payload);
    }

    /** Reads the latencies and limits of a node's hardware; the model drops what exceeds the limits. */
    static FollowRules ofDevice(final Map<String, String> left) {
        final FollowRules rules = rules(left, Full.DROP, EnumSet.range(Setting.TOKENS_A_SLOT, Setting.CELL_DELAY));
        if (rules.full() == Full.COUNT || rules.is(Setting.FREE_ORDER)) {
            throw new IllegalArgumentException("models do not support order=free and full=count, only their "
                + "followers do");
        }
        return rules;
    }

    /** Reads what a follower permits a device to do, and the limits of the device. */
    static FollowRules ofFollower(final Map<String, String> left) {
        final boolean mayBeSilent = number(left, "mayBeSilent", 0) != 0;
        if (mayBeSilent) {
            left.putIfAbsent(Setting.SILENCE.word(), String.valueOf(FollowRules.USUAL_SILENCE));
        }
        return rules(left, Full.COUNT, EnumSet.allOf(Setting.class));
    }

    /**
     * Reads settings such as {@code tokensASlot=1 owedFifo=8 full=drop order=receive-first}.
     *
     * @param usual what happens without room unless {@code full} is given.
     * @param of    supported settings.
     */
    private static FollowRules rules(final Map<String, String> left, final Full usual, final Set<Setting> of) {
        FollowRules rules = FollowRules.STRICT;
        for (final Setting setting : of) {
            rules = rules.with(setting, number(left, setting.word(), setting.usual()));
        }
        for (final String order : text(left, "order", "send-first").split(",")) {
            rules = switch (order) {
                case "send-first" -> rules;
                case "receive-first" -> rules.with(Setting.RECEIVE_FIRST, 1);
                case "free" -> rules.with(Setting.FREE_ORDER, 1);
                default -> throw new IllegalArgumentException("order must be send-first, receive-first or free: order="
                    + order);
            };
        }
        return rules.with(full(left.remove("full"), rules.get(Setting.OWED_FIFO) < Integer.MAX_VALUE,
            rules.get(Setting.QUEUE_CELLS) < Integer.MAX_VALUE, usual));
    }

    private static Full full(final String full, final boolean isFifo, final boolean isQueue, final Full usual) {
        if (full != null && !isFifo && !isQueue) {
            throw new IllegalArgumentException("full= requires owedFifo or queueCells: full=" + full);
        }
        if ("stall".equals(full) && (!isFifo || isQueue)) {
            throw new IllegalArgumentException("tokens can wait for room, but arriving cells cannot: full=stall "
                + "requires owedFifo alone");
        }
        return switch (full) {
            case null -> usual;
            case "drop" -> Full.DROP;
            case "count" -> Full.COUNT;
            case "stall" -> Full.STALL;
            default -> throw new IllegalArgumentException("full must be drop, count or stall: full=" + full);
        };
    }

    private NodeChoice run(final Map<String, String> left) {
        return NodeChoice.of(kind.substring(0, kind.indexOf('-')), rest(left));
    }

    /** Removes and returns all remaining values, which are options of a run. */
    private static Map<String, String> rest(final Map<String, String> left) {
        final Map<String, String> run = Map.copyOf(left);
        left.clear();
        return run;
    }

    private static Twin device(final Map<String, String> left) {
        final int device = number(left, "device", 0);
        final int messages = number(left, "messages", 64);
        final String probes = text(left, "probes", "");
        return new DeviceTwin(NodeChoice.scenario("a device", "stardust", rest(left)), device, messages, probes);
    }

    /** Creates a stimulus. Values other than stimulusSeed and weights describe the model of the device. */
    private Twin stimulus(final Map<String, String> left) {
        final int seed = number(left, "stimulusSeed", 1);
        final Map<String, Integer> weights = Arrays.stream(text(left, "weights", "").split(","))
            .filter(each -> !each.isEmpty()).map(each -> each.split(":", 2))
            .collect(Collectors.toMap(each -> each[0], each -> parse("weights", each[each.length - 1]),
                (_, last) -> last));
        final Description model = new Description(kind.substring(STIMULUS.length()), rest(left));
        try {
            return new StimulusTwin(() -> model.twin(Arena.ofAuto()), seed, weights);
        } catch (final InputException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static Twin deviceFollower(final Map<String, String> left) {
        final int device = number(left, "device", 0);
        final int messages = number(left, "messages", 64);
        final int limit = number(left, "limit", 20);
        final FollowRules rules = rules(left, Full.COUNT, EnumSet.of(Setting.CELL_DELAY));
        return new DeviceFollowTwin(NodeChoice.scenario("a follower", "stardust", rest(left)), device, rules, messages,
            limit);
    }

    private static Twin header(final Map<String, String> left) {
        return new HeaderTwin(needed("header", left, "file"), number(left, "payload", 0));
    }

    private static PieoLayout pieo(final Map<String, String> left) {
        final PieoLayout usual = new PieoLayout(number(left, "capacity", 64));
        return new PieoLayout(usual.capacity(), number(left, "idBits", usual.idBits()),
            number(left, "rankBits", usual.rankBits()), number(left, "timeBits", usual.timeBits()));
    }

    /** Whether the newest of several elements of equal rank leaves first. */
    private static boolean newestFirst(final Map<String, String> left) {
        final String ties = text(left, "ties", "fifo");
        if (!List.of("fifo", "lifo").contains(ties)) {
            throw new IllegalArgumentException("ties must be fifo or lifo: ties=" + ties);
        }
        return ties.equals("lifo");
    }

    private static RegisterTable table(final Map<String, String> left) {
        final int ports = number(left, "ports", 0);
        final String rows = needed("switch", left, "rows");
        final int epochSlots = rows.split("/", -1).length;
        return RegisterTable.of(ports, epochSlots,
            Arrays.stream(rows.split("[,/]", -1)).mapToInt(text -> parse("rows", text)).toArray());
    }

    private static ShaleHeader shale(final Map<String, String> left) {
        final String name = text(left, "layout", "L12");
        final ShaleLayout layout = Arrays.stream(ShaleLayout.values())
            .filter(each -> each.name().equals(name))
            .findAny()
            .orElseThrow(() -> new IllegalArgumentException("layout must be one of L12, L12F, L16: layout=" + name));
        return new ShaleHeader(layout, number(left, "nodes", layout.maxNodes()),
            number(left, "phases", layout.maxPhases()), number(left, "failures", 0) != 0);
    }

    private static String text(final Map<String, String> left, final String name, final String otherwise) {
        return Objects.requireNonNullElse(left.remove(name), otherwise);
    }

    private static String needed(final String kind, final Map<String, String> left, final String name) {
        final String text = left.remove(name);
        if (text == null) {
            throw new IllegalArgumentException("a " + kind + " needs " + name + "=...");
        }
        return text;
    }

    /** Removes and returns a number. */
    static int number(final Map<String, String> left, final String name, final int otherwise) {
        final String text = left.remove(name);
        return text == null ? otherwise : parse(name, text);
    }

    private static int parse(final String name, final String text) {
        try {
            return Integer.parseInt(text);
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(name + " must be a number: " + name + "=" + text, e);
        }
    }
}
