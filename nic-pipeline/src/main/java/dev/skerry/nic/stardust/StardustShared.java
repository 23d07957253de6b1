package dev.skerry.nic.stardust;

import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.element.Pauses;
import dev.skerry.nic.stardust.element.Pipes;
import dev.skerry.nic.stardust.fabric.CellFrames;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.HostModel.Reno;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.host.FlowOutcomes;
import dev.skerry.nic.stardust.host.Packets;
import dev.skerry.nic.stardust.host.RenoHosts;
import dev.skerry.nic.stardust.host.RenoReceiver;
import dev.skerry.nic.stardust.host.Sender;
import dev.skerry.nic.stardust.reach.StardustReach.ReachMessages;
import dev.skerry.schedule.Deployment;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * What the banks of a run have in common. What lies between two banks is one's to write in a slot, and the other's to
 * read after it has seen that the slot was done: at a barrier, or by a {@link
 * dev.skerry.dataplane.circuit.SlotGate}.
 *
 * @param pipes        cells under way.
 * @param pauses       who paused.
 * @param controls     the messages of each bank that has adapters, which are the first ones.
 * @param flowOutcomes the fate of each flow.
 * @param packets      all packets.
 * @param ends         the ends of all connections, null unless hosts speak TCP.
 * @param reach        who reaches whom at the start.
 * @param messages     reachability messages under way, null where nothing ever fails.
 * @param frames       bytes of cells, null unless a run checks them.
 */
record StardustShared(Pipes pipes, Pauses pauses, Control[] controls, FlowOutcomes flowOutcomes, Packets packets,
    RenoHosts.Ends ends, UpDownReach reach, ReachMessages messages, CellFrames frames) {

    /** Before slot 0. */
    static StardustShared of(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
        final ReachTiming healing, final DeviceRange[] shares, final boolean check) {
        final FoldedClos clos = fabric.clos();
        // A slot overwrites what was sent two delays before; who receives it has read it by then, see SlotGate.
        final int window = 2 * fabric.linkSlots();
        final Control[] controls = new Control[(int) Arrays.stream(shares).filter(DeviceRange::hasAdapters).count()];
        // The last message is heard after 2 n delays, and banks of adapters are up to two delays apart; a link that it
        // rides on may be an element's that is up to 2 n - 1 delays behind.
        Arrays.setAll(controls, bank -> new Control((fabric.links().carriesControl() ? 2 * clos.tiers()
            : clos.tiers() + 1) * window));
        final int[] bankOf = DeviceRange.bankOf(clos, shares);
        final int[][] neighbours = Arrays.stream(shares).map(share -> share.neighbours(bankOf))
            .toArray(int[][]::new);
        final Reno reno = fabric.hosts().model() instanceof final Reno rules ? rules : null;
        final FlowOutcomes outcomes = new FlowOutcomes(arena, flows.size());
        return new StardustShared(new Pipes(arena, clos, shares, window),
            new Pauses(neighbours, window), controls, outcomes, Packets.of(arena, fabric, flows),
            reno == null ? null : new RenoHosts.Ends(Sender.table(arena, flows.size(), reno),
            RenoReceiver.table(arena, flows.size(), reno), outcomes),
            new UpDownReach(present(fabric.deployment(), faults)),
            healing.speaks(faults) ? new ReachMessages(clos.ports()) : null,
            check && CellFrames.canCarry(fabric) ? new CellFrames(arena, fabric) : null);
    }

    /**
     * Around a device that runs alone, before slot 0.
     *
     * @param shares as {@link DeviceRange#around} has them; bank 1 is the device.
     */
    static StardustShared around(final Arena arena, final Stardust fabric, final FlowSet flows, final Faults faults,
        final ReachTiming healing, final DeviceRange[] shares) {
        final FoldedClos clos = fabric.clos();
        final int window = 2 * fabric.linkSlots();
        final Control[] controls = new Control[shares.length];
        Arrays.setAll(controls, bank -> new Control((clos.tiers() + 1) * window));
        final int[][] neighbours = new int[shares.length][];
        Arrays.setAll(neighbours, bank -> new int[] {0, 2});
        return new StardustShared(new Pipes(arena, clos, shares, window, 1), new Pauses(neighbours, window), controls,
            new FlowOutcomes(arena, flows.size()), Packets.of(arena, fabric, flows), null,
            new UpDownReach(present(fabric.deployment(), faults)),
            healing.speaks(faults) ? new ReachMessages(clos.ports()) : null, null);
    }

    /** Devices, and links in both directions, that are down from the beginning are not there yet: they may join. */
    private static Deployment present(final Deployment all, final Faults faults) {
        final FoldedClos clos = all.clos();
        final Set<Long> lacking = new HashSet<>();
        Deployment present = all;
        for (final Fault fault : faults.plan().faults()) {
            if (fault instanceof final Fault.Node node && node.slot() == 0 && !node.up()) {
                present = present.without(node.node());
            } else if (fault instanceof final Fault.Link link && link.slot() == 0 && !link.up()) {
                lacking.add((long) link.from() << Integer.SIZE | link.to());
                for (int port = clos.firstPort(link.from()); port < clos.firstPort(link.from() + 1); port++) {
                    if (clos.peer(port) != FoldedClos.NONE && clos.deviceOf(clos.peer(port)) == link.to()
                        && lacking.contains((long) link.to() << Integer.SIZE | link.from())) {
                        present = present.withoutLink(port);
                    }
                }
            }
        }
        return present;
    }
}
