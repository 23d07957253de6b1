package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.engine.LockStep;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;

class HoldingControlTest {
    private static Outcome run(final String mechanisms) {
        final Phased schedule = new Phased(2, 4);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < 16; node++) {
            flows.add(node, node, (node + 5) % 16, 300 * 244L, 300, 0);
        }
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.of(mechanisms), 1, 1, 9, 1);
        try (LockStep engine = new LockStep(new ShaleParts(shale), flows, 1, true)) {
            engine.run(0);
            return engine.outcome();
        }
    }

    @Test
    void shouldDeliverEveryCellLater() {
        final Outcome none = run("none");
        final Outcome hold = run("hold");
        assertEquals(16 * 300, hold.count(NicCounter.CELLS_DELIVERED));
        assertTrue(hold.slots() > none.slots(), "nodes that hold much wait: " + none.slots() + ", " + hold.slots());
    }
}
