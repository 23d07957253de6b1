package dev.skerry.nic.shale.control;

import dev.skerry.dataplane.queue.CellQueues;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.FabricParts.PlaceMessages;
import dev.skerry.nic.fabric.FabricParts.SlotNotifications;
import dev.skerry.nic.fabric.NodeProbes.Signal;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.ArrivalRule;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.EndToEnd;
import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.QueueBank;
import dev.skerry.nic.shale.Retransmissions;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Two kinds of end-to-end congestion control at once, ISD with RD or NDP (docs/spec/shale.md §7): a flow starts a cell
 * if both let it, and it costs both.
 *
 * @param pacing sends nothing beside cells and cuts none.
 * @param other  may do so.
 */
public record EndToEndPair(EndToEndFactory pacing, EndToEndFactory other) implements EndToEndFactory {
    @Override
    public void check(final Traffic traffic) {
        pacing.check(traffic);
        other.check(traffic);
    }

    @Override
    public boolean isInstant() {
        return pacing.isInstant() || other.isInstant();
    }

    @Override
    public <T extends EndToEndFactory> T part(final Class<T> kind) {
        final T first = pacing.part(kind);
        return first != null ? first : other.part(kind);
    }

    @Override
    public EndToEndFactory with(final EndToEndFactory part) {
        return part.getClass() == pacing.getClass() ? new EndToEndPair(part, other) : new EndToEndPair(pacing, part);
    }

    @Override
    public long bytes(final Shale shale, final int flows, final int window) {
        return pacing.bytes(shale, flows, window) + other.bytes(shale, flows, window);
    }

    @Override
    public Run begin(final Arena arena, final Shale shale, final FlowSet flows, final int window) {
        final Run paced = pacing.begin(arena, shale, flows, window);
        final Run others = other.begin(arena, shale, flows, window);
        return new Run() {
            @Override
            public EndToEnd join(final Arena ofBank, final NodeRange range, final Bank.Ends ends,
                final CongestionControl control, final CellQueues queues) {
                return new Both(paced.join(ofBank, range, ends, control, queues),
                    others.join(ofBank, range, ends, control, queues));
            }

            @Override
            public PlaceMessages messages() {
                return others.messages();
            }

            @Override
            public SlotNotifications notes() {
                return paced.notes();
            }

            @Override
            public FabricLaws laws(final List<BankState> banks) {
                final FabricLaws ofPaced = paced.laws(states(banks, true));
                final FabricLaws ofOthers = others.laws(states(banks, false));
                return slot -> {
                    ofPaced.check(slot);
                    ofOthers.check(slot);
                };
            }
        };
    }

    private static List<BankState> states(final List<BankState> banks, final boolean ofPacing) {
        final List<BankState> states = new ArrayList<>();
        for (final BankState bank : banks) {
            final Both both = (Both) bank.control();
            states.add(new BankState(ofPacing ? both.pacing : both.other, bank.queues(), bank.ends(), bank.range(),
                bank.dropped()));
        }
        return states;
    }

    /** Both at the nodes of a bank. */
    private record Both(EndToEnd pacing, EndToEnd other) implements EndToEnd {
        @Override
        public boolean mayStart(final int flow) {
            return pacing.mayStart(flow) && other.mayStart(flow);
        }

        @Override
        public void onStart(final int flow) {
            pacing.onStart(flow);
            other.onStart(flow);
        }

        @Override
        public void onActive(final int flow) {
            pacing.onActive(flow);
            other.onActive(flow);
        }

        @Override
        public void onDone(final int flow) {
            pacing.onDone(flow);
            other.onDone(flow);
        }

        @Override
        public void onDeliver(final int node, final long identity) {
            pacing.onDeliver(node, identity);
            other.onDeliver(node, identity);
        }

        @Override
        public void send(final long slot) {
            pacing.send(slot);
            other.send(slot);
        }

        @Override
        public void receive(final long slot, final QueueBank queues) {
            pacing.receive(slot, queues);
            other.receive(slot, queues);
        }

        @Override
        public ArrivalRule arrivals(final ArrivalRule ofLinks) {
            return other.arrivals(ofLinks);
        }

        @Override
        public Retransmissions retransmissions() {
            return other.retransmissions();
        }

        @Override
        public List<Signal> probes() {
            return other.probes();
        }

        @Override
        public long probe(final int node, final int link, final int which) {
            return other.probe(node, link, which);
        }

        @Override
        public long count(final NicCounter counter) {
            return pacing.count(counter) + other.count(counter);
        }
    }
}
