package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.nic.edge.PacketEdges;
import dev.skerry.nic.edge.PacketEdges.EdgeControl;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.generator.GeneratorPort;
import dev.skerry.tools.port.generator.GeneratorSettings;
import dev.skerry.tools.port.generator.PacketRate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Changes the ports of a running dataplane. Devices are opened and closed by the caller's thread; the thread of a port
 * only changes what it uses, between two slots. One change at a time.
 */
final class PortChanges {
    private static final long DRAIN_LOOK_MS = 2;
    /** Looks in a row that find nothing under way: one alone may have missed what moved meanwhile. */
    private static final int DRAIN_LOOKS = 3;

    private final LiveDesk.Setting setting;
    private final PacketEdges edges;
    private final EdgeControl control;

    PortChanges(final LiveDesk.Setting setting, final PacketEdges edges, final EdgeControl control) {
        this.setting = setting;
        this.edges = edges;
        this.control = control;
    }

    /** The ports, a line each. */
    String list() {
        final StringBuilder text = new StringBuilder();
        for (int port = 0; port < setting.seats().size(); port++) {
            final PortChoice choice = setting.seats().get(port).choice();
            final String state = setting.seats().get(port).isVacant() ? "empty" : edges.failure(port) != null
                || !setting.seats().get(port).failure().isEmpty() ? "failed"
                : !control.isServed(port) ? "drained" : edges.isUp(port) ? "up" : "down";
            text.append(String.format(Locale.ROOT, "%-5s %-8s %s%n", choice.place(), state, choice.shown()));
        }
        return text.toString();
    }

    /** Opens a port; returns warnings, a line each. */
    String add(final PortChoice choice) throws InterruptedException {
        final int port = place(choice.place());
        final PortSeat seat = setting.seats().get(port);
        if (!seat.isVacant()) {
            throw wrong(port, "node " + choice.place() + " has a port already", "remove it first");
        }
        final List<PortChoice> all = new ArrayList<>(setting.seats().stream().map(PortSeat::choice).toList());
        all.set(port, choice);
        final Map<Long, PortPlace> fixed = setting.forwarding().get(port).table() == null ? null : Map.of();
        final List<String> warnings = PortChecks.check(all, setting.nodes(), fixed, setting.mtu()).stream()
            .filter(warning -> warning.startsWith("port " + choice.place() + "=")).toList();
        final PacketPort opened = choice.open(setting.sockets());
        if (opened instanceof VacantPort) {
            throw wrong(port, "nothing is added by it", "give a port");
        }
        install(port, choice, opened);
        return Stream.concat(warnings.stream(), PortChecks.checkMtu(choice, opened, setting.mtu()).stream())
            .map(warning -> warning + "\n").collect(Collectors.joining());
    }

    /** Lets an open port serve at its place; closes it if the dataplane is ending. */
    void install(final int port, final PortChoice choice, final PacketPort opened) throws InterruptedException {
        try {
            inTurn(port, () -> {
                setting.seats().get(port).replace(choice, opened);
                control.revive(port);
            });
        } catch (final RuntimeException | InterruptedException e) {
            opened.discard();
            throw e;
        }
        control.serve(port, true);
    }

    /** Closes a port; its place stays. */
    String remove(final int port) throws InterruptedException {
        final PortSeat seat = setting.seats().get(port);
        control.serve(port, false);
        final PacketPort[] old = new PacketPort[1];
        final PortPlace place = seat.choice().place();
        inTurn(port, () -> {
            old[0] = seat.replace(new PortChoice(place, VacantPort.KIND), new VacantPort());
            control.revive(port);
        });
        old[0].close();
        for (int other = 0; other < setting.seats().size(); other++) {
            final MacTable table = setting.forwarding().get(other).table();
            if (table != null) {
                // A dataplane that is ending needs no addresses.
                control.inTurn(other, () -> table.forgetPort(port));
            }
        }
        return "";
    }

    /** Serves a port no longer, and waits until nothing of it is under way. */
    String drain(final int port, final double seconds) throws InterruptedException {
        control.serve(port, false);
        final long endNs = System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        final long[] left = new long[1];
        int empty = 0;
        while (empty < DRAIN_LOOKS) {
            inTurn(port, () -> left[0] = control.underWay(port));
            empty = left[0] == 0 ? empty + 1 : 0;
            if (empty < DRAIN_LOOKS) {
                if (left[0] > 0 && System.nanoTime() - endNs >= 0) {
                    throw wrong(port, left[0] + " cells and packets from or to it are still under way",
                        "drain again for longer, or remove the port");
                }
                TimeUnit.MILLISECONDS.sleep(DRAIN_LOOK_MS);
            }
        }
        return "";
    }

    /** Changes the rate of a generator to one as in its text. */
    String rate(final int port, final String text) throws InterruptedException {
        final GeneratorPort generator = generator(port);
        final PacketRate rate = GeneratorSettings.parse(GeneratorSettings.KIND + ":" + text,
            setting.seats().get(port).choice().node()).rate();
        inTurn(port, () -> generator.setRate(rate));
        return "";
    }

    /** The text of a generator has changed in its rate alone. */
    void rate(final int port, final PortChoice choice) throws InterruptedException {
        final GeneratorPort generator = generator(port);
        final PacketRate rate = choice.generator().rate();
        inTurn(port, () -> {
            generator.setRate(rate);
            setting.seats().get(port).rename(choice);
        });
    }

    private GeneratorPort generator(final int port) {
        if (setting.seats().get(port).port() instanceof final FinitePortGuard guard
            && guard.port() instanceof final GeneratorPort generator) {
            return generator;
        }
        throw wrong(port, "the port is no generator", "name the node of one");
    }

    /** Does something on the thread of a port, see {@link EdgeControl#inTurn}. */
    void inTurn(final int port, final Runnable work) throws InterruptedException {
        if (!control.inTurn(port, work)) {
            throw new IllegalStateException("skerry: ctl: the dataplane is ending: nothing has changed, start it "
                + "again");
        }
    }

    /** The number of the port at a place, which is not empty. */
    int taken(final PortPlace at) {
        final int port = place(at);
        if (setting.seats().get(port).isVacant()) {
            throw wrong(port, "node " + at + " has no port", "add one first");
        }
        return port;
    }

    /** The number of the port at a place, also where that is empty. */
    int place(final PortPlace at) {
        for (int port = 0; port < setting.seats().size(); port++) {
            if (setting.seats().get(port).choice().place().equals(at)) {
                return port;
            }
        }
        throw new InputException("ctl", "node " + at, "live keeps no place for a port there",
            "start it with --port " + at + "=none");
    }

    /** An order that the port at a place cannot carry out. */
    InputException wrong(final int port, final String why, final String advice) {
        return new InputException("ctl", "node " + setting.seats().get(port).choice().place(), why, advice);
    }
}
