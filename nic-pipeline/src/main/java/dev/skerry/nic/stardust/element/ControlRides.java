package dev.skerry.nic.stardust.element;

import dev.skerry.codec.StardustControl;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.stardust.credit.Control;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.reach.StardustReach;
import dev.skerry.schedule.FoldedClos;

/**
 * The links that requests and credits ride on and take their bytes of (docs/spec/stardust.md §4): up from their issuer
 * and down to their target by links drawn anew for each message, as many tiers as the two are apart. When they come
 * does not depend on it, as they have a crossbar of their own. Links are charged some delays later, when every bank may
 * read the messages of all others; a link that is down carries its part for nothing. One thread, that of the bank.
 */
final class ControlRides {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int CHOICE_BITS = 16;
    private static final int FRAME_BYTES = StardustControl.frameBytes(StardustControl.REQUEST);
    private static final int REACH_BYTES = StardustControl.frameBytes(StardustControl.REACHABILITY);

    private final FoldedClos clos;
    private final long delay;
    /** Of each bank that has adapters. */
    private final Control[] controls;
    private final LinkPots pots;
    private final int basePort;

    /**
     * Nothing is under way.
     *
     * @param reach    sends messages of its own; null where nothing ever fails.
     * @param pots     of the bank, one a port.
     * @param basePort the first port.
     */
    ControlRides(final Stardust fabric, final Control[] controls, final StardustReach reach, final LinkPots pots,
        final int basePort) {
        this.clos = fabric.clos();
        this.delay = 2L * clos.tiers() * fabric.linkSlots();
        this.controls = controls;
        this.pots = pots;
        this.basePort = basePort;
        if (reach != null) {
            reach.connect(port -> pots.carry(port - basePort, REACH_BYTES));
        }
    }

    /** Charges links for the messages that were sent some delays before a slot. */
    void turn(final long slot) {
        final long sent = slot - delay;
        for (int bank = 0; sent >= 0 && bank < controls.length; bank++) {
            final long[] messages = controls[bank].list(sent);
            final int count = controls[bank].count(sent);
            for (int i = 0; i < count; i++) {
                ride(Control.issuer(messages[i]), Control.target(messages[i]),
                    CounterRandom.mix(messages[i] + sent * GOLDEN));
            }
        }
    }

    /** The same choices lead from both ends to the device where they meet. */
    private void ride(final int issuer, final int target, final long choices) {
        int from = issuer;
        int to = target;
        for (long left = choices; from != to; left >>>= CHOICE_BITS) {
            final int up = choose(from, left);
            final int down = choose(to, left);
            if (clos.peer(up) == FoldedClos.NONE || clos.peer(down) == FoldedClos.NONE) {
                return;
            }
            pots.carry(up - basePort, FRAME_BYTES);
            pots.carry(clos.peer(down) - basePort, FRAME_BYTES);
            from = clos.deviceOf(clos.peer(up));
            to = clos.deviceOf(clos.peer(down));
            if (clos.ports(from) == clos.downPorts(from)) {
                return;
            }
        }
    }

    private int choose(final int device, final long choice) {
        final int down = clos.downPorts(device);
        final int up = clos.ports(device) - down;
        return clos.firstPort(device) + down + (int) ((choice & (1 << CHOICE_BITS) - 1) * up >>> CHOICE_BITS);
    }
}
