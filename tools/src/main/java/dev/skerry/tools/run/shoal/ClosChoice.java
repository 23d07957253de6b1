package dev.skerry.tools.run.shoal;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Clos.SpineRule;
import dev.skerry.schedule.SwitchWays;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.util.HashMap;
import java.util.Map;

/** The Clos of a Shoal fabric from the options of a run, made when it is asked for. One thread. */
final class ClosChoice implements SwitchNames {
    private static final int USUAL_PORTS = 64;
    private static final int LEAST_PORTS = 4;
    private static final String LEAF = "leaf";
    private static final String SPINE = "spine";

    private final Shoal shoal;
    private final int ports;
    /** How cells take spines; null if nothing was typed. */
    private final SpineRule spines;
    private final Map<Integer, long[]> ways = new HashMap<>();
    private Clos clos;

    ClosChoice(final RunOptions options, final Shoal shoal) {
        this.shoal = shoal;
        final ClosOptions own = options.own.of(ClosOptions.class);
        this.ports = own.ports != null ? own.ports : usualPorts(shoal.nodes());
        this.spines = Choices.of("--clos-spines", own.spines, null, SpineRule.values());
    }

    /** 64 ports, or for a small fabric the fewest that reach all its nodes and fill every leaf. */
    private static int usualPorts(final int nodes) {
        for (int ports = LEAST_PORTS; ports < USUAL_PORTS; ports += 2) {
            if (nodes < USUAL_PORTS && ports * ports / 2 >= nodes && nodes % (ports / 2) == 0) {
                return ports;
            }
        }
        return USUAL_PORTS;
    }

    /** Ports of a switch. */
    int ports() {
        return ports;
    }

    /**
     * The Clos.
     *
     * @throws InputException if there is none with that number of ports.
     */
    Clos clos() {
        try {
            clos = clos != null ? clos : spines == null ? Clos.of(shoal.schedule(), ports)
                : new Clos(shoal.schedule(), ports, spines);
            return clos;
        } catch (final IllegalArgumentException e) {
            throw new InputException("--clos-ports", Integer.toString(ports), e.getMessage(),
                "choose an even number whose square is at least twice the nodes");
        }
    }

    @Override
    public int count(final String kind) {
        return switch (kind) {
            case LEAF -> shoal.channels() * clos().leaves();
            case SPINE -> shoal.channels() * clos().spineSwitches();
            default -> clos().wiring().switches();
        };
    }

    @Override
    public Fault.Switch fault(final long slot, final String kind, final int number, final boolean up) {
        final int leaves = clos().leaves();
        final int spines = clos().spineSwitches();
        final int index = switch (kind) {
            case LEAF -> clos().leafSwitch(number / leaves, number % leaves);
            case SPINE -> clos().leafSwitch(number / spines, leaves + number % spines);
            default -> number;
        };
        return new Fault.Switch(slot, index, up,
            ways.computeIfAbsent(index, through -> SwitchWays.through(clos().wiring(), through)));
    }
}
