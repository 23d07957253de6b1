package dev.skerry.tools.cosim;

import dev.skerry.codec.ShaleHeader;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.queue.PieoLayout;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Full;
import dev.skerry.nic.follow.FollowRules.Room;
import dev.skerry.spi.FabricKind;
import dev.skerry.tools.cosim.CodecTwin.ShaleTwin;
import dev.skerry.tools.cosim.CodecTwin.ShoalTwin;
import dev.skerry.tools.run.NodeChoice;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Describes a model in one line: its kind, and {@code name=value} for each dimension.
 *
 * <pre>
 *   pieo capacity=64 idBits=6 rankBits=16 timeBits=16      the widths are optional
 *   switch ports=4 rows=1,2,3,0/-1,3,-1,1                  one row per slot of the epoch: the input of each output
 *   shoal nodes=1024 classes=1
 *   shale layout=L12F nodes=4096 phases=2 failures=1
 *   shale-node node=5 nodes=16 h=2 workload=permutation    a node of a run, with the options of skerry run
 *   shoal-node node=3 nodes=8 channels=1 probes=all
 *   stardust-device device=5 nodes=6 topology=single       an adapter or element of a run
 *   header file=shale-prototype payload=0                  a described header
 *   shale-follower node=5 nodes=16 mayBeSilent=0 limit=20  follows a device
 *   shoal-follower node=3 nodes=8 channels=1
 * </pre>
 *
 * @param kind   kind of model.
 * @param values values by name.
 */
record Description(String kind, Map<String, String> values) {
    private static final String NODE = "-node";
    private static final String FOLLOWER = "-follower";

    /**
     * Parses a line.
     *
     * @throws IllegalArgumentException if it is malformed.
     */
    static Description of(final String line) {
        final String[] words = line.strip().split(" +");
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

    /**
     * Creates the model in its initial state.
     *
     * @param arena arena of its memory.
     * @throws IllegalArgumentException if the description fits no model.
     */
    Twin twin(final Arena arena) {
        final Map<String, String> left = new TreeMap<>(values);
        final Twin twin = switch (kind) {
            case "pieo" -> new PieoTwin(pieo(left), arena);
            case "switch" -> new SwitchTwin(table(left), arena);
            case "shoal" -> new ShoalTwin(number(left, "nodes", 1024), number(left, "classes", 1), arena);
            case "shale" -> new ShaleTwin(shale(left), arena);
            case "stardust-device" -> device(left);
            case "header" -> header(left);
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
            + "stardust-device, and a node and a follower of each fabric of circuits, such as shoal-node and "
            + "shoal-follower");
    }

    private static boolean isFabric(final String name) {
        return FabricKind.all().stream().anyMatch(each -> each.name().equals(name));
    }

    /** The values other than node and probes are options of the run. */
    private Twin node(final Map<String, String> left) {
        final int node = number(left, "node", 0);
        final String probes = text(left, "probes", "");
        final DeviceNode.Timing timing = timing(left);
        final FollowRules limits = ofDevice(left);
        return new NodeTwin(run(left), node, probes, timing, limits);
    }

    /** A device that receives first is as one that sends first and is a slot nearer to its neighbours. */
    private static DeviceNode.Timing timing(final Map<String, String> left) {
        final String order = left.remove("order");
        final boolean receivesFirst = "receive-first".equals(order);
        if (order != null && !receivesFirst && !"send-first".equals(order)) {
            throw new IllegalArgumentException("order must be send-first or receive-first: order=" + order);
        }
        if (receivesFirst) {
            final int propagation = parse("propagation", left.getOrDefault("propagation", ""));
            if (propagation < 1) {
                throw new IllegalArgumentException("what is received first was sent a slot before at least: "
                    + "propagation=" + propagation);
            }
            left.put("propagation", String.valueOf(propagation - 1));
        }
        return new DeviceNode.Timing(receivesFirst, number(left, "tokenDelay", 0), number(left, "start", 0));
    }

    private Twin follower(final Map<String, String> left) {
        final int node = number(left, "node", 0);
        final FollowRules rules = ofFollower(left);
        final int limit = number(left, "limit", 20);
        return new FollowTwin(run(left), node, rules, limit);
    }

    /** What the hardware of a node has room for; the model loses what does not fit. */
    static FollowRules ofDevice(final Map<String, String> left) {
        final FollowRules limits = limits(left, false, false, Full.DROP);
        if (limits.owed().full() == Full.COUNT) {
            throw new IllegalArgumentException("a model loses what has no room, its followers count it: full=count");
        }
        return limits;
    }

    /** What a follower lets a device do, and what the device has room for. */
    static FollowRules ofFollower(final Map<String, String> left) {
        final String order = left.remove("order");
        final FollowRules rules = limits(left, number(left, "mayBeSilent", 0) != 0, order != null, Full.COUNT);
        if (order != null && !order.equals("free")) {
            throw new IllegalArgumentException("the order of a follower is free or left out: order=" + order);
        }
        return rules;
    }

    /**
     * Limits in the words that describe a node and what follows it: {@code tokensASlot=1 owedFifo=8 queueCells=64
     * full=drop registerBits=4}.
     *
     * @param usual what becomes of what has no room.
     */
    private static FollowRules limits(final Map<String, String> left, final boolean mayBeSilent,
        final boolean freeOrder, final Full usual) {
        final int tokensASlot = number(left, "tokensASlot", 2);
        final int owedFifo = number(left, "owedFifo", Integer.MAX_VALUE);
        final int queueCells = number(left, "queueCells", Integer.MAX_VALUE);
        final int registerBits = number(left, "registerBits", Integer.SIZE);
        if (tokensASlot < 1 || tokensASlot > 2 || owedFifo < 1 || queueCells < 1 || registerBits < 1
            || registerBits > Integer.SIZE) {
            throw new IllegalArgumentException("tokensASlot must be 1 or 2, owedFifo and queueCells 1 or more, "
                + "registerBits 1 to 32: tokensASlot=" + tokensASlot + " owedFifo=" + owedFifo + " queueCells="
                + queueCells + " registerBits=" + registerBits);
        }
        final Full full = full(left.remove("full"), owedFifo < Integer.MAX_VALUE, queueCells < Integer.MAX_VALUE,
            usual);
        return new FollowRules(mayBeSilent, freeOrder, tokensASlot, new Room(owedFifo, full),
            queueCells == Integer.MAX_VALUE ? Room.ENDLESS : new Room(queueCells, full), registerBits);
    }

    private static Full full(final String full, final boolean isFifo, final boolean isQueue, final Full usual) {
        if (full != null && !isFifo && !isQueue) {
            throw new IllegalArgumentException("nothing gets full without owedFifo and queueCells: full=" + full);
        }
        if ("stall".equals(full) && (!isFifo || isQueue)) {
            throw new IllegalArgumentException("tokens wait for room, cells that come cannot: full=stall is for "
                + "owedFifo alone");
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

    /** Takes all values that are left, options of a run. */
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

    private static Twin header(final Map<String, String> left) {
        return new HeaderTwin(needed("header", left, "file"), number(left, "payload", 0));
    }

    private static PieoLayout pieo(final Map<String, String> left) {
        final PieoLayout usual = new PieoLayout(number(left, "capacity", 64));
        return new PieoLayout(usual.capacity(), number(left, "idBits", usual.idBits()),
            number(left, "rankBits", usual.rankBits()), number(left, "timeBits", usual.timeBits()));
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

    /** Takes a number out of the values. */
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
