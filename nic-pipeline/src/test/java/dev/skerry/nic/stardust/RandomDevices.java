package dev.skerry.nic.stardust;

import dev.skerry.codec.CellPacker.Packing;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.stardust.DeviceModel.DeviceSignals;
import dev.skerry.nic.stardust.fabric.CellCut;
import dev.skerry.nic.stardust.fabric.Control;
import dev.skerry.nic.stardust.fabric.Credits;
import dev.skerry.nic.stardust.fabric.Credits.ClassRules;
import dev.skerry.nic.stardust.fabric.Fabrics;
import dev.skerry.nic.stardust.fabric.HostSide;
import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.nic.stardust.fabric.StardustCell;
import dev.skerry.schedule.FoldedClosConfig;
import dev.skerry.schedule.UpDownReach;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** A fabric of devices that draw every choice that the laws leave them, of a random size and shape. */
final class RandomDevices extends Wires {
    private static final int MOST_FLOWS = 1500;

    final Stardust fabric;
    final FlowSet flows;
    /** Slots by which cells and pauses take effect late, at most. */
    final int late;
    long cells;
    private final SplittableRandom random;
    private final UpDownReach reach;
    private final Device[] devices;

    RandomDevices(final long seed) {
        this(new SplittableRandom(seed), seed);
    }

    private RandomDevices(final SplittableRandom random, final long seed) {
        this(fabric(random, seed), random);
    }

    private RandomDevices(final Stardust fabric, final SplittableRandom random) {
        super(fabric);
        this.fabric = fabric;
        this.random = random;
        this.late = random.nextInt(3);
        this.reach = new UpDownReach(fabric.deployment());
        this.flows = flows();
        this.devices = new Device[fabric.clos().devices()];
        for (int device = 0; device < devices.length; device++) {
            devices[device] = device < fabric.clos().fas() ? new Adapter(device) : new Device(device);
        }
    }

    private static Stardust fabric(final SplittableRandom random, final long seed) {
        final FoldedClosConfig shape = random.nextBoolean() ? Fabrics.SMALL
            : new FoldedClosConfig(8, 2 + random.nextInt(3), 1, 2 + random.nextInt(6), 0, List.of());
        final int ports = 1 + random.nextInt(2);
        final int classes = 1 + random.nextInt(2);
        final int credit = 1024 << random.nextInt(3);
        final Credits credits = new Credits(credit, 900, random.nextBoolean() ? 0 : credit,
            random.nextBoolean() ? 0 : 20, Double.POSITIVE_INFINITY, false);
        return new Stardust(Fabrics.full(shape), 1 + random.nextInt(4),
            new HostSide(ports, 1 + random.nextInt(2), classes, 880, 1 << 16, 1 << 15, false),
            new CellCut(64 + random.nextInt(3000), 256, random.nextBoolean(), random.nextBoolean()
                ? Packing.CONTINUOUS : Packing.NONE), classes == 1 || random.nextBoolean() ? credits
                : credits.with(ClassRules.STRICT.withLowLatency(0.05)), LinkRules.USUAL, true, seed);
    }

    private FlowSet flows() {
        final FlowSet set = new FlowSet();
        final int nodes = fabric.nodes();
        for (int flow = 0; flow < MOST_FLOWS; flow++) {
            final int from = random.nextInt(nodes);
            final long bytes = 1 + random.nextInt(random.nextInt(3) == 0 ? 200_000 : 3_000);
            set.add(flow, from, (from + 1 + random.nextInt(nodes - 1)) % nodes, bytes, (int) (bytes / 256) + 1,
                flow * 2L);
            set.setClass(random.nextInt(fabric.hosts().classes()));
        }
        return set;
    }

    @Override
    DeviceSignals step(final int device, final long slot, final DeviceSignals in) {
        return devices[device].step(slot, in);
    }

    /** An element; and what an adapter does to its links. */
    private class Device {
        final int device;
        final DeviceSignals out;
        /** Slots by which this device is late. */
        private final int delay = random.nextInt(late + 1);
        /** By link: cells of both orders, first, second and the slot from which they may leave; and late pauses. */
        private final List<List<Deque<long[]>>> queues = new ArrayList<>();
        private final List<Deque<Boolean>> pauses = new ArrayList<>();
        private final boolean[] pausing;

        Device(final int device) {
            this.device = device;
            this.out = new DeviceSignals(fabric.clos().ports(device));
            this.pausing = new boolean[out.links()];
            for (int link = 0; link < out.links(); link++) {
                queues.add(List.of(new ArrayDeque<>(), new ArrayDeque<>()));
                pauses.add(new ArrayDeque<>());
                IntStream.range(0, delay).forEach(each -> pauses.getLast().add(false));
            }
        }

        DeviceSignals step(final long slot, final DeviceSignals in) {
            out.clear();
            final int from = random.nextInt(in.links());
            for (int i = 0; i < in.links(); i++) {
                final int link = (from + i) % in.links();
                if (in.first(link) != 0) {
                    receive(slot, in.first(link), in.second(link));
                }
            }
            act(slot, in);
            for (int link = 0; link < in.links(); link++) {
                pauses.get(link).add(in.pause(link));
                if (!pauses.get(link).poll()) {
                    sendFrom(slot, link);
                }
                pausing[link] = random.nextInt(pausing[link] ? 8 : 100) == 0 ^ pausing[link];
                out.setPause(link, pausing[link]);
            }
            return out;
        }

        void receive(final long slot, final long first, final long second) {
            join(slot + delay, StardustCell.to(first), first, second);
        }

        void act(final long slot, final DeviceSignals in) {
        }

        /** A cell joins the queue of a random link that leads to its destination. */
        final void join(final long from, final int to, final long first, final long second) {
            final int[] links = IntStream.range(0, out.links()).filter(link -> reach.leads(device, link, to)).toArray();
            queues.get(links[random.nextInt(links.length)]).get(StardustCell.order(first))
                .add(new long[] {first, second, from});
        }

        private void sendFrom(final long slot, final int link) {
            for (final Deque<long[]> queue : queues.get(link)) {
                if (!queue.isEmpty() && queue.peek()[2] <= slot) {
                    final long[] cell = queue.poll();
                    final int level = random.nextInt(20) == 0 ? 1 + random.nextInt(3) : 0;
                    out.setCell(link, StardustCell.marked(cell[0], level), cell[1]);
                    return;
                }
            }
        }

        final int waiting() {
            return queues.stream().mapToInt(queue -> queue.get(0).size() + queue.get(1).size()).sum();
        }
    }

    /** A queue for another adapter, and the credits that it has. */
    private static final class Queue {
        private final int to;
        private final int number;
        private final boolean isFree;
        /** Packets by length, as the flows have started. */
        private final Deque<Integer> packets = new ArrayDeque<>();
        private int bytes;
        private int balance;
        private boolean asks;
        private int cell;
        private int place;

        Queue(final int to, final int number, final boolean isFree) {
            this.to = to;
            this.number = number;
            this.isFree = isFree;
        }
    }

    /** An adapter: what asks for credits, who gets them and which are used first is drawn. */
    private final class Adapter extends Device {
        private final int perPair = fabric.hosts().queues();
        private final List<Queue> queues = new ArrayList<>();
        /** Streams that ask for credits; and by stream the number of its last credit. */
        private final List<Integer> askers = new ArrayList<>();
        private final int[] numbers = new int[fabric.clos().fas() * perPair];
        private int started;

        Adapter(final int device) {
            super(device);
            for (int each = 0; each < numbers.length; each++) {
                queues.add(new Queue(each / perPair, each % perPair, each % fabric.hosts().classes()
                    < fabric.credits().classes().withoutCredit()));
            }
        }

        @Override
        void receive(final long slot, final long first, final long second) {
        }

        @Override
        void act(final long slot, final DeviceSignals in) {
            for (int i = 0; i < in.messages(); i++) {
                hear(in.message(i));
            }
            for (; started < flows.size() && flows.startSlot(started) <= slot; started++) {
                start(started);
            }
            for (int i = 0; i < 4; i++) {
                ask(queues.get(random.nextInt(queues.size())));
                final Queue queue = queues.get(random.nextInt(queues.size()));
                if (waiting() < 40 && queue.bytes > 0 && (queue.isFree || queue.balance > 0)) {
                    release(slot, queue);
                }
            }
            if (!askers.isEmpty() && random.nextInt(3) == 0) {
                grant(askers.get(random.nextInt(askers.size())));
            }
        }

        private void hear(final long message) {
            final int stream = Control.issuer(message) * perPair + Control.queue(message);
            if (Control.kind(message) != Control.CREDIT) {
                askers.remove((Integer) stream);
                if (Control.kind(message) == Control.WANT) {
                    askers.add(stream);
                }
                return;
            }
            final Queue queue = queues.get(stream);
            queue.balance += Control.worth(message);
            dropSurplus(queue);
        }

        private void dropSurplus(final Queue queue) {
            if (queue.bytes == 0) {
                queue.balance = Math.min(queue.balance, fabric.credits().capBytes());
            }
        }

        private void start(final int flow) {
            final int to = flows.destination(flow) / fabric.hosts().ports();
            if (flows.source(flow) / fabric.hosts().ports() != device || to == device) {
                return;
            }
            final Queue queue = queues.get(to * perPair + fabric.hosts().queue(flows.source(flow),
                flows.destination(flow), flows.id(flow), flows.trafficClass(flow)));
            for (long left = flows.bytes(flow); left > 0; left -= fabric.cut().packetBytes()) {
                queue.packets.add((int) Math.min(left, fabric.cut().packetBytes()));
                queue.bytes += queue.packets.getLast();
            }
        }

        private void ask(final Queue queue) {
            final boolean wants = queue.bytes > queue.balance;
            if (!queue.isFree && queue.asks != wants && random.nextInt(3) > 0) {
                queue.asks = wants;
                out.add(Control.message(queue.to, device, queue.number, wants ? Control.WANT : Control.ENOUGH, 0));
            }
        }

        private void grant(final int stream) {
            numbers[stream] = numbers[stream] + 1 & 15;
            out.add(Control.message(stream / perPair, device, stream % perPair, Control.CREDIT, Control.credit(
                random.nextInt(4) > 0 ? fabric.credits().bytes() : 1 + random.nextInt(fabric.credits().bytes()),
                numbers[stream])));
        }

        /** Cuts some packets, as many as the credits allow at most. */
        private void release(final long slot, final Queue queue) {
            int run = 0;
            do {
                final int length = queue.packets.poll();
                queue.bytes -= length;
                queue.balance -= queue.isFree ? 0 : length + fabric.credits().adjustBytes();
                run += length + fabric.cut().prefixBytes();
                if (!fabric.cut().continuous() || !queue.isFree && queue.balance <= 0 || queue.bytes == 0
                    || random.nextInt(4) == 0) {
                    cut(slot, queue, run);
                    run = 0;
                }
            } while (queue.bytes > 0 && (queue.isFree || queue.balance > 0) && (run > 0 || random.nextInt(3) > 0));
            dropSurplus(queue);
        }

        private void cut(final long slot, final Queue queue, final int run) {
            final long route = StardustCell.route(queue.to, device, fabric.order(queue.number));
            for (int left = run; left > 0;) {
                final int bytes = Math.min(left, fabric.cut().cellBytes());
                left -= bytes;
                join(slot, queue.to, StardustCell.first(route, bytes, left == 0, slot),
                    StardustCell.second(queue.number, queue.cell++, queue.place));
                queue.place += bytes;
                cells++;
            }
        }
    }
}
