package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.EdgePort.PortForwarding;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeControl;
import dev.skerry.nic.packet.PacketCounter;
import dev.skerry.tools.ctl.ControlSocket.OrderDispatcher;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.HangUpSignal;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.SettingsFile;
import dev.skerry.tools.live.MacForwarding.MacTable;
import dev.skerry.tools.live.PortChoice.PortChecks;
import dev.skerry.tools.live.PortSlot.PacketTap;
import dev.skerry.tools.live.PortSlot.VacantPort;
import dev.skerry.tools.port.GeneratorPort;
import dev.skerry.tools.port.GeneratorSettings;
import dev.skerry.tools.port.GeneratorSettings.PacketRate;
import dev.skerry.tools.port.LivePort;
import dev.skerry.tools.port.MemifPort.MemifSockets;
import dev.skerry.tools.port.PortPlace;
import dev.skerry.tools.run.FabricOptions;
import dev.skerry.tools.run.FaultOrders;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Executes control orders on a running dataplane. The thread of the caller does everything that takes time, such as
 * opening a device; the thread of a port only switches to the result, between two slots. One order is executed at a
 * time.
 */
final class LiveDispatcher implements OrderDispatcher {
    private static final int ALL_PORTS = -1;
    private static final long DRAIN_LOOK_MS = 2;
    /** Consecutive checks that must find nothing in flight; a single check can miss packets that move while it runs. */
    private static final int DRAIN_LOOKS = 3;

    private final Setting setting;
    private final List<PortSlot> portSlots;
    private final PacketEdges edges;
    private final EdgeControl control;
    /** Value of each counter at the last reset. */
    private final Map<String, Long> before = new LinkedHashMap<>();
    private Rules rules;

    /**
     * The part of a dataplane that does not change while it runs.
     *
     * @param portSlots  the ports.
     * @param forwarding forwarding of each port.
     * @param sockets    sockets on which memif ports listen.
     * @param fabric     options of the fabric.
     * @param settings   settings as they were typed.
     * @param nodes      number of nodes.
     * @param mtu        value of {@code --mtu}.
     */
    record Setting(List<PortSlot> portSlots, List<MacForwarding> forwarding, MemifSockets sockets, FabricOptions fabric,
        LiveSettings settings, int nodes, int mtu) {
    }

    /**
     * Ports and forwarding as selected by settings.
     *
     * @param choices ports, at least two.
     * @param map     destination of the packets of each port; null to forward by address.
     * @param fixed   port of each MAC address in {@code --mac-table}.
     */
    record Rules(List<PortChoice> choices, Map<PortPlace, PortPlace> map,
        Map<Long, PortPlace> fixed) {
    }

    /** Creates a dispatcher for a fabric that has been built. */
    LiveDispatcher(final Setting setting, final PacketEdges edges, final EdgeControl control) {
        this.setting = setting;
        this.portSlots = setting.portSlots();
        this.edges = edges;
        this.control = control;
        this.rules = setting.settings().rules();
    }

    @Override
    public synchronized String carryOut(final Order order) throws InterruptedException {
        return switch (order) {
            case final Order.Ports all -> ports();
            case final Order.Add add -> add(PortChoice.parse(add.text(), setting.nodes()));
            case final Order.Remove remove -> remove(taken(remove.place()));
            case final Order.Drain drain -> drain(taken(drain.place()), drain.seconds());
            case final Order.Resume resume -> {
                control.serve(taken(resume.place()), true);
                yield "";
            }
            case final Order.Route route -> route(route.to());
            case final Order.Address address -> address(address);
            case final Order.Rate rate -> rate(taken(rate.place()), rate.text());
            case final Order.Fail fail -> fail(fail.text());
            case final Order.Untap untap -> untap(place(untap.place()));
            case final Order.Counters read -> counters(read.place().equals(Order.Counters.ALL) ? ALL_PORTS
                : place(read.place()));
            case final Order.Reload again -> change(setting.settings().read());
            case final Order.Reset reset -> {
                before.putAll(read(ALL_PORTS));
                yield "";
            }
            case final Order.Tap tap -> throw new IllegalArgumentException("a tap is a capture: " + tap);
        };
    }

    @Override
    public synchronized Capture capture(final Order.Tap order) {
        final int port = place(order.place());
        final PortSlot portSlot = portSlots.get(port);
        // The reader waits until the port's thread has finished a slot; it does not wait if the dataplane has ended.
        final PacketTap tap = new PacketTap(order, portSlot, () -> control.inTurn(port, () -> { }));
        if (!portSlot.begin(tap)) {
            tap.close();
            throw new InputException("ctl", "tap " + order.place(), "the port already has a tap",
                "end it with untap " + order.place());
        }
        return tap;
    }

    private String untap(final int port) {
        final PacketTap tap = portSlots.get(port).tap();
        refuseIf(tap == null, port, "the port has no tap", "begin one with tap");
        tap.end();
        return "";
    }

    private String route(final Map<PortPlace, PortPlace> to) throws InterruptedException {
        // Check all pairs before changing anything.
        for (final Map.Entry<PortPlace, PortPlace> one : to.entrySet()) {
            final int from = place(one.getKey());
            if (one.getValue().equals(Order.Route.BY_ADDRESS)) {
                refuseIf(setting.forwarding().get(from).table() == null, from,
                    "live was started with --map and does not use addresses", "give a node");
            } else {
                place(one.getValue());
            }
        }
        send(to);
        return "";
    }

    /** Changes the destination of ports: another port, by address, or none where the value is null. */
    private void send(final Map<PortPlace, PortPlace> to) throws InterruptedException {
        for (final Map.Entry<PortPlace, PortPlace> one : to.entrySet()) {
            final int from = place(one.getKey());
            final PortPlace place = one.getValue();
            final int target = place == null ? PortForwarding.NOWHERE
                : place.equals(Order.Route.BY_ADDRESS) ? MacForwarding.BY_ADDRESS : place(place);
            inTurn(from, () -> setting.forwarding().get(from).send(target));
        }
    }

    private String address(final Order.Address order) throws InterruptedException {
        final boolean isForgotten = order.place().equals(Order.Address.FORGET);
        final int at = isForgotten ? PortForwarding.NOWHERE : place(order.place());
        Choices.refuseIf(setting.forwarding().getFirst().table() == null, "ctl", "mac",
            "live was started with --map and does not use addresses", "change the map");
        final boolean[] has = new boolean[1];
        for (int port = 0; port < portSlots.size(); port++) {
            final MacTable table = setting.forwarding().get(port).table();
            inTurn(port, () -> {
                table.forget(order.mac());
                has[0] = isForgotten || table.fix(order.mac(), at);
            });
            Choices.refuseIf(!has[0], "ctl", "mac", "too many fixed addresses belong to the same set of the table",
                "forget some of them");
        }
        return "";
    }

    private String fail(final String what) {
        final FaultOrders orders = setting.fabric().faults();
        Choices.refuseIf(!orders.areTaken(), "ctl", "fault " + what, "live was started without --faults",
            "start it with --faults none, or with a script");
        final long[] at = new long[1];
        control.beforeSlot(slot -> {
            orders.fail(what, slot);
            at[0] = slot;
        });
        return "slot " + at[0] + "\n";
    }

    /** Returns the counters of one port, or of all, that are not 0, one per line. */
    private String counters(final int port) {
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
        for (int port = 0; port < portSlots.size(); port++) {
            if (of == ALL_PORTS || of == port) {
                final String node = "port " + portSlots.get(port).choice().place() + " ";
                LiveCounters.forEach(edges, port, (name, value) -> values.put(node + name, value));
            }
        }
        for (final PacketCounter counter : PacketCounter.values()) {
            if (of == ALL_PORTS) {
                values.put("fabric " + LiveCounters.nameOf(counter), edges.count(counter));
            }
        }
        return values;
    }

    /** Returns the ports, one per line. */
    private String ports() {
        final StringBuilder text = new StringBuilder();
        for (int port = 0; port < portSlots.size(); port++) {
            final PortChoice choice = portSlots.get(port).choice();
            final String state = portSlots.get(port).isVacant() ? "empty" : edges.failure(port) != null
                || !portSlots.get(port).failure().isEmpty() ? "failed"
                : !control.isServed(port) ? "drained" : edges.isUp(port) ? "up" : "down";
            text.append(String.format(Locale.ROOT, "%-5s %-8s %s%n", choice.place(), state, choice.shown()));
        }
        return text.toString();
    }

    /** Opens a port; returns warnings, one per line. */
    private String add(final PortChoice choice) throws InterruptedException {
        final int port = place(choice.place());
        final PortSlot portSlot = portSlots.get(port);
        refuseIf(!portSlot.isVacant(), port, "node " + choice.place() + " already has a port", "remove it first");
        final List<PortChoice> all = new ArrayList<>(portSlots.stream().map(PortSlot::choice).toList());
        all.set(port, choice);
        final Map<Long, PortPlace> fixed = setting.forwarding().get(port).table() == null ? null : Map.of();
        final List<String> warnings = PortChecks.check(all, setting.nodes(), fixed, setting.mtu()).stream()
            .filter(warning -> warning.startsWith("port " + choice.place() + "=")).toList();
        final LivePort opened = open(choice, List.of());
        refuseIf(opened instanceof VacantPort, port, "it adds nothing", "give a port");
        install(port, choice, opened);
        return Stream.concat(warnings.stream(), PortChecks.checkMtu(choice, opened, setting.mtu()).stream())
            .map(warning -> warning + "\n").collect(Collectors.joining());
    }

    /** Installs an open port at its place; closes it if the dataplane is ending. */
    private void install(final int port, final PortChoice choice, final LivePort opened) throws InterruptedException {
        try {
            inTurn(port, () -> {
                portSlots.get(port).replace(choice, opened);
                control.revive(port);
            });
        } catch (final RuntimeException | InterruptedException e) {
            opened.discard();
            throw e;
        }
        control.serve(port, true);
    }

    /**
     * Opens a port. A generator that continues the flows of an earlier one gets its id. Any other gets an unused id if
     * its own was used before, so that receivers can distinguish the flows.
     */
    private LivePort open(final PortChoice choice, final Collection<LivePort> others) {
        final LivePort opened = choice.open(setting.sockets());
        if (!(opened instanceof final GeneratorPort generator)) {
            return opened;
        }
        final GeneratorSettings settings = generator.settings();
        final Set<Integer> used = Stream.concat(portSlots.stream().flatMap(slot -> slot.generators().stream()),
            others.stream()).filter(GeneratorPort.class::isInstance).map(other -> ((GeneratorPort) other).id())
            .collect(Collectors.toSet());
        final int id = portSlots.get(place(choice.place())).generators().stream()
            .filter(other -> settings.continues(other.settings())).mapToInt(GeneratorPort::id).findFirst()
            .orElseGet(() -> IntStream.concat(IntStream.of(settings.id()), IntStream.iterate(GeneratorSettings.MAX_ID,
                free -> free - 1)).filter(free -> !used.contains(free)).findFirst().orElseThrow());
        generator.close();
        return GeneratorPort.open(settings, id);
    }

    /** Closes a port; its place becomes vacant. */
    private String remove(final int port) throws InterruptedException {
        final PortSlot portSlot = portSlots.get(port);
        control.serve(port, false);
        final LivePort[] old = new LivePort[1];
        final PortPlace place = portSlot.choice().place();
        inTurn(port, () -> {
            old[0] = portSlot.replace(new PortChoice(place, VacantPort.KIND), new VacantPort());
            control.revive(port);
        });
        old[0].close();
        for (int other = 0; other < portSlots.size(); other++) {
            final MacTable table = setting.forwarding().get(other).table();
            if (table != null) {
                // If the dataplane is ending, addresses need not be removed.
                control.inTurn(other, () -> table.forgetPort(port));
            }
        }
        return "";
    }

    /** Stops serving a port and waits until none of its packets and cells are in flight. */
    private String drain(final int port, final double seconds) throws InterruptedException {
        control.serve(port, false);
        final long endNs = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        final long[] left = new long[1];
        int empty = 0;
        while (empty < DRAIN_LOOKS) {
            inTurn(port, () -> left[0] = control.underWay(port));
            empty = left[0] == 0 ? empty + 1 : 0;
            if (empty < DRAIN_LOOKS) {
                refuseIf(left[0] > 0 && System.nanoTime() - endNs >= 0, port, left[0]
                    + " cells and packets from or to it are still in flight",
                    "drain again for longer, or remove the port");
                TimeUnit.MILLISECONDS.sleep(DRAIN_LOOK_MS);
            }
        }
        return "";
    }

    /** Changes the rate of a generator. */
    private String rate(final int port, final String text) throws InterruptedException {
        final GeneratorPort generator = generator(port);
        final PacketRate rate = GeneratorSettings.parse(GeneratorSettings.KIND + ":" + text,
            portSlots.get(port).choice().node()).rate();
        inTurn(port, () -> generator.setRate(rate));
        return "";
    }

    /** Applies a port text that differs from the present one only in the rate of the generator. */
    private void rate(final int port, final PortChoice choice) throws InterruptedException {
        final GeneratorPort generator = generator(port);
        final PacketRate rate = choice.generator().rate();
        inTurn(port, () -> {
            generator.setRate(rate);
            portSlots.get(port).rename(choice);
        });
    }

    private GeneratorPort generator(final int port) {
        final LivePort present = portSlots.get(port).port();
        refuseIf(!(present instanceof GeneratorPort), port, "the port is not a generator", "name the node of one");
        return (GeneratorPort) present;
    }

    /** Runs work on the thread of a port; see {@link EdgeControl#inTurn}. */
    private void inTurn(final int port, final Runnable work) throws InterruptedException {
        if (!control.inTurn(port, work)) {
            throw new IllegalStateException("skerry: ctl: the dataplane is ending, so nothing has changed, start it "
                + "again");
        }
    }

    /** Returns the index of the port at a place, which must not be vacant. */
    private int taken(final PortPlace at) {
        final int port = place(at);
        refuseIf(portSlots.get(port).isVacant(), port, "node " + at + " has no port", "add one first");
        return port;
    }

    /** Returns the index of the port at a place, which may be vacant. */
    private int place(final PortPlace at) {
        for (int port = 0; port < portSlots.size(); port++) {
            if (portSlots.get(port).choice().place().equals(at)) {
                return port;
            }
        }
        throw new InputException("ctl", "node " + at, "live has no empty port slot there",
            "start it with --port " + at + "=none");
    }

    /** Refuses an order that a port cannot carry out. */
    private void refuseIf(final boolean wrong, final int port, final String why, final String advice) {
        Choices.refuseIf(wrong, "ctl", "node " + portSlots.get(port).choice().place(), why, advice);
    }

    /**
     * Switches to new rules.
     *
     * @return the changes, one per line.
     * @throws InputException if a change is not possible; then nothing has changed.
     */
    private String change(final Rules to) throws InterruptedException {
        Choices.refuseIf((to.map() == null) != (rules.map() == null), "reload", "--map",
            "forwarding cannot change between --map and MAC addresses while live runs",
            "start live again, nothing has changed");
        final Map<Integer, PortChoice> wanted = wanted(to);
        PortChecks.check(to.choices(), setting.nodes(), to.map() != null ? null : to.fixed(), setting.mtu());
        final Map<Integer, LivePort> opened = open(wanted);
        final List<String> changes = new ArrayList<>();
        for (int port = 0; port < portSlots.size(); port++) {
            change(port, wanted.get(port), opened.get(port), changes);
        }
        forward(to, changes);
        rules = to;
        return changes.isEmpty() ? "nothing has changed\n" : String.join("\n", changes) + "\n";
    }

    /** Returns the ports of new rules by index, without vacant ones. */
    private Map<Integer, PortChoice> wanted(final Rules to) {
        final Map<Integer, PortChoice> wanted = new HashMap<>();
        for (final PortChoice choice : to.choices()) {
            final int port = place(choice.place());
            if (!choice.text().equals(VacantPort.KIND)) {
                wanted.put(port, choice);
            }
        }
        return wanted;
    }

    /** Opens the new ports, either all or none of them. */
    private Map<Integer, LivePort> open(final Map<Integer, PortChoice> wanted) {
        final Map<Integer, LivePort> opened = new HashMap<>();
        try {
            wanted.forEach((port, choice) -> {
                final PortChoice now = portSlots.get(port).choice();
                if (!choice.equals(now) && !differsInRate(now, choice)) {
                    opened.put(port, open(choice, opened.values()));
                }
            });
        } catch (final RuntimeException e) {
            opened.values().forEach(PacketPort::discard);
            throw e;
        }
        return opened;
    }

    private void change(final int port, final PortChoice wanted, final LivePort opened, final List<String> changes)
        throws InterruptedException {
        final PortSlot portSlot = portSlots.get(port);
        final PortChoice now = portSlot.choice();
        if (wanted != null && opened == null) {
            if (!wanted.equals(now)) {
                rate(port, wanted);
                changes.add("port " + wanted.place() + ": rate of " + wanted.shown());
            }
            return;
        }
        if (!portSlot.isVacant()) {
            remove(port);
            changes.add("port " + now.place() + ": removed " + now.shown());
        }
        if (wanted != null) {
            install(port, wanted, opened);
            changes.add("port " + wanted.place() + ": added " + wanted.shown());
        }
    }

    /** Tells whether two texts describe generators that differ at most in their rates. */
    private static boolean differsInRate(final PortChoice now, final PortChoice then) {
        if (!now.is(GeneratorSettings.KIND) || !then.is(GeneratorSettings.KIND)) {
            return false;
        }
        final GeneratorSettings one = now.generator();
        final GeneratorSettings other = then.generator();
        return other.equals(new GeneratorSettings(one.sizes(), other.rate(), one.headers(), one.burst(), one.same(),
            one.count(), one.afterNs(), one.seed(), one.id()));
    }

    private void forward(final Rules to, final List<String> changes) throws InterruptedException {
        final Map<PortPlace, PortPlace> moved = new LinkedHashMap<>();
        for (final PortSlot portSlot : portSlots) {
            final PortPlace place = portSlot.choice().place();
            if (to.map() != null && !Objects.equals(to.map().get(place), rules.map().get(place))) {
                moved.put(place, to.map().get(place));
                changes.add("map " + place + ":" + Objects.toString(to.map().get(place), "nowhere"));
            }
        }
        send(moved);
        for (final Map.Entry<Long, PortPlace> one : rules.fixed().entrySet()) {
            if (!to.fixed().containsKey(one.getKey())) {
                carryOut(new Order.Address(one.getKey(), Order.Address.FORGET));
                changes.add(String.format("address %012x forgotten", one.getKey()));
            }
        }
        for (final Map.Entry<Long, PortPlace> one : to.fixed().entrySet()) {
            if (!one.getValue().equals(rules.fixed().get(one.getKey()))) {
                carryOut(new Order.Address(one.getKey(), one.getValue()));
                changes.add(String.format("address %012x at node %s", one.getKey(), one.getValue()));
            }
        }
    }

    /**
     * The settings of a dataplane, which can be reloaded while it runs: the command line as it was typed, with the
     * current contents of option files ({@code @FILE}) and tables. Not thread-safe.
     *
     * @param typed the words of the command line, including the name of the command.
     * @param spec  the options as they were parsed at the start.
     * @param rules ports and forwarding at the start.
     */
    record LiveSettings(String[] typed, CommandSpec spec, Rules rules) {
        private static final String UNCHANGED = "nothing has changed";

        /** Options that may change while a dataplane runs. */
        private static final Set<String> CHANGEABLE = Set.of("--port", "--map", "--mac-table");

        /**
         * Reloads the settings.
         *
         * @throws InputException if they are invalid, or an option has changed that cannot change while a dataplane
         *     runs.
         */
        Rules read() {
            final String[] words = SettingsFile.expand(typed);
            final int name = Arrays.asList(words).indexOf(spec.name());
            final LiveCommand reloaded = new LiveCommand(typed);
            final CommandLine line = new CommandLine(reloaded).setExpandAtFiles(false)
                .setCaseInsensitiveEnumValuesAllowed(true);
            try {
                line.parseArgs(Arrays.copyOfRange(words, name + 1, words.length));
            } catch (final ParameterException e) {
                throw new InputException("reload", "settings", e.getMessage().lines().findFirst().orElse(""),
                    UNCHANGED);
            }
            for (final OptionSpec option : spec.options()) {
                // Options that all commands share are not parsed again.
                final OptionSpec again = line.getCommandSpec().findOption(option.longestName());
                final List<String> now = again == null ? option.originalStringValues() : again.originalStringValues();
                Choices.refuseIf(!CHANGEABLE.contains(option.longestName())
                    && !option.originalStringValues().equals(now), "reload", option.longestName(),
                    "it cannot change while a dataplane runs", "start live again; nothing has changed");
            }
            return reloaded.rules();
        }

        /**
         * Reloads settings that are in a file at each SIGHUP and prints the result. The caller closes the returned
         * handler.
         */
        HangUpSignal listen(final LiveDispatcher orders, final PrintWriter err) {
            return Arrays.stream(typed).noneMatch(SettingsFile::isOne) ? null : HangUpSignal.listen(() -> {
                String result;
                try {
                    result = "skerry: live: reload: " + orders.carryOut(new Order.Reload()).strip().replace("\n", "; ");
                } catch (final InputException | IllegalStateException e) {
                    result = e.getMessage() + (e.getMessage().contains(UNCHANGED) ? "" : "; " + UNCHANGED);
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    result = "skerry: live: reload: it was interrupted";
                }
                err.println(result);
                err.flush();
            });
        }
    }
}
