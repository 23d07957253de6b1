package dev.skerry.tools.cosim;

import dev.skerry.nic.follow.FindingLog;
import dev.skerry.nic.follow.FollowRules;
import dev.skerry.nic.stardust.DeviceFollower;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.check.Bounds;
import dev.skerry.tools.run.Scenario;
import dev.skerry.tools.run.stardust.StardustChoice;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Follower of a Stardust adapter or element of another design, one slot per step. Words are those of {@link
 * DeviceTwin}, outputs those of {@link FollowTwin}.
 *
 * <pre>
 *   in    slot | received: five words per link, messages, message 0, ... | sent: five words per link, messages, ...
 *   out   findings so far | findings of this slot | law | link | destination | sprays | held | open
 *         destination, sprays   the other adapter and the queue; link is -1 for a message
 *         held                  cells that an element holds, or that have overtaken others of their stream; open is 0
 * </pre>
 */
final class DeviceFollowTwin implements Twin {
    private final FindingLog log;
    private final DeviceFollower follower;
    private final int room;
    private final int links;
    private final DeviceSignals received;
    private final DeviceSignals sent;

    /**
     * Creates a follower before slot 0.
     *
     * @param run      Stardust run that contains the device.
     * @param messages maximum number of requests and credits in each direction of a row.
     * @param limit    maximum number of findings that are listed.
     */
    DeviceFollowTwin(final Scenario run, final int device, final FollowRules rules, final int messages,
        final int limit) {
        Bounds.refuseIf(((StardustChoice) run.choice()).healing().speaks(run.faults()),
            "devices of Stardust are followed without faults and with known reachability: device=", device);
        this.room = (int) Bounds.require("messages", messages, 1, DeviceTwin.MOST_MESSAGES);
        this.log = new FindingLog(limit);
        final Stardust fabric = (Stardust) run.fabric();
        this.follower = new DeviceFollower(fabric, run.flows(), device, rules, log);
        this.links = fabric.clos().ports(device);
        this.received = new DeviceSignals(links);
        this.sent = new DeviceSignals(links);
    }

    @Override
    public Names names() {
        final List<String> in = new ArrayList<>(List.of("slot"));
        in.addAll(DeviceTwin.words("rx", links, room));
        in.addAll(DeviceTwin.words("tx", links, room));
        return new Names(in, FollowTwin.OUTPUTS);
    }

    @Override
    public Stimulus stimulus(final Map<String, Integer> weights) {
        throw new IllegalArgumentException("a follower needs a device to follow");
    }

    @Override
    public void step(final MemorySegment in, final long inAt, final MemorySegment out, final long outAt) {
        DeviceTwin.read(in, inAt, 1, room, received);
        DeviceTwin.read(in, inAt, 1 + links * DeviceTwin.WORDS.length + 1 + room, room, sent);
        final long before = log.total();
        follower.step(Words.get(in, inAt, 0), received, sent);
        FollowTwin.write(out, outAt, log, before, follower.held(), 0);
    }

    @Override
    public long slot() {
        return follower.slot();
    }

    @Override
    public String report() {
        return log.text();
    }

    @Override
    public long reported() {
        return log.total();
    }
}
