package example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.pieo.Pieo;
import dev.skerry.dataplane.pieo.PieoLayout;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.model.FabricModel;
import dev.skerry.nic.model.Mismatches;
import dev.skerry.nic.model.NodeCells;
import dev.skerry.nic.model.NodeModel;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import org.junit.jupiter.api.Test;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What a test bench does that runs a model beside RTL. */
final class ReferenceModelTest {
    private static final int NODE = 5;

    /** A node beside RTL. The RTL is played by a second model, whose receiver is deaf from slot 700 on. */
    @Test
    void shouldPutANodeBesideRtl() {
        final Phased schedule = new Phased(2, 4);
        final Shale shale = new Shale(schedule, Population.complete(schedule), Mechanisms.HBH_SPRAY, 1, 2, 9, 1);
        final FlowSet flows = new FlowSet();
        for (int node = 0; node < 16; node++) {
            flows.add(node, node, (node + 7) % 16, Long.MAX_VALUE, FlowSet.ENDLESS, 0);
        }
        final NodeCells received = new NodeCells(1);
        final Mismatches mismatches = new Mismatches();
        try (FabricModel fabric = new FabricModel(new ShaleParts(shale), flows);
            NodeModel model = new NodeModel(new ShaleParts(shale), flows, NODE);
            NodeModel rtl = new NodeModel(new ShaleParts(shale), flows, NODE)) {
            for (long slot = 0; slot < 1000; slot++) {
                fabric.step();
                fabric.received(NODE, received);
                final NodeCells sent = model.step(slot, received);
                if (slot >= 700) {
                    received.clear();
                }
                mismatches.expect(slot, sent, rtl.step(slot, received));
                mismatches.expect(slot, "queue0_length", model.probes().value("queue0_length"),
                    rtl.probes().value("queue0_length"));
                mismatches.expect(slot, "cells_held", model.probes().value("cells_held"),
                    rtl.probes().value("cells_held"));
                if (!mismatches.none()) {
                    // From here on it can be run again and again: save(), and restore() in any process.
                    assertTrue(NodeModel.differences(model.save(), rtl.save()).size() > 0);
                    break;
                }
            }
        }
        assertTrue(mismatches.explain().matches("(?s)first: .* since slot 7\\d\\d: the model has .*"),
            mismatches.explain());
    }

    /** A PIEO and the codec of a header; neither needs off-heap memory. */
    @Test
    void shouldUsePieoAndCodecAlone() {
        final PieoLayout layout = new PieoLayout(64);
        final Pieo pieo = new Pieo(layout, MemorySegment.ofArray(new int[(int) layout.byteSize() / Integer.BYTES]));
        pieo.enqueue(7, 30, 100);
        pieo.enqueue(8, 20, 200);
        assertEquals(Pieo.DONE, pieo.dequeue(150));
        assertEquals(7, pieo.id());

        final ShoalHeader header = new ShoalHeader(8, 1, CellFormat.SHOAL);
        final MemorySegment cell = MemorySegment.ofArray(new byte[CellFormat.SHOAL.cellBytes()]);
        header.encode(cell, 0, 2, 6, 0, 41, 3, 0);
        assertEquals(HeaderFault.NONE, header.check(cell, 0));
        assertEquals(6, ShoalHeader.destination(ShoalHeader.read(cell, 0)));
        cell.set(ValueLayout.JAVA_BYTE, 40, (byte) 1);
        assertEquals(HeaderFault.CRC, header.check(cell, 0));
    }
}
