package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.EndToEndFactory.BankState;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;

import java.util.Arrays;
import java.util.List;

/**
 * The law of budgets (docs/spec/shale.md §7): what a flow was granted so far, by its first budget and by the PULLs that
 * have come to its source, is what it may still start and what it has started; and each cell that it has started was
 * received, is under way, is asked for once more after it was cut, or was dropped under a name: once.
 *
 * <p>It reads every queue, so it costs far more than the slot it checks. One thread, while no other touches the fabric.
 */
final class BudgetAudit implements FabricLaws {
    private final Shale shale;
    private final FlowSet flows;
    private final FlowBudgets budgets;
    private final MessagesInFlight messages;
    private final List<BankState> banks;
    /** Cells of a full queue. */
    private final int mostQueued;
    /** By flow: cells, and PULLs, under way. */
    private final long[] cells;
    private final long[] pulls;
    /** Cells that were cut and not sent again: as found, and as counted. */
    private long cut;
    private long cutAndNotSent;

    BudgetAudit(final Shale shale, final FlowSet flows, final FlowBudgets budgets, final MessagesInFlight messages,
        final int mostQueued, final List<BankState> banks) {
        this.shale = shale;
        this.flows = flows;
        this.budgets = budgets;
        this.messages = messages;
        this.mostQueued = mostQueued;
        this.banks = banks;
        this.cells = new long[flows.size()];
        this.pulls = new long[flows.size()];
    }

    @Override
    public void check(final long slot) {
        Arrays.fill(cells, 0);
        Arrays.fill(pulls, 0);
        cut = 0;
        cutAndNotSent = 0;
        for (final BankState bank : banks) {
            seeHeld(bank);
            seeInFlight(bank, slot);
        }
        long missing = 0;
        for (int flow = 0; flow < flows.size(); flow++) {
            missing += missing(flow, slot);
        }
        long dropped = 0;
        for (final BankState bank : banks) {
            dropped += bank.dropped().getAsLong();
        }
        if (cut != cutAndNotSent) {
            throw new IllegalStateException("cells were cut and are not asked for: slot=" + slot + " counted=" + cut
                + " kept=" + cutAndNotSent);
        }
        if (missing != dropped) {
            throw new IllegalStateException("cells started are neither received nor under way: slot=" + slot
                + " cells=" + missing + " dropped=" + dropped);
        }
    }

    private void seeHeld(final BankState bank) {
        final int queues = shale.schedule().epochSlots() * bank.range().size();
        for (int queue = 0; queue < queues; queue++) {
            bank.queues().queues().forEach(queue, (entry, cell) -> seeCell(bank, cell));
            if (bank.queues().queues().length(queue) > mostQueued) {
                throw new IllegalStateException("a queue is longer than full: node of bank="
                    + queue % bank.range().size() + " cells=" + bank.queues().queues().length(queue) + " full="
                    + mostQueued);
            }
        }
        final ReceiverControl control = (ReceiverControl) bank.control();
        control.channel().forEach(this::seeMessage);
        final Retransmissions again = control.retransmissions();
        for (int node = 0; node < bank.range().size() && again != null; node++) {
            again.forEach(node, (destination, cell) -> seeCut(cell));
        }
        cutAndNotSent += control.count(NicCounter.CELLS_TRIMMED) - control.count(NicCounter.CELLS_RETRANSMITTED);
    }

    private void seeInFlight(final BankState bank, final long slot) {
        final InFlightCells link = bank.ends().link();
        for (long sent = Math.max(0, slot - shale.propagationSlots() + 1); sent <= slot; sent++) {
            for (int id = bank.range().first(); id < bank.range().end(); id++) {
                final long at = messages.place(sent, id);
                if (InFlightCells.isCell(link.route(at))) {
                    seeCell(bank, link.cell(at));
                }
                if (messages.word(at) != MessagesInFlight.NONE) {
                    seeMessage(messages.word(at), messages.cell(at));
                }
            }
        }
    }

    private void seeCell(final BankState bank, final long cell) {
        cells[Cell.flow(bank.ends().store().identify(cell))]++;
    }

    private void seeMessage(final long word, final long cell) {
        if (ControlMessage.kind(word) == ControlMessage.PULL) {
            pulls[Cell.flow(cell)]++;
        } else {
            seeCut(cell);
        }
    }

    /** A cell that was cut, and that its source has not sent again. */
    private void seeCut(final long cell) {
        cells[Cell.flow(cell)]++;
        cut++;
    }

    /** Cells that a flow has started, and that are neither received nor under way. */
    private long missing(final int flow, final long slot) {
        final int k = budgets.cellsPerPull();
        final long received = banks.getFirst().ends().flowTable().received(flow);
        final long sentPulls = received / k - (received % k == 0 && received == flows.cells(flow) ? 1 : 0);
        final long started = budgets.first() + k * (sentPulls - pulls[flow]) - budgets.left(flow);
        if (budgets.left(flow) < 0 || started < received + cells[flow]) {
            throw new IllegalStateException("budget law broken: slot=" + slot + " flow=" + flows.id(flow) + " started="
                + started + " received=" + received + " under way=" + cells[flow] + " left=" + budgets.left(flow));
        }
        return started - received - cells[flow];
    }
}
