package dev.skerry.nic.stardust;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.codec.StardustControl;
import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What control messages take of the links: less than 1 % (docs/spec/stardust.md §4), by the sizes of their frames. */
class StardustControlShareTest {
    private static final int SLOTS = 6000;
    /** A full cell on a link: payload, header and check. */
    private static final int FRAME_BYTES = 256 + 16 + 4;
    /** Something that never happens, so that reachability messages travel. */
    private static final Faults CALM = new Faults(new FaultPlan(List.of(new Fault.Corruption(0, 0))), 1);

    /** Queues that are never empty send no requests; credits of 4096 bytes at 91 % of the links are 0.45 %. */
    @Test
    void shouldTakeLessThanAHundredthUnderFullLoad() {
        final FlowSet flows = new FlowSet();
        for (int host = 0; host < 64; host++) {
            flows.add(host, host, (host + 21) % 64, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final double share = share(fabric(1500), flows, Faults.NONE);
        assertTrue(share > 0.003 && share < 0.005, "share=" + share);
        // 28 bytes on each link in each period of 115 slots.
        assertEquals(28.0 / 115 / FRAME_BYTES, share(fabric(1500), flows, CALM) - share, 1e-4);
    }

    /** Flows of up to 40,000 bytes ask once or twice and say once that they have enough. */
    @Test
    void shouldTakeLessThanAHundredthForMixedFlows() {
        final double share = share(fabric(1500), Fabrics.mixed(64, 6000), CALM);
        assertTrue(share > 0.001 && share < 0.01, "share=" + share);
    }

    /**
     * The worst there is: packets of 64 bytes, each alone in its queue, ask, get a credit and say that they have
     * enough. Three frames a credit and not one are 1.2 % of the links and no more: ports hand out no credits faster.
     */
    @Test
    void shouldTakeThreeFramesACreditAtWorst() {
        final FlowSet flows = new FlowSet();
        for (int slot = 0; slot < SLOTS; slot += 4) {
            for (int host = 0; host < 64; host++) {
                flows.add(flows.size(), host, (host + 4 + (slot / 4 * 7 + host) % 60) % 64, 64, 1, slot);
            }
        }
        final double share = share(fabric(64), flows, Faults.NONE);
        assertTrue(share > 0.01 && share < 0.013, "share=" + share);
    }

    private static Stardust fabric(final int packetBytes) {
        return new Stardust(Fabrics.full(Fabrics.SMALL), 6, new HostSide(4, 1, 1, 230, 1 << 16, 1 << 15, false),
            new CellCut(packetBytes, 256, true, Packing.CONTINUOUS),
            new Credits(Credits.USUAL_BYTES, 235, 0, 0, 1, true), LinkRules.USUAL, true, 5);
    }

    private static double share(final Stardust fabric, final FlowSet flows, final Faults faults) {
        final FoldedClos clos = fabric.clos();
        try (StardustEngine engine = new StardustEngine(fabric, flows, faults, ReachTiming.USUAL, 1, false)) {
            engine.advance(SLOTS);
            engine.checkConserved();
            final long bytes = engine.count(NicCounter.CONTROL_BYTES);
            final long most = 4L * StardustControl.frameBytes(StardustControl.CREDIT)
                * (engine.count(NicCounter.CREDITS_SENT) + engine.count(NicCounter.REQUESTS_SENT));
            assertTrue(faults != Faults.NONE || bytes <= most, "bytes=" + bytes + " most=" + most);
            return (double) bytes / clos.ports() / SLOTS / FRAME_BYTES;
        }
    }
}
