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

/** The faults of a fabric that packets cross, from a script and from orders during the run. One thread at a time. */
public final class FaultOrders {
    /** Stands for a script: nothing fails before an order. */
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

    /** Tells whether something may fail. */
    public boolean areTaken() {
        return options.faults != null;
    }

    Faults script() {
        return script;
    }

    /** Returns the faults of a rehearsal: something may fail, but nothing does. */
    Faults rehearsed() {
        return areTaken() ? new Faults(FaultPlan.NONE, options.seed).open() : Faults.NONE;
    }

    /**
     * Adds a fault or a repair.
     *
     * @param what as in a script of faults, without the slot.
     * @param slot as for {@link Faults#addToRun}.
     * @throws InputException if it has none of the forms, names what does not exist, or does not follow from the state.
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
     * Returns the faults of a script; none without one.
     *
     * @throws InputException if the script cannot be read, or names what does not exist.
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
