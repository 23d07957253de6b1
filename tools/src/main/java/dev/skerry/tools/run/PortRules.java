package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.shale.Shale;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;

/** What a fabric cannot have that packets of ports cross. */
final class PortRules {
    private PortRules() {
    }

    /**
     * Refuses options that mean nothing to packets of ports.
     *
     * @throws InputException for the first such option.
     */
    static void refuse(final boolean isStardust, final StardustRunOptions stardust, final Path faults) {
        Choices.refuse("--low-latency", isStardust ? stardust.lowLatency : null, "packets of ports are one class",
            "leave it out");
        Choices.refuse("--give-up-ms", isStardust ? stardust.giveUpMs : null, "packets of ports wait for the port they "
            + "go to, as long as --stall-ms lets them", "leave it out");
        Choices.refuse("--faults", isStardust ? null : faults, "packets of ports cross faults of Stardust only",
            "leave it out or add --fabric stardust");
    }

    /**
     * Refuses mechanisms that need to know flows beforehand.
     *
     * @throws InputException if a fabric has one.
     */
    static void refuse(final Fabric fabric, final String cc) {
        MechanismChoice.refuseInstant(fabric);
        if (fabric instanceof final Shale shale && shale.mechanisms().order().readsFlows()) {
            throw new InputException("--cc", cc, "priority ranks cells by the length of their flow, which packets do "
                + "not tell", "leave priority out");
        }
        ReceiverDrivenOptions.refusePackets(fabric);
    }
}
