package dev.skerry.nic.shale.control;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Population;

/** {@link ReceiverDriven} at the nodes of a bank, as sources and as receivers of flows. One thread. */
final class ReceiverControl implements EndToEnd, ControlChannel.Arrivals {
    private final Population population;
    private final FlowSet flows;
    private final FlowTable table;
    private final FlowBudgets budgets;
    private final ControlChannel channel;
    private QueueBank queues;
    private long pulls;

    /** Full budgets and no messages. */
    ReceiverControl(final Shale shale, final NodeRange range, final Bank.Ends ends, final FlowBudgets budgets,
        final ControlChannel channel) {
        this.population = shale.population();
        this.flows = ends.flows();
        this.table = ends.flowTable();
        this.budgets = budgets;
        this.channel = channel;
    }

    @Override
    public boolean mayStart(final int flow) {
        return budgets.left(flow) > 0;
    }

    @Override
    public void onStart(final int flow) {
        budgets.spend(flow);
    }

    /** A PULL goes back after every k cells of a flow, unless this was its last. */
    @Override
    public void onDeliver(final int node, final long identity) {
        final int flow = Cell.flow(identity);
        final int received = table.received(flow);
        if (received % budgets.cellsPerPull() == 0 && received != flows.cells(flow)) {
            pulls++;
            channel.start(node, ControlMessage.PULL, population.nodeOf(flows.source(flow)), Cell.of(flow, 0));
        }
    }

    @Override
    public void send(final long slot) {
        channel.send(slot);
    }

    @Override
    public void receive(final long slot, final QueueBank queues) {
        this.queues = queues;
        channel.receive(slot, this);
    }

    @Override
    public void onMessage(final int node, final int kind, final long cell) {
        budgets.grant(Cell.flow(cell));
        queues.wake(node);
    }

    @Override
    public long count(final NicCounter counter) {
        return counter == NicCounter.PULLS_SENT ? pulls : 0;
    }

    ControlChannel channel() {
        return channel;
    }
}
