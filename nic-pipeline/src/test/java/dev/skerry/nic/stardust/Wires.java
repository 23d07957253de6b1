package dev.skerry.nic.stardust;

import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.ArrayList;
import java.util.List;

/** A fabric of devices that are stepped one by one. Its links are the signals sent in earlier slots. */
abstract class Wires {
    private final Stardust fabric;
    private final FoldedClos clos;
    private final int delay;
    /** By slot modulo the window, and device. */
    private final DeviceSignals[][] sent;
    private final DeviceSignals[] received;

    Wires(final Stardust fabric) {
        this.fabric = fabric;
        this.clos = fabric.clos();
        this.delay = fabric.linkSlots();
        this.received = new DeviceSignals[clos.devices()];
        this.sent = new DeviceSignals[2 * clos.tiers() * delay + 1][received.length];
        for (int device = 0; device < received.length; device++) {
            received[device] = new DeviceSignals(clos.ports(device));
            for (final DeviceSignals[] row : sent) {
                row[device] = new DeviceSignals(clos.ports(device));
            }
        }
    }

    /** A device takes its slot; returns what it sends. */
    abstract DeviceSignals step(int device, long slot, DeviceSignals in);

    /** Each device takes its slot, in the order of a list or its reverse, as it must not matter. */
    final void step(final long slot, final boolean backwards) {
        for (int i = 0; i < received.length; i++) {
            final int device = backwards ? received.length - 1 - i : i;
            deliver(slot, device);
            copy(step(device, slot, received[device]), row(slot)[device]);
        }
    }

    final DeviceSignals received(final int device) {
        return received[device];
    }

    final DeviceSignals sent(final long slot, final int device) {
        return row(slot)[device];
    }

    /** Cells on all links in a slot, by the port where they come out. */
    List<String> cells(final long slot) {
        final List<String> cells = new ArrayList<>();
        for (int port = 0; port < clos.ports(); port++) {
            final int from = clos.peer(port);
            if (from != FoldedClos.NONE) {
                final DeviceSignals of = row(slot)[clos.deviceOf(from)];
                final int link = from - clos.firstPort(clos.deviceOf(from));
                if (of.first(link) != 0) {
                    cells.add(cell(port, of.first(link), of.second(link)));
                }
            }
        }
        return cells;
    }

    static String cell(final int port, final long first, final long second) {
        return port + " " + Long.toHexString(first) + " " + Long.toHexString(second);
    }

    private DeviceSignals[] row(final long slot) {
        return sent[(int) (slot % sent.length)];
    }

    private void deliver(final long slot, final int device) {
        final DeviceSignals to = received[device];
        to.clear();
        for (int link = 0; slot >= delay && link < to.links(); link++) {
            final int peer = clos.peer(clos.firstPort(device) + link);
            if (peer != FoldedClos.NONE) {
                final DeviceSignals from = row(slot - delay)[clos.deviceOf(peer)];
                final int of = peer - clos.firstPort(clos.deviceOf(peer));
                to.setCell(link, from.first(of), from.second(of));
                to.setPause(link, from.pause(of));
                if (from.report(of)) {
                    to.setReport(link, from.low(of), from.high(of), from.faulty(of));
                }
            }
        }
        for (int issuer = clos.fas() - 1; device < clos.fas() && issuer >= 0; issuer--) {
            final int wait = DeviceModel.messageSlots(fabric, device, issuer);
            final DeviceSignals from = slot < wait || issuer == device ? null : row(slot - wait)[issuer];
            for (int i = 0; from != null && i < from.messages(); i++) {
                if (Control.target(from.message(i)) == device) {
                    to.add(from.message(i));
                }
            }
        }
    }

    static void copy(final DeviceSignals from, final DeviceSignals to) {
        to.clear();
        for (int link = 0; link < from.links(); link++) {
            to.setCell(link, from.first(link), from.second(link));
            to.setPause(link, from.pause(link));
            if (from.report(link)) {
                to.setReport(link, from.low(link), from.high(link), from.faulty(link));
            }
        }
        for (int i = 0; i < from.messages(); i++) {
            to.add(from.message(i));
        }
    }
}
