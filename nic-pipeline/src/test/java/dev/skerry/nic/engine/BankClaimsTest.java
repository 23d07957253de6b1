package dev.skerry.nic.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.worker.Idle;
import dev.skerry.nic.Parts;
import dev.skerry.nic.engine.LockStep.BankClaims;
import dev.skerry.nic.fabric.ArrivalMap;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.Fabric.CircuitFabric;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fabric.FabricParts.FabricLaws;
import dev.skerry.nic.fabric.NodeProbes;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.flow.Flows;
import dev.skerry.nic.flow.NodeRange;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

@Timeout(300)
final class BankClaimsTest {

    @Test
    void shouldGiveABankToOneWorkerPerStride() throws InterruptedException {
        final int banks = 50;
        final int strides = 200;
        final BankClaims claims = new BankClaims(banks);
        final int[] taken = new int[2];
        for (int stride = 1; stride <= strides; stride++) {
            final long end = 7L * stride;
            final Thread[] threads = new Thread[taken.length];
            for (int t = 0; t < threads.length; t++) {
                final int self = t;
                threads[t] = new Thread(() -> {
                    for (int i = 0; i < banks; i++) {
                        taken[self] += claims.take(self == 0 ? i : banks - 1 - i, end) ? 1 : 0;
                    }
                });
                threads[t].start();
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            assertEquals(stride * banks, taken[0] + taken[1], "stride=" + stride);
        }
    }

    /**
     * Whoever has bank 0 is held up in it, in one stride of each ten, until the other has done bank 1. Both are worker
     * 0's own, so this run would never end if banks were not taken over.
     */
    @Test
    void shouldNotDependOnWhoTakesABank() {
        final Phased schedule = new Phased(2, 65);
        final int propagation = 5;
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2,
            propagation, 6);
        final FlowSet flows = Flows.random(6, 4_225, 900, 150, 40);
        try (Engine one = new LockStep(Parts.of(shale), flows, 1, false)) {
            one.run(0);
            final HeldParts held = new HeldParts(Parts.of(shale), propagation);
            // By a clock that stands still going together costs nothing, so the first worker never goes on alone.
            try (Engine two = new LockStep(held, new Traffic(flows, Faults.NONE), 2, Idle.SPIN, false, () -> 0)) {
                two.run(0);
                Outcomes.same(one.outcome(), two.outcome(), "seed=6");
            }
            assertEquals(4, held.ranges.size());
            assertTrue(held.takenOver >= one.outcome().slots() / (10 * propagation), "taken over=" + held.takenOver);
        }
    }

    /** Banks of which the first waits, every tenth stride, until the second has begun. */
    private static final class HeldParts implements FabricParts {
        final FabricParts of;
        final int propagation;
        final List<NodeRange> ranges = new ArrayList<>();
        final List<Bank> banks = new ArrayList<>();
        volatile CountDownLatch second = new CountDownLatch(1);
        int takenOver;

        HeldParts(final FabricParts of, final int propagation) {
            this.of = of;
            this.propagation = propagation;
        }

        @Override
        public Banks banks(final Arena arena, final Traffic traffic, final InFlightCells link, final int window) {
            final Banks maker = of.banks(arena, traffic, link, window);
            return (Banks) Proxy.newProxyInstance(Banks.class.getClassLoader(), new Class<?>[] {Banks.class},
                (proxy, method, arguments) -> method.getName().equals("of")
                    ? held(maker.of((NodeRange) arguments[0], (Bank.Ends) arguments[1]), (NodeRange) arguments[0])
                    : method.invoke(maker, arguments));
        }

        private Bank held(final Bank bank, final NodeRange range) {
            final int index = ranges.size();
            ranges.add(range);
            banks.add(bank);
            return (Bank) Proxy.newProxyInstance(Bank.class.getClassLoader(), new Class<?>[] {Bank.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        before(index, (long) arguments[0]);
                    }
                    return method.invoke(bank, arguments);
                });
        }

        private void before(final int bank, final long slot) throws InterruptedException {
            if (slot % (10L * propagation) != 0) {
                return;
            }
            if (bank == 0) {
                second.await();
                second = new CountDownLatch(1);
                takenOver++;
            } else if (bank == 1) {
                second.countDown();
            }
        }

        @Override
        public CircuitFabric fabric() {
            return of.fabric();
        }

        @Override
        public void check(final Traffic traffic) {
            of.check(traffic);
        }

        @Override
        public boolean resends(final Traffic traffic) {
            return of.resends(traffic);
        }

        @Override
        public long bytes(final Traffic traffic, final int window) {
            return of.bytes(traffic, window);
        }

        @Override
        public ArrivalMap scheduled(final InFlightCells link) {
            return of.scheduled(link);
        }

        @Override
        public FabricLaws laws(final Bank[] proxies, final InFlightCells link) {
            return of.laws(banks.toArray(Bank[]::new), link);
        }

        @Override
        public NodeProbes probes(final Bank bank, final int node) {
            return of.probes(bank, node);
        }

    }
}
