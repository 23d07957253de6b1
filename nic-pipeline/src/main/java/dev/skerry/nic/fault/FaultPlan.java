package dev.skerry.nic.fault;

import dev.skerry.schedule.check.Bounds;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All faults of a run, ordered by slot; faults of one slot keep the order given. Immutable; any thread may call.
 *
 * @param faults the faults.
 */
public record FaultPlan(List<Fault> faults) {
    /** A run without faults. */
    public static final FaultPlan NONE = new FaultPlan(List.of());

    /**
     * Sorts and checks the faults.
     *
     * @throws IllegalArgumentException if a slot is negative, a probability is not 0 to 1, or, as a
     *                                  {@link NoChangeException}, if a part that is down fails again or one that is up
     *                                  is repaired.
     */
    public FaultPlan {
        faults = faults.stream().sorted(Comparator.comparingLong(Fault::slot)).toList();
        final Map<Object, Boolean> up = new HashMap<>();
        for (final Fault fault : faults) {
            Bounds.refuseIf(fault.slot() < 0, "a fault's slot must be 0 or later: ", fault);
            switch (fault) {
                case Fault.Node node -> toggle(up, node.node(), node.up(), node);
                case Fault.Link link -> toggle(up, (long) link.from() << 32 | link.to(), link.up(), link);
                case Fault.Switch element -> toggle(up, "switch " + element.number(), element.up(), element);
                case Fault.HostPort port -> toggle(up, "port " + port.endpoint(), port.up(), port);
                case Fault.Corruption corruption -> requireProbability(corruption.probability(), fault);
                case Fault.LinkCorruption corruption -> requireProbability(corruption.probability(), fault);
                case Fault.Control control -> {
                    requireProbability(control.loss(), fault);
                    requireProbability(control.repeat(), fault);
                }
                case Fault.Clock clock -> { }
                case Fault.Rogue rogue -> { }
            }
        }
    }

    /** Whether there are no faults. */
    public boolean isEmpty() {
        return faults.isEmpty();
    }

    /** Thrown if a fault takes down a part that is down, or repairs a part that is up. */
    public static final class NoChangeException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;
        private final transient Fault fault;

        private NoChangeException(final Fault fault, final boolean isUp) {
            super((isUp ? "is up already: " : "is down already: ") + fault);
            this.fault = fault;
        }

        /** The fault without effect: the same object that the caller passed. */
        public Fault fault() {
            return fault;
        }
    }

    private static void requireProbability(final double probability, final Fault fault) {
        Bounds.refuseIf(!(probability >= 0 && probability <= 1), "a probability must be 0 to 1: ", fault);
    }

    private static void toggle(final Map<Object, Boolean> up, final Object what, final boolean goesUp,
        final Fault fault) {
        final boolean was = up.getOrDefault(what, true);
        if (was == goesUp) {
            throw new NoChangeException(fault, goesUp);
        }
        up.put(what, goesUp);
    }
}
