package dev.skerry.tools.run;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.traffic.FaultReader;

import java.nio.file.Path;
import java.util.List;

/** The faults of a fabric for packets, from a script and from orders during the run. Not thread-safe. */
public final class FaultOrders {
    /** Value instead of a script file, for a run in which only orders cause faults. */
    private static final Path LATER = Path.of("none");

    private final RunOptions options;
    private final FabricChoice choice;
    private final Faults script;

    /** Reads the script, if there is one. */
    FaultOrders(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        this.options = options;
        this.choice = choice;
        this.script = options.faults == null ? Faults.NONE : of(options, choice, remarks).open();
    }

    /** Tells whether faults are possible. */
    public boolean areTaken() {
        return options.faults != null;
    }

    Faults script() {
        return script;
    }

    /** Returns the faults of a warm-up: components can fail, but none does. */
    Faults rehearsed() {
        return areTaken() ? new Faults(FaultPlan.NONE, options.seed).open() : Faults.NONE;
    }

    /**
     * Adds a fault or a repair.
     *
     * @param what event in the syntax of a fault script, without the slot.
     * @param slot slot, as for {@link Faults#addToRun}.
     * @throws InputException if the event is invalid, names a component that does not exist, or does not apply to its
     *     state.
     */
    public void fail(final String what, final long slot) {
        final Fault fault = FaultReader.readOne("ctl", slot + " " + what, choice.faulty());
        choice.checkFaults("ctl", List.of(fault));
        try {
            script.addToRun(fault);
        } catch (final IllegalArgumentException e) {
            throw new InputException("ctl", "fault " + what, "it " + e.getMessage().replaceFirst(":.*", ""),
                "let downs and ups take turns");
        }
    }

    /**
     * Returns the faults of the script; none if there is no script.
     *
     * @throws InputException if the script cannot be read, or names a component that does not exist.
     */
    static Faults of(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        if (options.faults == null) {
            return Faults.NONE;
        }
        if (options.faults.equals(LATER)) {
            return new Faults(FaultPlan.NONE, options.seed);
        }
        final FaultPlan script = FaultReader.read(options.faults, choice.faulty());
        choice.checkFaults(options.faults.toString(), script.faults());
        return new Faults(choice.played(script, remarks), options.seed);
    }
}
