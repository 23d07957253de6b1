package dev.skerry.nic.stardust.switched;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.HostModel.Congestion;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.HostSide.MarkLaw;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.Routes;
import dev.skerry.nic.stardust.switched.SwitchedNetwork.SwitchRules;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.lang.foreign.Arena;

/**
 * DCQCN on one bottleneck of 40 Gb/s with packets of 1,000 bytes, so slots of 25 ns, against its law of rest: N flows
 * have a rate R = C / N each, and p is where additive increase brings between two notifications what these take away.
 * Notifications of a flow are an interval and a time of mean 1 / (p R) apart, alpha is one over one more than the mean
 * number of periods between them. The fluid model of the paper (Zhu et al., SIGCOMM 2015, §5.1) is the same in means.
 * The queue is where RED marks p.
 */
class DcqcnLawTest {
    private static final double SLOT_NS = 25;
    private static final int LINK_SLOTS = 40;
    private static final Congestion.Dcqcn LAW = Congestion.Dcqcn.usual(SLOT_NS);
    private static final MarkLaw RED = new MarkLaw(5000, 200_000, 0.01);
    private static final int MS = 40_000;

    /** The share of marked packets at which the law is at rest. */
    private static double fixedPoint(final int senders) {
        double low = 1e-6;
        double high = 0.5;
        for (int i = 0; i < 60; i++) {
            final double middle = Math.sqrt(low * high);
            if (drift(middle, 1.0 / Bottleneck.SLOTS / senders) > 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /**
     * What the target gains from one notification to the next, in packets a slot: additive increase, but for the part
     * of it that the rate has not reached yet, less what recovery has not brought back of the cut.
     */
    private static double drift(final double p, final double rate) {
        double periods = 0;
        double gap = 1;
        double added = 0;
        final int least = LAW.steps() - 1;
        for (int k = 1; k < 100_000; k++) {
            final double reaches = Math.exp(-p * rate * Math.max(0, (double) k * LAW.periodSlots() - LAW.cnpSlots()));
            periods += reaches;
            gap -= reaches * Math.pow(0.5, k);
            added += k > least ? reaches * (1 - Math.pow(0.5, k - least)) : 0;
        }
        final double alpha = 1 / (1 + periods);
        return LAW.addBytes() / Bottleneck.PACKET * added - alpha / 2 * rate * gap;
    }

    private static SwitchedNetwork network(final Arena arena, final Routes routes, final FlowSet flows,
        final MarkLaw marks) {
        return new SwitchedNetwork(arena, flows, new Reno(1000, 2, 1000, 40, 1 << 22, 0, LAW),
            new SwitchRules(Bottleneck.PACKET, LINK_SLOTS, 500L * Bottleneck.PACKET, marks, true), routes);
    }

    /** Rate, marks and queue of some flows after they have settled; more flows need more marks to stay below Kmax. */
    @ParameterizedTest
    @CsvSource({"2, 0.01", "4, 0.01", "8, 0.05"})
    void shouldRestWhereItsLawDoes(final int senders, final double most) {
        final Bottleneck routes = new Bottleneck(senders, 1);
        final FlowSet flows = routes.flows();
        final MarkLaw red = new MarkLaw(RED.from(), RED.to(), most);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = network(arena, routes, flows, red);
            network.advance(60L * MS);
            final long marked = network.marked();
            final long before = received(network, senders);
            double queue = 0;
            final int samples = 60 * MS / 64;
            for (int i = 0; i < samples; i++) {
                network.advance(64);
                queue += (double) network.backlog(senders) / samples;
            }
            network.checkConserved();
            final double packets = (received(network, senders) - before) / (double) Bottleneck.PACKET;
            final double p = (network.marked() - marked) / packets;
            final double model = fixedPoint(senders);
            final double rests = RED.from() + model / most * (RED.to() - RED.from());
            final String what = "p=" + p + " model=" + model + " queue=" + queue + " model=" + rests + " rate="
                + packets * Bottleneck.SLOTS / samples / 64;
            assertTrue(packets * Bottleneck.SLOTS / samples / 64 > 0.98, what);
            assertEquals(model, p, 0.25 * model, what);
            assertEquals(rests, queue, 0.3 * rests, what);
            assertEquals(0, network.dropped(), what);
            assertEquals(0, network.timeouts() + network.resent(), what);
        }
    }

    /** A flow that comes later with the whole rate of its port, and the first, have equal shares in the end. */
    @Test
    void shouldConvergeToEqualShares() {
        final Bottleneck routes = new Bottleneck(2, 1);
        final FlowSet flows = new FlowSet();
        flows.add(0, 0, 2, 1L << 40, 1, 0);
        flows.add(1, 1, 2, 1L << 40, 1, 20L * MS);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = network(arena, routes, flows, RED);
            network.advance(20L * MS);
            assertTrue(network.rate(0) == 125, "alone: " + network.rate(0));
            network.advance(120L * MS);
            final long[] before = {network.receivedOf(0), network.receivedOf(1)};
            network.advance(50L * MS);
            final double one = network.receivedOf(0) - before[0];
            final double other = network.receivedOf(1) - before[1];
            assertEquals(1, one / other, 0.15);
            assertTrue(one + other > 0.97 * 50 * MS * Bottleneck.PACKET / Bottleneck.SLOTS);
        }
    }

    /** Without marks nobody slows down, the switch pauses the links into it, and still drops nothing. */
    @Test
    void shouldDropNothingWithoutMarksEither() {
        final Bottleneck routes = new Bottleneck(6, 1);
        try (Arena arena = Arena.ofConfined()) {
            final SwitchedNetwork network = network(arena, routes, routes.flows(), MarkLaw.NONE);
            network.advance(2L * MS);
            network.checkConserved();
            assertEquals(0, network.dropped());
            assertTrue(network.pauses() > 100, "pauses=" + network.pauses());
            assertEquals(2L * MS * Bottleneck.PACKET / Bottleneck.SLOTS, received(network, 6),
                200.0 * Bottleneck.PACKET);
        }
    }

    private static long received(final SwitchedNetwork network, final int senders) {
        long sum = 0;
        for (int flow = 0; flow < senders; flow++) {
            sum += network.receivedOf(flow);
        }
        return sum;
    }
}
