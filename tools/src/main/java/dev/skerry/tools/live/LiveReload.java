package dev.skerry.tools.live;

import dev.skerry.dataplane.port.PacketPort;
import dev.skerry.tools.ctl.Order;
import dev.skerry.tools.ctl.PortPlace;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.port.generator.GeneratorSettings;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Brings a running dataplane to settings that were read again: ports come and go, generators change their rates, the
 * map and fixed addresses change. All is checked and every new port is open before anything changes. One change at a
 * time.
 */
final class LiveReload {
    private final LiveDesk.Setting setting;
    private final PortChanges ports;
    private final LiveDesk desk;
    private Rules rules;

    /**
     * What settings say of ports and forwarding.
     *
     * @param choices ports, at least two.
     * @param map     by port, where its packets go; null: by address.
     * @param fixed   by address, its port.
     */
    record Rules(List<PortChoice> choices, Map<PortPlace, PortPlace> map,
        Map<Long, PortPlace> fixed) {
    }

    /** The rules that were read at the start. */
    LiveReload(final LiveDesk.Setting setting, final PortChanges ports, final LiveDesk desk) {
        this.setting = setting;
        this.ports = ports;
        this.desk = desk;
        this.rules = setting.settings().rules();
    }

    /**
     * Goes over to new rules.
     *
     * @return what has changed, a line each.
     * @throws InputException if it cannot be done; then nothing has changed.
     */
    String change(final Rules to) throws InterruptedException {
        if ((to.map() == null) != (rules.map() == null)) {
            throw new InputException("reload", "--map", "a map cannot come while it runs where packets go by address, "
                + "nor go", "start live again, nothing has changed");
        }
        final Map<Integer, PortChoice> wanted = wanted(to);
        PortChecks.check(to.choices(), setting.nodes(), to.map() != null ? null : to.fixed(), setting.mtu());
        final Map<Integer, PacketPort> opened = open(wanted);
        final List<String> told = new ArrayList<>();
        for (int port = 0; port < setting.seats().size(); port++) {
            change(port, wanted.get(port), opened.get(port), told);
        }
        forward(to, told);
        rules = to;
        return told.isEmpty() ? "nothing has changed\n" : String.join("\n", told) + "\n";
    }

    /** By place, the port that is to be there; null for an empty one. */
    private Map<Integer, PortChoice> wanted(final Rules to) {
        final Map<Integer, PortChoice> wanted = new HashMap<>();
        for (final PortChoice choice : to.choices()) {
            final int port = ports.place(choice.place());
            if (!choice.text().equals(VacantPort.KIND)) {
                wanted.put(port, choice);
            }
        }
        return wanted;
    }

    /** Opens the ports that are new; all or none. */
    private Map<Integer, PacketPort> open(final Map<Integer, PortChoice> wanted) {
        final Map<Integer, PacketPort> opened = new HashMap<>();
        try {
            wanted.forEach((port, choice) -> {
                final PortChoice now = setting.seats().get(port).choice();
                if (!choice.equals(now) && !differsInRate(now, choice)) {
                    opened.put(port, choice.open(setting.sockets()));
                }
            });
        } catch (final RuntimeException e) {
            opened.values().forEach(PacketPort::discard);
            throw e;
        }
        return opened;
    }

    private void change(final int port, final PortChoice wanted, final PacketPort opened, final List<String> told)
        throws InterruptedException {
        final PortSeat seat = setting.seats().get(port);
        final PortChoice now = seat.choice();
        if (wanted != null && opened == null) {
            if (!wanted.equals(now)) {
                ports.rate(port, wanted);
                told.add("port " + wanted.place() + ": rate of " + wanted.shown());
            }
            return;
        }
        if (!seat.isVacant()) {
            ports.remove(port);
            told.add("port " + now.place() + ": removed " + now.shown());
        }
        if (wanted != null) {
            ports.install(port, wanted, opened);
            told.add("port " + wanted.place() + ": added " + wanted.shown());
        }
    }

    /** Whether two texts are of generators that are alike but for their rates. */
    private static boolean differsInRate(final PortChoice now, final PortChoice then) {
        if (!GeneratorSettings.isOne(now.text()) || !GeneratorSettings.isOne(then.text())) {
            return false;
        }
        final GeneratorSettings one = now.generator();
        final GeneratorSettings other = then.generator();
        return other.equals(new GeneratorSettings(one.sizes(), other.rate(), one.headers(), one.burst(), one.same(),
            one.count(), one.afterNs(), one.seed(), one.id()));
    }

    private void forward(final Rules to, final List<String> told) throws InterruptedException {
        final Map<PortPlace, PortPlace> moved = new LinkedHashMap<>();
        for (final PortSeat seat : setting.seats()) {
            final PortPlace place = seat.choice().place();
            if (to.map() != null && !Objects.equals(to.map().get(place), rules.map().get(place))) {
                moved.put(place, to.map().get(place));
                told.add("map " + place + ":" + Objects.toString(to.map().get(place), "nowhere"));
            }
        }
        desk.send(moved);
        for (final Map.Entry<Long, PortPlace> one : rules.fixed().entrySet()) {
            if (!to.fixed().containsKey(one.getKey())) {
                desk.carryOut(new Order.Address(one.getKey(), Order.Address.FORGET));
                told.add(String.format("address %012x forgotten", one.getKey()));
            }
        }
        for (final Map.Entry<Long, PortPlace> one : to.fixed().entrySet()) {
            if (!one.getValue().equals(rules.fixed().get(one.getKey()))) {
                desk.carryOut(new Order.Address(one.getKey(), one.getValue()));
                told.add(String.format("address %012x at node %s", one.getKey(), one.getValue()));
            }
        }
    }
}
