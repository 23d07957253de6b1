package dev.skerry.tools.run;

import dev.skerry.nic.fabric.Fabric;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;

import java.nio.file.Path;

/** What a fabric cannot have that packets of ports cross. */
final class PortRules {
    /** Cells of Shoal are known to be lost when they have not come for long, a time that grows with N squared. */
    private static final int MOST_SHOAL = 64;

    private PortRules() {
    }

    /**
     * Refuses options that mean nothing to packets of ports.
     *
     * @throws InputException for the first such option.
     */
    static void refuse(final boolean isStardust, final StardustRunOptions stardust, final String hosts) {
        Choices.refuse("--hosts", hosts, "hosts are what is behind the ports, and send as they like", "leave it out, "
            + "or say gen: with a rate");
        Choices.refuse("--give-up-ms", isStardust ? stardust.giveUpMs : null, "packets of ports wait for the port they "
            + "go to, as long as --stall-ms lets them", "leave it out");
    }

    /**
     * Refuses to check the whole fabric where several threads run it.
     *
     * @param check   whether it is to be checked.
     * @param isFree  whether threads run ahead of each other.
     * @param threads as they were asked for, or null.
     * @throws InputException if that is so.
     */
    static void refuse(final boolean check, final boolean isFree, final Integer threads) {
        Choices.refuseIf(check && isFree, "--check", null, "with threads nobody sees the whole fabric between two "
            + "slots", "leave it out or use --mode lockstep");
        Choices.refuseIf(check && threads != null && threads > 1, "--check", null, "it looks at the whole fabric from "
            + "one thread", "leave out --threads");
    }

    /**
     * Refuses faults of fabrics in which packets would wait too long for what is lost, and traffic classes where a
     * fabric has none or where a cell that waits cannot be told from one that is lost.
     *
     * @throws InputException if there are some.
     */
    static void refuse(final Fabric fabric, final int classes, final Path faults) {
        Choices.refuseIf(classes > 1 && !(fabric instanceof Shoal || fabric instanceof Stardust), "--class-of", classes
            + " classes", "Shale has no traffic classes", "leave it out, or use --fabric shoal or stardust");
        if (fabric instanceof Shoal && classes > 1) {
            Choices.refuse("--faults", faults, "Shoal knows cells as lost when they have not come for long, and in "
                + "lower classes they may wait for as long", "leave out --class-of or --faults");
        }
        if (fabric instanceof Shoal && fabric.nodes() > MOST_SHOAL) {
            Choices.refuse("--faults", faults, "Shoal loses cells without a word, which takes the longer to be noticed "
                + "the more nodes there are", "give up to " + MOST_SHOAL + " --nodes");
        }
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
