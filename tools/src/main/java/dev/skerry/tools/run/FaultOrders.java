package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.nio.file.Path;
import java.util.List;

/** What fails in a fabric that packets cross, by a script and as somebody orders. One thread at a time. */
public final class FaultOrders {
    /** In place of a script: nothing fails before somebody orders it. */
    private static final Path LATER = Path.of("none");

    private final RunOptions options;
    private final FabricChoice choice;
    private final Faults script;

    /** Reads the script; nothing fails without one. */
    FaultOrders(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        this.options = options;
        this.choice = choice;
        this.script = options.faults == null ? Faults.NONE : of(options, choice, remarks).open();
    }

    /** Whether something may fail. */
    public boolean areTaken() {
        return options.faults != null;
    }

    Faults script() {
        return script;
    }

    /** For a rehearsal: a fabric in which something may fail, and nothing does. */
    Faults rehearsed() {
        return areTaken() ? new Faults(FaultPlan.NONE, options.seed).open() : Faults.NONE;
    }

    /**
     * Something fails or is mended.
     *
     * @param what as in a script of faults, without the slot.
     * @param slot as for {@link Faults#tellRun}.
     * @throws InputException if it is none of the forms, names what is not there, or does not follow.
     */
    public void fail(final String what, final long slot) {
        final Fault fault = one(options, choice, slot + " " + what);
        try {
            script.tellRun(fault);
        } catch (final IllegalArgumentException e) {
            throw new InputException("ctl", "fault " + what, "it " + e.getMessage().replaceFirst(":.*", ""),
                "let downs and ups take turns");
        }
    }

    /**
     * The faults of a script; none without one.
     *
     * @throws InputException if the script cannot be read, or names what is not there.
     */
    static Faults of(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        final Fabric fabric = choice.fabric();
        if (options.faults == null) {
            return Faults.NONE;
        }
        if (options.faults.equals(LATER)) {
            return new Faults(FaultPlan.NONE, options.seed);
        }
        if (fabric instanceof final Shoal shoal) {
            final ShoalClocks clocks = new ShoalClocks(options, choice.wholeSlotNs());
            final FaultPlan script = FaultReader.read(options.faults, faulty(fabric), 0, new ClosChoice(options, shoal),
                clocks.window());
            return new Faults(clocks.played(script, shoal, choice.wholeSlotNs(), remarks), options.seed);
        }
        final FaultPlan script = FaultReader.read(options.faults, faulty(fabric),
            fabric instanceof Stardust ? fabric.nodes() : 0, SwitchNames.NONE, LaneChoice.window(options));
        if (fabric instanceof final Stardust stardust) {
            requireLinks(options.faults.toString(), stardust.clos(), script.faults());
        }
        return new Faults(script, options.seed);
    }

    /**
     * One change that somebody orders.
     *
     * @param line as in a script.
     * @throws InputException if it is none, or names what is not there.
     */
    private static Fault one(final RunOptions options, final FabricChoice choice, final String line) {
        final Fabric fabric = choice.fabric();
        final Fault fault = FaultReader.readOne("ctl", line, faulty(fabric), fabric instanceof Stardust
            ? fabric.nodes() : 0, fabric instanceof final Shoal shoal ? new ClosChoice(options, shoal)
            : SwitchNames.NONE);
        if (fabric instanceof final Stardust stardust) {
            requireLinks("ctl", stardust.clos(), List.of(fault));
        }
        return fault;
    }

    /** What a script of faults may name: nodes; for Stardust, devices. */
    private static Population faulty(final Fabric fabric) {
        return fabric instanceof Stardust stardust
            ? Population.complete(new Phased(1, stardust.clos().devices())) : fabric.population();
    }

    private static void requireLinks(final String where, final FoldedClos clos, final List<Fault> faults) {
        for (final Fault fault : faults) {
            if (fault instanceof final Fault.Link link) {
                requireLink(where, clos, link.from(), link.to());
            } else if (fault instanceof final Fault.LinkCorruption link) {
                requireLink(where, clos, link.from(), link.to());
            }
        }
    }

    private static void requireLink(final String where, final FoldedClos clos, final int from, final int to) {
        for (int port = clos.firstPort(from); port < clos.firstPort(from + 1); port++) {
            if (clos.peer(port) != FoldedClos.NONE && clos.deviceOf(clos.peer(port)) == to) {
                return;
            }
        }
        final int peer = clos.peer(clos.firstPort(from));
        throw new InputException("faults", where, "no link leads from device " + from + " to "
            + to, "give two devices that a link joins, for example " + from + " and "
            + clos.deviceOf(peer == FoldedClos.NONE ? clos.firstPort(from) : peer));
    }
}
