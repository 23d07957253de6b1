package example;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.NodeMaxima;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.DeliveryLedger;
import dev.skerry.nic.flow.FlowStarts;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/** Direct cells over a round robin of all pairs; the route word is the slot in which a cell was sent. */
record Rotor(Phased schedule, int propagationSlots, int rest) implements CircuitFabric {
    @Override
    public int nodes() {
        return schedule.nodes();
    }

    @Override
    public Population population() {
        return Population.complete(schedule);
    }

    record Parts(Rotor fabric) implements FabricParts {
        @Override
        public void check(final Traffic traffic) {
            if (traffic.mayFail() || traffic.flows().classes() > 1) {
                throw new IllegalArgumentException("a rotor neither fails nor has traffic classes");
            }
        }

        @Override
        public boolean resends(final Traffic traffic) {
            return false;
        }

        @Override
        public long bytes(final Traffic traffic, final int window) {
            return 0;
        }

        @Override
        public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
            return new Banks() {
                @Override
                public Bank of(final NodeRange range, final Bank.Ends ends) {
                    return new RotorBank(fabric, range, ends);
                }

                @Override
                public boolean isRoute(final long slot, final long route) {
                    return route >= 0 && route <= slot;
                }

                @Override
                public boolean isFeedback(final long slot, final long feedback) {
                    return false;
                }
            };
        }

        @Override
        public ArrivalMap scheduled(final InFlightCells link) {
            return (sent, channel, firstId, count, places) -> {
                final int slot = fabric.schedule.slotInEpoch(sent);
                for (int i = 0; i < count; i++) {
                    places[i] = link.offset(sent) + (long) fabric.schedule.senderAt(firstId + i, 0, slot)
                        * InFlightCells.PLACE_BYTES;
                }
            };
        }

        @Override
        public FabricLaws laws(final Bank[] banks, final InFlightCells link) {
            return slot -> { };
        }

        @Override
        public NodeProbes probes(final Bank bank, final int node) {
            return new NodeProbes(bank, node, 0, List.of(new NodeProbes.Signal("length", 16)), "active") {
                @Override
                protected long ofLink(final int link, final int which) {
                    return 0;
                }

                @Override
                protected long active() {
                    return 0;
                }

                @Override
                public long[] queue(final int link) {
                    return new long[0];
                }
            };
        }
    }

    /** All its state is numbers in fields and arrays, which checkpoints find by themselves. */
    private static final class RotorBank implements Bank {
        private static final int NONE = -1;

        private final Rotor fabric;
        private final NodeRange range;
        private final Ends ends;
        private final FlowStarts starts;
        private final DeliveryLedger ledger;
        private final NodeMaxima maxima;
        /** By source and destination, the first and the last flow with cells left; by flow, the one behind it. */
        private final int[] first;
        private final int[] last;
        private final int[] next;
        /** By flow: cells left, and cells sent. */
        private final int[] left;
        private final int[] sent;
        private final ArrivalMap.Received received;
        private long injected;
        private long started;

        RotorBank(final Rotor fabric, final NodeRange range, final Ends ends) {
            this.fabric = fabric;
            this.range = range;
            this.ends = ends;
            this.starts = ends.flows().isOnDemand() ? null
                : new FlowStarts(ends.flowTable(), fabric.population(), range);
            this.ledger = new DeliveryLedger(ends.flows(), fabric.population(), ends.flowTable(), ends.store());
            this.maxima = new NodeMaxima(range.size());
            this.received = new ArrivalMap.Received(ends.link(), range.size());
            this.first = new int[fabric.nodes() * fabric.nodes()];
            this.last = new int[first.length];
            this.next = new int[ends.flows().places()];
            this.left = new int[next.length];
            this.sent = new int[next.length];
            Arrays.fill(first, NONE);
        }

        @Override
        public NodeRange range() {
            return range;
        }

        @Override
        public void offer(final int flow, final int more, final long slot) {
            if (left[flow] == 0) {
                final int pair = ends.flows().source(flow) * fabric.nodes() + ends.flows().destination(flow);
                started += sent[flow] == 0 ? 1 : 0;
                next[flow] = NONE;
                if (first[pair] == NONE) {
                    first[pair] = flow;
                } else {
                    next[last[pair]] = flow;
                }
                last[pair] = flow;
            }
            left[flow] += more;
        }

        @Override
        public void send(final long slot) {
            for (int i = starts == null ? -1 : starts.poll(slot); i >= 0; i = starts.poll(slot)) {
                offer(starts.flow(i), ends.flows().cells(starts.flow(i)), slot);
            }
            for (int node = range.first(); node < range.end(); node++) {
                final long at = ends.link().offset(slot) + (long) node * InFlightCells.PLACE_BYTES;
                final int pair = node * fabric.nodes()
                    + fabric.schedule.peerAt(node, 0, fabric.schedule.slotInEpoch(slot));
                final int flow = first[pair];
                if (flow == NONE || slot % fabric.rest == fabric.rest - 1) {
                    ends.link().sendIdle(at, InFlightCells.NO_FEEDBACK);
                    continue;
                }
                ends.link().send(at, slot, ends.store().inject(Cell.of(flow, sent[flow]++)), InFlightCells.NO_FEEDBACK);
                injected++;
                if (--left[flow] == 0) {
                    first[pair] = next[flow];
                }
            }
        }

        @Override
        public void receive(final long slot) {
            final long sent = slot - fabric.propagationSlots();
            if (sent < 0) {
                return;
            }
            ends.circuits().read(sent, 0, range.first(), range.size(), received);
            for (int i = 0; i < range.size(); i++) {
                if (InFlightCells.isCell(received.route()[i])) {
                    ledger.deliver(slot, range.first() + i, received.cell()[i], fabric.propagationSlots());
                }
            }
        }

        /** These four an engine needs: a run ends by them. */
        @Override
        public long count(final NicCounter counter) {
            return switch (counter) {
                case CELLS_INJECTED -> injected;
                case CELLS_DELIVERED -> ledger.delivered();
                case FLOWS_STARTED -> started;
                case FLOWS_COMPLETED -> ledger.completed();
                default -> 0;
            };
        }

        @Override
        public int queued(final int node) {
            return 0;
        }

        @Override
        public NodeMaxima maxima() {
            return maxima;
        }

        @Override
        public DeliveryLedger deliveries() {
            return ledger;
        }

        @Override
        public int maxActiveBuckets(final int node) {
            return 0;
        }

        @Override
        public Outcome.Drop firstDrop() {
            return null;
        }

        @Override
        public long lastFate() {
            return ledger.lastSlot();
        }
    }
}
