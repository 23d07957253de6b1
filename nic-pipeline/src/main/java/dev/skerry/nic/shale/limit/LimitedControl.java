package dev.skerry.nic.shale.limit;

import dev.skerry.dataplane.circuit.InFlightCells;
import dev.skerry.dataplane.queue.SpillPool;
import dev.skerry.nic.fabric.FabricLaws;
import dev.skerry.nic.fabric.Traffic;
import dev.skerry.nic.shale.CongestionControl;
import dev.skerry.nic.shale.ControlFactory;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.Shale;

import java.lang.foreign.Arena;
import java.util.List;

/**
 * Makes the congestion control of a bank of nodes whose hardware is limited (docs/spec/shale.md §9.6).
 *
 * @param limits    of each node.
 * @param control   what decides where there is room.
 * @param hasTokens whether it spends and returns tokens; without them only PIEOs, cell FIFOs and clocks are counted.
 */
public record LimitedControl(HostLimits limits, ControlFactory control, boolean hasTokens) implements ControlFactory {
    @Override
    public CongestionControl begin(final Arena arena, final Shale shale, final int nodes, final SpillPool pool) {
        return new HostControl(limits, shale, nodes, control.begin(arena, shale, nodes, pool), hasTokens);
    }

    @Override
    public void check(final Shale shale, final Traffic traffic) {
        control.check(shale, traffic);
        if (traffic.mayFail()) {
            throw new IllegalArgumentException("limits of nodes and faults during a run are not combined");
        }
        if (limits.pieoEntries() != HostLimits.UNLIMITED && shale.mechanisms().order() != QueueOrder.ARRIVAL) {
            throw new IllegalArgumentException("a PIEO of few entries keeps the order of arrival: mechanisms="
                + shale.mechanisms());
        }
    }

    @Override
    public long bytes(final Shale shale, final int nodes) {
        return control.bytes(shale, nodes);
    }

    @Override
    public FabricLaws laws(final Shale shale, final List<BankState> banks, final InFlightCells link) {
        final FabricLaws ofControl = control.laws(shale, banks.stream().map(bank -> new BankState(
            ((HostControl) bank.control()).control(), bank.queues(), bank.reach(), bank.range())).toList(), link);
        return slot -> {
            ofControl.check(slot);
            banks.forEach(bank -> new LimitAudit(limits, hasTokens, slot, bank).check(shale.schedule().epochSlots()));
        };
    }
}
