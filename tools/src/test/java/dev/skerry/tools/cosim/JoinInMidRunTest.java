package dev.skerry.tools.cosim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.follow.CellNames;
import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.model.Mismatches;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.follow.NodeFollower;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.spi.FabricKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A model that joins the Shale authors' hardware in mid-run: what a follower learnt from the trace, and the token
 * counters that the registers of the device show, go into a fresh model, which then sends every cell and token and has
 * every register up to the end.
 */
final class JoinInMidRunTest {
    @ParameterizedTest
    @CsvSource({"n4-h2-p1, 2, 2, 1, 613", "n9-h2-p0, 2, 3, 0, 1500", "n16-h4-p0, 4, 2, 0, 333"})
    void shouldGoOnAsTheHardwareDoes(final String name, final int h, final int r, final int propagation, final int at)
        throws IOException {
        final HardwareTrace trace = HardwareTrace.read(name);
        final Phased schedule = new Phased(h, r);
        final Shale shale = new Shale(schedule, Population.complete(schedule),
            Mechanisms.HBH_SPRAY.with(TieRule.LOWEST), 1, 1, propagation, 77);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < shale.nodes(); node++) {
            flows.add(node, node, (node + 1) % shale.nodes(), Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        for (int node = 0; node < shale.nodes(); node += shale.nodes() / 4) {
            final FindingLog log = new FindingLog(5);
            final NodeFollower follower = new NodeFollower(shale, CellNames.of(flows, shale.population()), node,
                FollowRules.STRICT, log);
            final NodeCells in = new NodeCells(1);
            final NodeCells out = new NodeCells(1);
            for (int slot = 0; slot < at; slot++) {
                trace.received(slot, node, in);
                trace.sent(slot, node, out);
                follower.step(slot, in, out);
            }
            assertEquals("", log.text());
            try (NodeModel model = new NodeModel(FabricKind.partsOf(shale), flows, node)) {
                model.beginAt(at);
                follower.registers().copyTo(model.registers());
                setFromState(model, trace, at - 1, node);
                final Mismatches mismatches = goOn(model, trace, at, node);
                assertTrue(mismatches.none(), name + " node=" + node + ": " + mismatches.explain());
            }
        }
    }

    /** The token counters of the device are set as they stand in its registers. */
    private static void setFromState(final NodeModel model, final HardwareTrace trace, final int slot,
        final int node) {
        final List<String> names = trace.probes();
        int set = 0;
        for (int i = 0; i < names.size(); i++) {
            if (names.get(i).contains("_outstanding_")) {
                model.registers().set(names.get(i), trace.probed(slot, node, i));
                set++;
            }
        }
        assertTrue(set > 0);
    }

    private static Mismatches goOn(final NodeModel model, final HardwareTrace trace, final int from, final int node) {
        final Mismatches mismatches = new Mismatches();
        final NodeCells received = new NodeCells(1);
        final NodeCells theirs = new NodeCells(1);
        final NodeCells masked = new NodeCells(1);
        final LongSupplier[] readers = trace.readers(model.probes());
        final List<String> names = trace.probes();
        for (int slot = from; slot < trace.slots() && mismatches.none(); slot++) {
            trace.received(slot, node, received);
            trace.sent(slot, node, theirs);
            final NodeCells ours = model.step(slot, received);
            masked.set(0, HardwareTrace.withoutAge(ours.route(0)), ours.cell(0), ours.feedback(0));
            mismatches.expect(slot, masked, theirs);
            for (int i = 0; i < readers.length && slot < trace.stateSlots(); i++) {
                mismatches.expect(slot, names.get(i), readers[i].getAsLong(), trace.probed(slot, node, i));
            }
        }
        return mismatches;
    }
}
