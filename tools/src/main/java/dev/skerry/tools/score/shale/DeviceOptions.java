package dev.skerry.tools.score.shale;

import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.follow.FollowRules.Room;
import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Option;

/** What the hardware of a followed device has room for, as options. */
final class DeviceOptions {
    @Option(names = "--free-order",
        description = "Cells that wait for one link may leave in any order, as from a shared store.")
    boolean freeOrder;

    @Option(names = "--tokens-a-slot", paramLabel = "K", defaultValue = "2",
        description = "Most tokens that ride in a slot, 1 or 2 (default: ${DEFAULT-VALUE}).")
    int tokensASlot;

    @Option(names = "--owed-fifo", paramLabel = "K",
        description = "Room for the tokens that wait for a link (default: no limit).")
    Integer owedFifo;

    @Option(names = "--queue-cells", paramLabel = "K",
        description = "Room for the cells that wait for a link (default: no limit).")
    Integer queueCells;

    @Option(names = "--full", paramLabel = "WHAT",
        description =
            "What becomes of a cell or token without room: count, it is a finding; drop, the device loses "
            + "it; stall, for tokens: cells that would owe one wait (default: count).")
    String full;

    @Option(names = "--register-bits", paramLabel = "K", defaultValue = "32",
        description = "Width of the counters in --state, which wrap, 1 to 32 (default: ${DEFAULT-VALUE}).")
    int registerBits;

    /** What becomes of a cell or token without room. */
    private enum Full {
        COUNT(FollowRules.Full.COUNTS), DROP(FollowRules.Full.DROPS), STALL(FollowRules.Full.STALLS);

        private final FollowRules.Full rule;

        Full(final FollowRules.Full rule) {
            this.rule = rule;
        }
    }

    /** The rules that they make. */
    FollowRules rules(final boolean mayBeSilent) {
        if (owedFifo == null && queueCells == null) {
            Choices.refuse("--full", full, "nothing gets full", "leave it out or add --owed-fifo or --queue-cells");
        }
        final Full choice = Choices.of("--full", full, Full.COUNT, Full.values());
        Choices.refuseIf(choice == Full.STALL && (owedFifo == null || queueCells != null), "--full", full,
            "tokens wait for room, cells that come cannot", "give --owed-fifo alone");
        return new FollowRules(mayBeSilent, freeOrder, Choices.inRange("--tokens-a-slot", tokensASlot, 1, 2),
            room("--owed-fifo", owedFifo, choice), room("--queue-cells", queueCells, choice),
            Choices.inRange("--register-bits", registerBits, 1, Integer.SIZE));
    }

    private static Room room(final String option, final Integer places, final Full full) {
        return places == null ? Room.ENDLESS : new Room(Choices.inRange(option, places, 1, Integer.MAX_VALUE),
            full.rule);
    }
}
