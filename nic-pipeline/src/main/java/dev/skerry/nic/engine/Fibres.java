package dev.skerry.nic.engine;

import dev.skerry.dataplane.circuit.CircuitSwitch;
import dev.skerry.dataplane.circuit.RegisterTable;
import dev.skerry.dataplane.ring.LinkBundle;
import dev.skerry.nic.engine.FreeRunningThreads.AgentGraph;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.PortNumbers;
import dev.skerry.schedule.SwitchTable;
import dev.skerry.schedule.Wiring;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The fibres between banks of NICs and circuit switches that run as agents. All fibres from one agent to another share
 * a {@link LinkBundle}. Agents 0 to banks - 1 are the banks, followed by the switches. Used during set-up only, by one
 * thread.
 */
final class Fibres {
    /** Slots that a link to a switch holds; a switch forwards a slot as soon as it can. */
    private static final int SWITCH_ROWS = 16;
    /** Cost of a node's cell at its bank, relative to its cost at a switch. */
    private static final int BANK_LOAD = 16;

    private final Wiring wiring;
    private final PortNumbers ports;
    private final NodeRange[] ranges;
    private final int propagationSlots;
    private final List<Bundle> bundles = new ArrayList<>();

    /**
     * Fibres between two agents. Lane i is the fibre that leaves port {@code leaves[i]}; ports are in ascending order.
     */
    private record Bundle(int from, int to, int[] leaves, LinkBundle link) {
    }

    /**
     * A bank's end of a bundle.
     *
     * @param <E>   {@code LinkBundle.Producer} or {@code Consumer}.
     * @param end   the end.
     * @param ports the bank's port of each lane, numbered as in {@link PortNumbers}.
     */
    record BankLink<E>(E end, int[] ports) {
    }

    Fibres(final Arena arena, final Wiring wiring, final NodeRange[] ranges, final int propagationSlots) {
        this.wiring = wiring;
        this.ports = wiring.ports();
        this.ranges = ranges;
        this.propagationSlots = propagationSlots;
        final Map<Long, List<Integer>> between = new TreeMap<>();
        for (int port = 0; port < ports.total(); port++) {
            if (wiring.target(port) != Wiring.NONE) {
                final long key = (long) agentOf(port) << 32 | agentOf(wiring.target(port));
                between.computeIfAbsent(key, k -> new ArrayList<>()).add(port);
            }
        }
        between.forEach((key, leaves) -> {
            final int to = key.intValue();
            bundles.add(new Bundle((int) (key >> 32), to, leaves.stream().mapToInt(Integer::intValue).toArray(),
                new LinkBundle(arena, leaves.size(), to < ranges.length ? bankRows() : SWITCH_ROWS, 0)));
        });
    }

    /**
     * Maximum number of slots by which a sending bank can be ahead of the receiving one, over all links of a path.
     * Cells of that many slots must be kept.
     */
    int slotsInFlight() {
        return SWITCH_ROWS * wiring.stages() + bankRows() + 1;
    }

    /** Bundles that leave a bank. */
    List<BankLink<LinkBundle.Producer>> outOf(final int bank) {
        return bundles.stream().filter(b -> b.from == bank)
            .map(b -> new BankLink<>(b.link.producer(), b.leaves)).toList();
    }

    /** Bundles that reach a bank. */
    List<BankLink<LinkBundle.Consumer>> into(final int bank) {
        return bundles.stream().filter(b -> b.to == bank)
            .map(b -> new BankLink<>(b.link.consumer(), reached(b))).toList();
    }

    /** Creates a switch, connected to its fibres and started at slot 0. */
    CircuitSwitch circuitSwitch(final Arena arena, final int index) {
        final int agent = ranges.length + index;
        final List<CircuitSwitch.Inlet> inlets = new ArrayList<>();
        final List<CircuitSwitch.Outlet> outlets = new ArrayList<>();
        for (final Bundle bundle : bundles) {
            if (bundle.to == agent) {
                inlets.add(new CircuitSwitch.Inlet(bundle.link.consumer(), local(reached(bundle))));
            }
            if (bundle.from == agent) {
                outlets.add(new CircuitSwitch.Outlet(bundle.link.producer(), local(bundle.leaves)));
            }
        }
        final SwitchTable table = wiring.table(index);
        final CircuitSwitch circuits = new CircuitSwitch(arena, ports.switches().get(index).name(),
            new RegisterTable(table.ports(), table.epochSlots(), table::selected), inlets, outlets);
        circuits.start(0);
        return circuits;
    }

    /** Adds the fibres and their loads to a graph of banks and switches. */
    AgentGraph connect(final AgentGraph graph) {
        final int[] agentOf = graph.agentOf();
        for (final Bundle bundle : bundles) {
            final int lanes = bundle.leaves.length;
            graph.connect(agentOf[bundle.from], agentOf[bundle.to], lanes);
            graph.connect(agentOf[bundle.to], agentOf[bundle.from], lanes);
            graph.loads()[agentOf[bundle.from]] += bundle.from < ranges.length ? (long) BANK_LOAD * lanes : lanes;
        }
        return graph;
    }

    /** Slots that a link to a bank holds: at least P + 1, because a NIC reads a cell P slots after it was sent. */
    private int bankRows() {
        return Math.max(SWITCH_ROWS, Integer.highestOneBit(propagationSlots + 1) * 2);
    }

    private int[] reached(final Bundle bundle) {
        return Arrays.stream(bundle.leaves).map(wiring::target).toArray();
    }

    private int[] local(final int[] of) {
        return Arrays.stream(of).map(ports::localPort).toArray();
    }

    private int agentOf(final int port) {
        if (!ports.isNode(port)) {
            return ranges.length + ports.switchOf(port);
        }
        int bank = 0;
        while (ports.nodeOf(port) >= ranges[bank].end()) {
            bank++;
        }
        return bank;
    }
}
