package dev.skerry.nic.stardust.element;

import dev.skerry.codec.StardustControl;
import dev.skerry.dataplane.random.CounterRandom;
import dev.skerry.nic.fault.FaultState;
import dev.skerry.nic.host.LongFifo;
import dev.skerry.nic.stardust.element.ForwardingTable.ReachTable;
import dev.skerry.nic.stardust.fabric.DeviceRange;
import dev.skerry.nic.stardust.fabric.ReachTiming;
import dev.skerry.nic.stardust.fabric.Stardust;
import dev.skerry.schedule.FoldedClos;
import dev.skerry.schedule.UpDownReach;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Sends and receives the reachability messages of a bank's devices (docs/spec/stardust.md §6). An adapter announces
 * itself. An element announces to devices above it the adapters to which its down-links lead, and to devices below it
 * the adapters to which any of its other links leads. Not thread-safe.
 */
public final class StardustReach {
    private static final int BLOCK = ReachTiming.BLOCK;
    private static final int USE_PHASE = 5;

    private final FoldedClos clos;
    private final DeviceRange share;
    private final FaultState faults;
    private final ReachMessages messages;
    private final ForwardingTable forwarding;
    private final Listener listener;
    private final int delay;
    private final int period;
    private final int blocks;
    private final int settleSlots;
    /** First device of the tables. */
    private final int base;
    private final ReachTable[] tables;
    private final int[][] speakers;
    private final int[][] listeners;
    /** Ports that lose their signal, and ports whose peer reports the loss, with the slot in which this is known. */
    private final LongFifo dark = new LongFifo();
    private final LongFifo unheard = new LongFifo();
    private long lastChange;
    /** Null if messages use no link bandwidth. */
    private IntConsumer rides;
    private final long[] lows;
    private final long[] highs;

    /** Receives changes of reachability. */
    @FunctionalInterface
    public interface Listener {
        /** Called when an adapter of the bank reaches different adapters, or reaches them over different links. */
        void onChange(long slot, int adapter);
    }

    /**
     * Creates the tables of a settled fabric.
     *
     * @param reach reachability at slot 0; links to devices that are not present have failed.
     */
    public StardustReach(final Stardust fabric, final DeviceRange share, final ReachTiming healing,
        final FaultState faults, final ReachMessages messages, final ForwardingTable forwarding,
        final UpDownReach reach, final Listener listener) {
        this.clos = fabric.clos();
        this.share = share;
        this.faults = faults;
        this.messages = messages;
        this.forwarding = forwarding;
        this.listener = listener;
        this.delay = fabric.linkSlots();
        this.period = healing.period(delay);
        this.blocks = ReachTiming.blocks(clos);
        this.settleSlots = healing.settleSlots(clos, delay);
        this.base = share.base();
        this.tables = new ReachTable[share.span()];
        share.devices().forEach(device -> start(device, reach, healing));
        this.speakers = byPhase(share.devices(), device -> phase(fabric, device, period));
        this.listeners = byPhase(share.connectedPorts(), port -> phase(fabric, clos.deviceOf(clos.peer(port)), period));
        final int most = share.devices().map(clos::ports).max().orElse(0);
        this.lows = new long[most + 1];
        this.highs = new long[most + 1];
    }

    /** Returns the number of slots within which all tables reflect a change that messages report. */
    public int settleSlots() {
        return settleSlots;
    }

    /**
     * Returns the last slot in which the reachability or the links of a device of the bank changed; 0 if they have not
     * changed.
     */
    public long lastChange() {
        return lastChange;
    }

    /** Returns the number of links over which an adapter of the bank may send. */
    public int usable(final int adapter) {
        return (int) IntStream.range(0, clos.ports(adapter)).filter(tables[adapter - base]::isUsable).count();
    }

    /** Tells whether an adapter of the bank has a path to another adapter. */
    public boolean reaches(final int adapter, final int other) {
        for (int link = 0; link < clos.ports(adapter); link++) {
            if (tables[adapter - base].leads(link, other)) {
                return true;
            }
        }
        return adapter == other;
    }

    /**
     * Applies the fault changes of a slot. The receiver at the end of a cut link loses its signal; its other end
     * reports this to the sender, as link layers do.
     */
    public void onFaults(final long slot) {
        share.connectedPorts().forEach(port -> {
            final int device = clos.deviceOf(port);
            final int other = clos.deviceOf(clos.peer(port));
            if (faults.isLost(other, device)) {
                dark.add(slot + delay, port);
            } else if (faults.isLost(device, other)) {
                unheard.add(slot + 2L * delay, port);
            }
        });
    }

    /** Records a damaged cell that arrived at a port of a device. */
    public void onDamage(final long slot, final int device, final int port) {
        tables[device - base].onDamage(port - clos.firstPort(device));
        learn(slot, device);
    }

    private void loseSignals(final long slot, final LongFifo ports) {
        while (!ports.isEmpty() && ports.first() <= slot) {
            ports.poll();
            final int port = (int) ports.poll();
            final int device = clos.deviceOf(port);
            if (!faults.isDown(device)) {
                tables[device - base].onSignalLost(port - clos.firstPort(device));
                learn(slot, device);
            }
        }
    }

    private void learn(final long slot, final int device) {
        if (tables[device - base].takeChange()) {
            lastChange = slot;
            forwarding.learn(device, tables[device - base]);
            if (device < clos.fas()) {
                listener.onChange(slot, device);
            }
        }
    }

    /** Receives the messages of a slot, and records missing ones. */
    public void hear(final long slot) {
        loseSignals(slot, dark);
        loseSignals(slot, unheard);
        final long sent = slot - delay;
        if (sent < 0) {
            return;
        }
        final long turn = sent / period;
        final int block = (int) (turn % blocks);
        for (final int port : listeners[(int) (sent % period)]) {
            final int device = clos.deviceOf(port);
            final int from = clos.peer(port);
            final int link = port - clos.firstPort(device);
            final ReachTable table = tables[device - base];
            if (faults.isDown(device)) {
                continue;
            }
            if (messages.wasSent(sent, turn, from) && !faults.isLost(clos.deviceOf(from), device)) {
                table.onMessage(link, block, messages.low(turn, from), messages.high(turn, from),
                    messages.isFaulty(turn, from));
            } else {
                table.onMissed(link);
            }
            learn(slot, device);
        }
    }

    /** Sets a consumer of the ports through which messages leave. */
    public void connect(final IntConsumer ports) {
        this.rides = ports;
    }

    /** Sends the messages of a slot; returns their size on the links in bytes. */
    public long speak(final long slot) {
        final long turn = slot / period;
        final int block = (int) (turn % blocks);
        long sent = 0;
        for (final int device : speakers[(int) (slot % period)]) {
            if (!faults.isDown(device)) {
                speak(slot, turn, block, device);
                sent += clos.ports(device);
                for (int port = clos.firstPort(device); rides != null && port < clos.firstPort(device + 1); port++) {
                    rides.accept(port);
                }
            }
        }
        return sent * StardustControl.frameBytes(StardustControl.REACHABILITY);
    }

    private void speak(final long slot, final long turn, final int block, final int device) {
        final ReachTable table = tables[device - base];
        final int ports = clos.ports(device);
        final int down = clos.downPorts(device);
        final boolean mine = device < clos.fas() && device / BLOCK == block;
        // Union over the links after each one, computed backwards; the union over the links before it is computed
        // forwards below.
        lows[ports] = 0;
        highs[ports] = 0;
        for (int link = ports - 1; link >= 0; link--) {
            lows[link] = lows[link + 1] | table.word(link, 2 * block);
            highs[link] = highs[link + 1] | table.word(link, 2 * block + 1);
        }
        long low = 0;
        long high = 0;
        for (int link = 0; link < ports; link++) {
            final boolean leadsDown = link < down;
            final long self = mine ? 1L << device : 0;
            final boolean inHigh = (device & BLOCK / 2) != 0;
            messages.send(slot, turn, clos.firstPort(device) + link,
                device < clos.fas() ? inHigh ? 0 : self : leadsDown ? low | lows[link + 1] : low,
                device < clos.fas() ? inHigh ? self : 0 : leadsDown ? high | highs[link + 1] : high,
                table.isFailed(link));
            if (leadsDown) {
                low |= table.word(link, 2 * block);
                high |= table.word(link, 2 * block + 1);
            }
        }
    }

    private void start(final int device, final UpDownReach reach, final ReachTiming healing) {
        tables[device - base] = new ReachTable(clos.ports(device), clos.fas(), healing);
        for (int link = 0; link < clos.ports(device); link++) {
            final int port = clos.firstPort(device) + link;
            if (!reach.deployment().isLive(port)) {
                tables[device - base].startFailed(link);
                continue;
            }
            final int other = clos.deviceOf(clos.peer(port));
            for (int fa = 0; fa < clos.fas() && !healing.bringUp(); fa++) {
                if (link < clos.downPorts(device) ? reach.reachesDown(other, fa) : reach.reaches(other, fa)) {
                    tables[device - base].start(link, fa);
                }
            }
        }
    }

    /** Returns the slot within a period in which a device sends its messages. */
    public static int phase(final Stardust fabric, final int device, final int period) {
        return CounterRandom.below(CounterRandom.bits(fabric.seed(), device, 0, USE_PHASE), period);
    }

    private int[][] byPhase(final IntStream numbers, final IntUnaryOperator phaseOf) {
        final Map<Integer, List<Integer>> phases = numbers.boxed()
            .collect(Collectors.groupingBy(phaseOf::applyAsInt));
        return IntStream.range(0, period).mapToObj(phase -> phases.getOrDefault(phase, List.of()).stream()
            .mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
    }

    /**
     * The last two reachability messages sent into each port, by parity of the period. The sender writes a message in
     * its slot, and the receiver reads it one link delay later.
     *
     * <pre>
     *   port and turn:   slot sent | first 64 adapters of the block | the other 64 | whether the sender considers the
     *                                                                                link faulty
     * </pre>
     */
    public static final class ReachMessages {
        private final long[] sentIn;
        private final long[] low;
        private final long[] high;
        private final boolean[] faulty;

        public ReachMessages(final int ports) {
            this.sentIn = new long[2 * ports];
            this.low = new long[2 * ports];
            this.high = new long[2 * ports];
            this.faulty = new boolean[2 * ports];
            Arrays.fill(sentIn, -1);
        }

        /** Sends a message into a port. */
        public void send(final long slot, final long turn, final int port, final long first, final long second,
            final boolean isFaulty) {
            final int at = at(turn, port);
            sentIn[at] = slot;
            low[at] = first;
            high[at] = second;
            faulty[at] = isFaulty;
        }

        /** Tells whether a message was sent into a port in a slot; {@code turn} is the period of the slot. */
        public boolean wasSent(final long slot, final long turn, final int port) {
            return sentIn[at(turn, port)] == slot;
        }

        /** Returns the first 64 adapters of the block. */
        public long low(final long turn, final int port) {
            return low[at(turn, port)];
        }

        /** Returns the other 64 adapters of the block. */
        public long high(final long turn, final int port) {
            return high[at(turn, port)];
        }

        /** Tells whether the sender considers the link faulty. */
        public boolean isFaulty(final long turn, final int port) {
            return faulty[at(turn, port)];
        }

        private static int at(final long turn, final int port) {
            return 2 * port + (int) (turn & 1);
        }
    }
}
