package dev.skerry.tools.cosim;

import static dev.skerry.tools.cosim.TwinRig.CELL_WORDS;
import static dev.skerry.tools.cosim.TwinRig.step;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.dataplane.circuit.InFlightCells;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The Shale authors' own NIC, compiled to RTL and simulated, beside single nodes of ours (docs/rtl.md): fed what a node
 * of theirs received, ours sends every cell and both tokens that it sent, and has its queues and token counters after
 * every slot. Nothing is left to chance: their hardware takes the lowest of equally short links. A model joins in
 * mid-run: what a follower learnt from the trace, and the token counters that the registers of the device show, go into
 * a fresh model, which goes on as the hardware does.
 */
final class ShaleHardwareTest {
    /** Decides nothing here. */
    private static final long SEED = 77;

    @TempDir
    private Path folder;

    private static Shale shale(final int h, final int r, final int propagation, final TieRule ties) {
        final Phased schedule = new Phased(h, r);
        return new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY.with(ties), 1, 1, propagation,
            SEED);
    }

    private static FlowSet flows(final int nodes) {
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < nodes; node++) {
            flows.add(node, node, (node + 1) % nodes, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        return flows;
    }

    @ParameterizedTest
    @CsvSource({"n4-h2-p0, 2, 2, 0", "n4-h2-p1, 2, 2, 1", "n9-h2-p0, 2, 3, 0", "n16-h4-p0, 4, 2, 0"})
    void shouldSendEveryCellAndHoldEveryRegister(final String name, final int h, final int r, final int propagation)
        throws IOException {
        final HardwareTrace trace = HardwareTrace.read(name);
        final Shale shale = shale(h, r, propagation, TieRule.LOWEST);
        assertEquals(shale.nodes(), trace.nodes());
        for (int node = 0; node < trace.nodes(); node++) {
            final Mismatches mismatches = compare(trace, shale, node);
            assertTrue(mismatches.none(), name + " node=" + node + ": " + mismatches.explain());
        }
    }

    /** The same through the rows of words that C reads and writes, the model described in a line of text. */
    @ParameterizedTest
    @CsvSource({"n4-h2-p1, 1", "n9-h2-p0, 0"})
    void shouldDoSoBehindTheLibrary(final String name, final int propagation) throws IOException {
        final HardwareTrace trace = HardwareTrace.read(name);
        final Path flows = Files.writeString(folder.resolve("flows.csv"), IntStream.range(0, trace.nodes())
            .mapToObj(node -> node + "," + node + "," + (node + 1) % trace.nodes() + ",2440000,0")
            .collect(Collectors.joining("\n")));
        final String line = " nodes=" + trace.nodes() + " h=2 tokens=1 firstHopTokens=1 propagation=" + propagation
            + " sprayTies=lowest flows=" + flows + " probes=" + String.join(",", trace.probes());
        final NodeCells cells = new NodeCells(1);
        final List<String> names = trace.probes();
        for (int node = 0; node < trace.nodes(); node++) {
            final ModelHandle model = ModelHandle.open("shale-node node=" + node + line);
            final Mismatches mismatches = new Mismatches();
            for (int slot = 0; slot < trace.slots(); slot++) {
                trace.received(slot, node, cells);
                final long[] out = step(model, slot, cells.route(0), cells.cell(0), cells.feedback(0));
                trace.sent(slot, node, cells);
                mismatches.expect(slot, "route", HardwareTrace.withoutAge(out[0]), cells.route(0));
                mismatches.expect(slot, "cell", out[1], cells.cell(0));
                mismatches.expect(slot, "feedback", out[2], cells.feedback(0));
                for (int i = CELL_WORDS; i < out.length; i++) {
                    final int probe = i - CELL_WORDS;
                    mismatches.expect(slot, names.get(probe), out[i], trace.probed(slot, node, probe));
                }
            }
            model.close();
            assertTrue(mismatches.none(), name + " node=" + node + ": " + mismatches.explain());
        }
    }

    /** The trace can tell: with ties drawn, some node differs soon. */
    @Test
    void shouldDifferWhereTiesAreDrawn() throws IOException {
        final HardwareTrace trace = HardwareTrace.read("n9-h2-p0");
        assertTrue(IntStream.range(0, 9).anyMatch(node -> !compare(trace, shale(2, 3, 0, TieRule.DRAWN), node).none()));
    }

    private static Mismatches compare(final HardwareTrace trace, final Shale shale, final int node) {
        try (NodeModel model = new NodeModel(FabricKind.partsOf(shale), flows(shale.nodes()), node)) {
            return goOn(model, trace, shale, 0, node);
        }
    }

    @ParameterizedTest
    @CsvSource({"n4-h2-p1, 2, 2, 1, 613", "n9-h2-p0, 2, 3, 0, 1500", "n16-h4-p0, 4, 2, 0, 333"})
    void shouldGoOnWhereItJoinsInMidRun(final String name, final int h, final int r, final int propagation,
        final int at) throws IOException {
        final HardwareTrace trace = HardwareTrace.read(name);
        final Shale shale = shale(h, r, propagation, TieRule.LOWEST);
        final FlowSet flows = flows(shale.nodes());
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
                final Mismatches mismatches = goOn(model, trace, shale, at, node);
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

    private static Mismatches goOn(final NodeModel model, final HardwareTrace trace, final Shale shale,
        final int from, final int node) {
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
            if (ours.route(0) != InFlightCells.NO_CELL || ours.feedback(0) != InFlightCells.NO_FEEDBACK) {
                mismatches.expect(slot, "peer", shale.schedule().peerOf(node, (long) slot), trace.peer(slot, node));
            }
            for (int i = 0; i < readers.length && slot < trace.stateSlots(); i++) {
                mismatches.expect(slot, names.get(i), readers[i].getAsLong(), trace.probed(slot, node, i));
            }
        }
        return mismatches;
    }
}
