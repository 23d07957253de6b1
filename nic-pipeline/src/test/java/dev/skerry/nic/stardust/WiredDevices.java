package dev.skerry.nic.stardust;

import dev.skerry.nic.count.NicCounter;
import dev.skerry.nic.fault.Faults;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;

import java.util.ArrayList;
import java.util.List;

/** A fabric put together from device models. Its links are the signals sent in earlier slots. */
final class WiredDevices implements AutoCloseable {
    private final FoldedClos clos;
    private final int delay;
    private final DeviceModel[] models;
    private final Stardust fabric;
    private final FlowSet flows;
    private final Faults faults;
    private final ReachTiming healing;
    /** By slot modulo the window, and device. */
    private final DeviceSignals[][] sent;
    private final DeviceSignals[] received;

    WiredDevices(final Stardust fabric, final FlowSet flows, final Faults faults, final ReachTiming healing) {
        this.fabric = fabric;
        this.flows = flows;
        this.faults = faults;
        this.healing = healing;
        this.clos = fabric.clos();
        this.delay = fabric.linkSlots();
        this.models = new DeviceModel[clos.devices()];
        this.received = new DeviceSignals[models.length];
        this.sent = new DeviceSignals[2 * clos.tiers() * delay + 1][models.length];
        for (int device = 0; device < models.length; device++) {
            models[device] = new DeviceModel(fabric, flows, faults, healing, device);
            received[device] = new DeviceSignals(clos.ports(device));
            for (final DeviceSignals[] row : sent) {
                row[device] = new DeviceSignals(clos.ports(device));
            }
        }
    }

    /** Each device takes its slot, in the order of a list or its reverse, as it must not matter. */
    void step(final long slot, final boolean backwards) {
        for (int i = 0; i < models.length; i++) {
            final int device = backwards ? models.length - 1 - i : i;
            deliver(slot, device);
            copy(models[device].step(slot, received[device]), row(slot)[device]);
        }
    }

    DeviceModel model(final int device) {
        return models[device];
    }

    /** What a device received in the last slot. */
    DeviceSignals received(final int device) {
        return received[device];
    }

    DeviceSignals sent(final long slot, final int device) {
        return row(slot)[device];
    }

    /** A fresh model takes the place of another one. */
    void replace(final int device) {
        final byte[] state = models[device].save();
        models[device].close();
        models[device] = new DeviceModel(fabric, flows, faults, healing, device);
        models[device].restore(state);
    }

    long digest() {
        long sum = 0;
        for (final DeviceModel model : models) {
            sum += model.digest();
        }
        return sum;
    }

    long count(final NicCounter counter) {
        long sum = 0;
        for (final DeviceModel model : models) {
            sum = counter.join(sum, model.count(counter));
        }
        return sum;
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
        for (int issuer = clos.fas() - 1; models[device].isAdapter() && issuer >= 0; issuer--) {
            final int wait = models[device].messageSlots(issuer);
            final DeviceSignals from = slot < wait || issuer == device ? null : row(slot - wait)[issuer];
            for (int i = 0; from != null && i < from.messages(); i++) {
                if (Control.target(from.message(i)) == device) {
                    to.add(from.message(i));
                }
            }
        }
    }

    private static void copy(final DeviceSignals from, final DeviceSignals to) {
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

    @Override
    public void close() {
        for (final DeviceModel model : models) {
            model.close();
        }
    }
}
