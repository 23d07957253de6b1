package dev.skerry.nic.shoal.stage;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.HeaderFault;
import dev.skerry.codec.ShoalControl;
import dev.skerry.codec.ShoalHeader;
import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.nic.fabric.Bank;
import dev.skerry.nic.fault.ByteDamage;
import dev.skerry.nic.fault.LinkFaultInjector;
import dev.skerry.nic.flow.Cell;
import dev.skerry.nic.flow.PayloadStore;
import dev.skerry.nic.shoal.ClassedCell;
import dev.skerry.nic.shoal.ReportWord;
import dev.skerry.nic.shoal.ShoalCell;

import java.lang.foreign.MemorySegment;

/**
 * Transmissions of Shoal as bytes that links damage (docs/spec/shoal.md §6.2): the header is written by its codec, the
 * payload is that of the cell where the run keeps payloads, or the message of a control cell. What is wrong in a
 * damaged report is changed in the header's bytes; else a burst hits the CRC or the payload. One bank, one thread.
 */
final class ShoalFrame implements ByteDamage.Frame, LinkFaultInjector.Bytes {
    private final ShoalHeader header;
    private final InFlightCells link;
    private final PayloadStore store;
    private final ControlCells control;
    private final ByteDamage damage;
    private int id;
    private long at;
    private long found;

    ShoalFrame(final int nodes, final Bank.Ends ends, final ControlCells control) {
        this.header = new ShoalHeader(nodes, ends.flows().classes(), CellFormat.SHOAL);
        this.link = ends.link();
        this.store = ends.store();
        this.control = control;
        this.damage = new ByteDamage(this);
    }

    @Override
    public void hit(final int from, final long place, final long wrongBits, final long noise) {
        id = from;
        at = place;
        final HeaderFault fault = noise >= 0 ? damage.damageFrom(ShoalHeader.BYTES, noise)
            : damage.damage(Integer.BYTES, Integer.reverseBytes(wrongBits == 0 ? 1 : ReportWord.inHeader(wrongBits)));
        found += fault == HeaderFault.NONE ? 0 : 1;
    }

    /** Damaged transmissions that the CRC of the cell finds; only the frame around it finds the others. */
    long found() {
        return found;
    }

    @Override
    public int cellBytes() {
        return CellFormat.SHOAL.cellBytes();
    }

    @Override
    public void writeTo(final MemorySegment frame) {
        final long route = link.route(at);
        final long word = link.feedback(at);
        final int report = Math.min(ReportWord.feedback(word), header.maxFeedback());
        final int lcd = ReportWord.isDropped(word) ? ShoalHeader.LCD : 0;
        final MemorySegment payload = frame.asSlice(ShoalHeader.BYTES);
        payload.fill((byte) 0);
        if (InFlightCells.isCell(route)) {
            store.copy(link.cell(at), payload);
            header.encode(frame, 0, ClassedCell.source(route), ShoalCell.destination(route),
                ClassedCell.trafficClass(route), Cell.sequence(store.identify(link.cell(at))), report, lcd);
        } else if (route == InFlightCells.CONTROL) {
            payload.copyFrom(control.bytes().asSlice(control.offset(at), ShoalControl.BYTES));
            header.encodeControl(frame, 0, id, report, lcd);
        } else {
            header.encodeDummy(frame, 0, id, report, lcd);
        }
    }

    @Override
    public HeaderFault check(final MemorySegment frame) {
        return header.check(frame, 0);
    }
}
