package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PortCounter;
import dev.skerry.dataplane.port.PortCounts;
import dev.skerry.nic.edge.EdgeCounter;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeControl;
import dev.skerry.nic.edge.PortForwarding;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.ctl.OrderDesk;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.MemifSockets;
import dev.skerry.tools.run.FabricOptions;
import dev.skerry.tools.run.FaultOrders;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Carries out orders at a running dataplane. Whatever takes time, such as opening a device, is done by the thread of
 * the order; the thread of a port only changes what it uses, between two slots. One order at a time.
 */
final class LiveDesk implements OrderDesk {
    private final Setting setting;
    private final PortChanges ports;
    private final EdgeControl control;
    private final CountReader counts;
    private final LiveReload reload;

    /**
     * What does not change while a dataplane runs.
     *
     * @param seats      by port.
     * @param forwarding by port.
     * @param sockets    where memif ports listen.
     * @param fabric     what packets cross.
     * @param settings   as they were typed.
     * @param nodes      number of nodes.
     * @param mtu        of --mtu.
     */
    record Setting(List<PortSeat> seats, List<ForwardingSeat> forwarding, MemifSockets sockets, FabricOptions fabric,
        LiveSettings settings, int nodes, int mtu) {
    }

    /** Orders to a fabric that is built. */
    LiveDesk(final Setting setting, final PacketEdges edges, final EdgeControl control) {
        this.setting = setting;
        this.ports = new PortChanges(setting, edges, control);
        this.control = control;
        this.counts = new CountReader(setting.seats(), edges);
        this.reload = new LiveReload(setting, ports, this);
    }

    @Override
    public synchronized String carryOut(final Order order) throws InterruptedException {
        return switch (order) {
            case final Order.Ports all -> ports.list();
            case final Order.Add add -> ports.add(PortChoice.parse(add.text(), setting.nodes()));
            case final Order.Remove remove -> ports.remove(ports.taken(remove.place()));
            case final Order.Drain drain -> ports.drain(ports.taken(drain.place()), drain.seconds());
            case final Order.Resume resume -> {
                control.serve(ports.taken(resume.place()), true);
                yield "";
            }
            case final Order.Route route -> route(route.to());
            case final Order.Address address -> address(address);
            case final Order.Rate rate -> ports.rate(ports.taken(rate.place()), rate.text());
            case final Order.Fail fail -> fail(fail.text());
            case final Order.Untap untap -> untap(ports.place(untap.place()));
            case final Order.Counters read -> counts.text(read.place().equals(Order.Counters.ALL) ? CountReader.ALL
                : ports.place(read.place()));
            case final Order.Reload again -> reload.change(setting.settings().read());
            case final Order.Reset reset -> {
                counts.reset();
                yield "";
            }
            case final Order.Tap tap -> throw new IllegalArgumentException("a tap is a capture: " + tap);
        };
    }

    @Override
    public synchronized Capture capture(final Order.Tap order) {
        final int port = ports.place(order.place());
        final PortSeat seat = setting.seats().get(port);
        // Nothing is to be done there but to come by, also when the dataplane has ended.
        final PacketTap tap = new PacketTap(order, seat, () -> control.inTurn(port, () -> { }));
        if (!seat.begin(tap)) {
            tap.close();
            throw new InputException("ctl", "tap " + order.place(), "the port has a tap already",
                "end it with untap " + order.place());
        }
        return tap;
    }

    private String untap(final int port) {
        final PacketTap tap = setting.seats().get(port).tap();
        if (tap == null) {
            throw ports.wrong(port, "the port has no tap", "begin one with tap");
        }
        tap.end();
        return "";
    }

    private String route(final Map<PortPlace, PortPlace> to) throws InterruptedException {
        // All is checked before anything changes.
        for (final Map.Entry<PortPlace, PortPlace> one : to.entrySet()) {
            final int from = ports.place(one.getKey());
            if (!one.getValue().equals(Order.Route.BY_ADDRESS)) {
                ports.place(one.getValue());
            } else if (setting.forwarding().get(from).table() == null) {
                throw ports.wrong(from, "live was started with --map, so it has no addresses", "give a node");
            }
        }
        send(to);
        return "";
    }

    /** Sends the packets of ports elsewhere: to a port, by address, or, where the value is null, nowhere. */
    void send(final Map<PortPlace, PortPlace> to) throws InterruptedException {
        for (final Map.Entry<PortPlace, PortPlace> one : to.entrySet()) {
            final int from = ports.place(one.getKey());
            final PortPlace place = one.getValue();
            final int target = place == null ? PortForwarding.NOWHERE
                : place.equals(Order.Route.BY_ADDRESS) ? ForwardingSeat.BY_ADDRESS : ports.place(place);
            ports.inTurn(from, () -> setting.forwarding().get(from).send(target));
        }
    }

    private String address(final Order.Address order) throws InterruptedException {
        final boolean isForgotten = order.place().equals(Order.Address.FORGET);
        final int at = isForgotten ? PortForwarding.NOWHERE : ports.place(order.place());
        if (setting.forwarding().getFirst().table() == null) {
            throw new InputException("ctl", "mac", "live was started with --map, so it has no addresses",
                "change the map");
        }
        final boolean[] has = new boolean[1];
        for (int port = 0; port < setting.seats().size(); port++) {
            final MacTable table = setting.forwarding().get(port).table();
            ports.inTurn(port, () -> {
                table.forget(order.mac());
                has[0] = isForgotten || table.fix(order.mac(), at);
            });
            if (!has[0]) {
                throw new InputException("ctl", "mac", "too many fixed addresses fall into one set of the table",
                    "forget some of them");
            }
        }
        return "";
    }

    private String fail(final String what) {
        final FaultOrders orders = setting.fabric().faults();
        if (!orders.areTaken()) {
            throw new InputException("ctl", "fault " + what, "live was started without --faults",
                "start it with --faults none, or with a script");
        }
        final long[] at = new long[1];
        control.beforeSlot(slot -> {
            orders.fail(what, slot);
            at[0] = slot;
        });
        return "slot " + at[0] + "\n";
    }

    /**
     * Reads the counters of a running dataplane, from the start or from the last reset on. Values may lag. One thread.
     */
    private static final class CountReader {
        /** In place of a port. */
        static final int ALL = -1;

        private final List<PortSeat> seats;
        private final PacketEdges edges;
        private final Map<String, Long> before = new LinkedHashMap<>();

        CountReader(final List<PortSeat> seats, final PacketEdges edges) {
            this.seats = seats;
            this.edges = edges;
        }

        /** From now on everything begins at 0. */
        void reset() {
            before.putAll(read(ALL));
        }

        /** The counters of a port, or all, that are not 0: a line each. */
        String text(final int port) {
            final StringBuilder text = new StringBuilder();
            read(port).forEach((name, value) -> {
                final long since = value - before.getOrDefault(name, 0L);
                if (since != 0) {
                    text.append(name).append(' ').append(since).append('\n');
                }
            });
            return text.toString();
        }

        private Map<String, Long> read(final int of) {
            final Map<String, Long> values = new LinkedHashMap<>();
            for (int port = 0; port < seats.size(); port++) {
                if (of == ALL || of == port) {
                    final String node = "port " + seats.get(port).choice().place() + " ";
                    for (final EdgeCounter counter : EdgeCounter.values()) {
                        values.put(node + LiveCounters.nameOf(counter), edges.counts(port).get(counter));
                    }
                    final PortCounts ofPeer = seats.get(port).counts();
                    for (final PortCounter counter : LiveCounters.OF_PEERS) {
                        values.put(node + LiveCounters.nameOf(counter), ofPeer.get(counter));
                    }
                }
            }
            for (final PacketCounter counter : PacketCounter.values()) {
                if (of == ALL) {
                    values.put("fabric " + LiveCounters.nameOf(counter), edges.count(counter));
                }
            }
            return values;
        }
    }
}
