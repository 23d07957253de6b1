package dev.skerry.nic.shale.control;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.FlowTable;
import dev.skerry.nic.shale.ArrivalRule;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;
import dev.skerry.schedule.Population;

import java.util.List;

/** {@link ReceiverDriven} at the nodes of a bank, as sources and as receivers of flows. One thread. */
final class ReceiverControl implements EndToEnd, ControlChannel.Arrivals {
    private final Population population;
    private final FlowSet flows;
    private final FlowTable table;
    private final FlowBudgets budgets;
    private final ControlChannel channel;
    /** Null where no cell is cut. */
    private final Trimmer trimmer;
    private final Retransmissions again;
    /** Within {@link #receive}. */
    private QueueBank queues;
    private long pulls;
    private long nacks;

    /** Full budgets and no messages; {@code trimmer} and {@code again} are null for RD. */
    ReceiverControl(final Shale shale, final Bank.Ends ends, final FlowBudgets budgets, final ControlChannel channel,
        final Trimmer trimmer, final Retransmissions again) {
        this.population = shale.population();
        this.flows = ends.flows();
        this.table = ends.flowTable();
        this.budgets = budgets;
        this.channel = channel;
        this.trimmer = trimmer;
        this.again = again;
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
        this.queues = null;
    }

    @Override
    public void onMessage(final int node, final int kind, final long cell) {
        final int flow = Cell.flow(cell);
        switch (kind) {
            case ControlMessage.PULL -> {
                budgets.grant(flow);
                queues.wake(node);
            }
            case ControlMessage.DROP -> {
                nacks++;
                channel.start(node, ControlMessage.NACK, population.nodeOf(flows.source(flow)), cell);
            }
            default -> {
                again.add(node, population.nodeOf(flows.destination(flow)), cell);
                queues.wake(node);
            }
        }
    }

    @Override
    public ArrivalRule arrivals(final ArrivalRule ofLinks) {
        return trimmer == null ? ofLinks : trimmer;
    }

    @Override
    public Retransmissions retransmissions() {
        return again;
    }

    /** Messages that wait for the link, and messages of the node itself, which any of its links may take. */
    @Override
    public List<Signal> probes() {
        return List.of(new Signal("messages", 16), new Signal("own_messages", 16));
    }

    @Override
    public long probe(final int node, final int link, final int which) {
        return which == 0 ? channel.waiting(node, link) : channel.waitingOwn(node);
    }

    @Override
    public long count(final NicCounter counter) {
        return switch (counter) {
            case PULLS_SENT -> pulls;
            case NACKS_SENT -> nacks;
            case CELLS_TRIMMED -> trimmer == null ? 0 : trimmer.trimmed();
            case CELLS_RETRANSMITTED -> again == null ? 0 : again.sent();
            default -> 0;
        };
    }

    ControlChannel channel() {
        return channel;
    }
}
