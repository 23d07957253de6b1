package dev.skerry.tools.run.shale;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.ReceiverDriven;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Map;

/** The options of RD and NDP, and Shale's mechanisms with these parameters. */
public final class ReceiverDrivenOptions {
    private static final String CELLS_PER_PULL = "--rd-cells-per-pull";
    private static final String RATE = "--rd-rate";
    private static final String BUDGET = "--rd-budget";
    private static final String MAX_QUEUE = "--rd-max-queue";
    private static final int MOST_CELLS = 1 << 30;

    @Option(names = CELLS_PER_PULL, paramLabel = "K",
        description = "Shale, rd and ndp: cells that a receiver requests with one message. It sends one after every "
            + "K cells that arrive (default: 20).")
    public Integer cellsPerPull;

    @Option(names = RATE, paramLabel = "F",
        description = "Shale, rd and ndp: maximum cells per slot that a receiver requests (default: 1).")
    public Double rate;

    @Option(names = BUDGET, paramLabel = "B",
        description = "Shale, rd and ndp: cells of a flow sent before any request, at least K (default: 4(P + r - "
            + "1)HF, rounded down, or K; P is the propagation delay in slots, and N = r^H).")
    public Integer budget;

    @Option(names = MAX_QUEUE, paramLabel = "Q",
        description = "Shale, ndp: maximum length of a queue, in cells. A cell that arrives at a full queue is "
            + "trimmed to its header (default: 100).")
    public Integer maxQueue;

    /**
     * Returns the mechanisms with the typed parameters.
     *
     * @throws InputException if a parameter is out of range, or does not apply to the mechanisms.
     */
    MechanismSet of(final MechanismSet mechanisms) {
        final ReceiverDriven usual = EndToEndFactory.part(mechanisms.endToEnd(), ReceiverDriven.class);
        if (usual == null) {
            final String why = "it requires rd or ndp in --cc";
            final String advice = "leave it out or add one of them";
            Choices.refuse(CELLS_PER_PULL, cellsPerPull, why, advice);
            Choices.refuse(RATE, rate, why, advice);
            Choices.refuse(BUDGET, budget, why, advice);
            Choices.refuse(MAX_QUEUE, maxQueue, why, advice);
            return mechanisms;
        }
        if (!usual.trims()) {
            Choices.refuse(MAX_QUEUE, maxQueue, "rd does not trim cells", "leave it out or use ndp");
        }
        Choices.refuseIf(rate != null && !(rate > 0 && rate <= 1), RATE, rate, "a receiver takes up to one cell a slot",
            "give more than 0 and at most 1");
        return mechanisms.with(mechanisms.endToEnd().with(new ReceiverDriven(
            inRange(CELLS_PER_PULL, cellsPerPull, 1, MOST_CELLS, usual.cellsPerPull()),
            rate == null ? usual.rate() : rate, inRange(BUDGET, budget, 1, MOST_CELLS, 0),
            inRange(MAX_QUEUE, maxQueue, 1, MOST_CELLS, usual.maxQueue()))));
    }

    /** Refuses mechanisms that retransmit cells, because ports do not keep packets. */
    static void refusePackets(final MechanismSet mechanisms) {
        final ReceiverDriven of = EndToEndFactory.part(mechanisms.endToEnd(), ReceiverDriven.class);
        Choices.refuseIf(of != null && of.trims(), "--cc", mechanisms.label(), "ports do not keep packets for "
            + "retransmission", "use rd or no end-to-end control");
    }

    /**
     * Checks the parameters against the whole fabric, and adds them to the settings.
     *
     * @throws InputException if a flow would wait forever for its next request, or if cells or messages may be lost.
     */
    void describe(final Shale shale, final RunOptions options, final Map<String, String> settings) {
        final ReceiverDriven chosen = EndToEndFactory.part(shale.mechanisms().endToEnd(), ReceiverDriven.class);
        if (chosen == null) {
            return;
        }
        Choices.refuseIf(options.faults != null, "--faults", options.faults, "rd and ndp do not repeat messages that "
            + "are lost", "leave it out or use another --cc");
        Choices.refuseIf(shale.population().hasDeadEnds(), "--cc", shale.mechanisms().label(),
            "rd and ndp do not repeat lost cells, and with these absent nodes some cells would have no link to spray "
                + "on",
            "use another --cc, --fill or other --failed-nodes");
        final int cells = chosen.budget(shale);
        if (cells < chosen.cellsPerPull()) {
            final String why = "a flow would wait forever, because its receiver requests more cells only after "
                + chosen.cellsPerPull();
            throw new InputException(BUDGET, Integer.toString(cells), why, "give " + chosen.cellsPerPull()
                + " or more, or " + CELLS_PER_PULL + " " + cells + " or less");
        }
        settings.put("rd-cells-per-pull", Integer.toString(chosen.cellsPerPull()));
        settings.put("rd-rate", Double.toString(chosen.rate()));
        settings.put("rd-budget", Integer.toString(cells));
        if (chosen.trims()) {
            settings.put("rd-max-queue", Integer.toString(chosen.maxQueue()));
        }
    }
}
