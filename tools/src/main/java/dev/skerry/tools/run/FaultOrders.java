package dev.skerry.tools.run;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.tools.input.InputException;

import java.util.List;

/** What fails in a fabric that packets cross, by a script and as somebody orders. One thread at a time. */
public final class FaultOrders {
    private final RunOptions options;
    private final FabricChoice choice;
    private final Faults script;

    /** Reads the script; nothing fails without one. */
    FaultOrders(final RunOptions options, final FabricChoice choice, final List<String> remarks) {
        this.options = options;
        this.choice = choice;
        this.script = options.faults == null ? Faults.NONE : FaultChoice.of(options, choice, remarks).open();
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
        final Fault fault = FaultChoice.one(options, choice, slot + " " + what);
        try {
            script.tellRun(fault);
        } catch (final IllegalArgumentException e) {
            throw new InputException("ctl", "fault " + what, "it " + e.getMessage().replaceFirst(":.*", ""),
                "let downs and ups take turns");
        }
    }
}
