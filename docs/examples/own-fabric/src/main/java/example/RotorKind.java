package example;

import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.CircuitChoice;
import dev.skerry.spi.FabricChoice;
import dev.skerry.spi.FabricKind;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.report.RunResult.Guarantee;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** A fabric that no class of the tools knows: a cell waits until the circuit to its destination comes. */
public final class RotorKind implements FabricKind {
    static final class RotorOptions {
        @Option(names = "--rotor-rest", paramLabel = "K", description = "Rotor: nobody sends in every K-th slot.")
        Integer rest;
    }

    @Override
    public String name() {
        return "rotor";
    }

    @Override
    public List<OptionGroup> options() {
        return List.of(new OptionGroup("Rotor", new RotorOptions(), true));
    }

    @Override
    public Set<String> shared() {
        return Set.of();
    }

    @Override
    public FabricChoice choose(final RunOptions options) {
        return new RotorChoice(this, options);
    }

    @Override
    public void setForPackets(final RunOptions options, final boolean onThreads) {
        options.nodes = options.nodes == 0 ? 4 : options.nodes;
        options.propagationSlots = options.propagationSlots == null ? Integer.valueOf(1) : options.propagationSlots;
    }

    @Override
    public FabricParts parts(final CircuitFabric fabric) {
        return fabric instanceof final Rotor rotor ? new Rotor.Parts(rotor) : null;
    }

    private static final class RotorChoice extends CircuitChoice {
        private static final double SLOT_NS = 5;
        private static final double PROPAGATION_NS = 100;
        private static final int MOST_SLOTS = 1000;
        private static final int CELL_BYTES = 256;
        private static final int HEADER_BYTES = 8;

        private final Configuration configuration;

        RotorChoice(final FabricKind kind, final RunOptions options) {
            super(kind, options);
            // Whatever is typed wrong is said in one line, with the option, and ends with code 2.
            Choices.inRange("--nodes", options.nodes, 2, 4096);
            final int rest = Choices.inRange("--rotor-rest", options.own.of(RotorOptions.class).rest, 2,
                Integer.MAX_VALUE, Integer.MAX_VALUE);
            Choices.refuse("--faults", options.faults, "a rotor cannot fail", "leave it out");
            final double slotNs = slotNs(options, SLOT_NS);
            final Rotor rotor = new Rotor(new Phased(1, options.nodes),
                propagationSlots(options, slotNs, 1, PROPAGATION_NS, MOST_SLOTS), rest);
            final double rate = 1.0 / (options.nodes - 1);
            configuration = new Configuration(rotor, format(CELL_BYTES, HEADER_BYTES), slotNs, options.nodes - 1, rate,
                new Guarantee("1/(N - 1)", rate),
                rest == Integer.MAX_VALUE ? Map.of() : Map.of("rotor-rest", Integer.toString(rest)),
                List.of());
        }

        @Override
        protected Configuration configuration() {
            return configuration;
        }

        @Override
        protected FabricParts parts(final boolean byLink) {
            return new Rotor.Parts((Rotor) fabric());
        }

        @Override
        public Wiring wiring() {
            return PhaseGroupSwitches.wiring(((Rotor) fabric()).schedule());
        }

        @Override
        public int switches() {
            return wiring().switches();
        }

        @Override
        public void refusePackets(final int classes) {
        }
    }
}
