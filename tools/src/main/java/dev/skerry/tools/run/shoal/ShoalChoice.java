package dev.skerry.tools.run.shoal;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.codec.CellFormat;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.fault.ClockTakeover;
import dev.skerry.nic.fault.Fault;
import dev.skerry.nic.fault.FaultPlan;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shoal.FlowOrder;
import dev.skerry.nic.shoal.ReleaseRule;
import dev.skerry.nic.shoal.Resilience;
import dev.skerry.nic.shoal.Shoal;
import dev.skerry.nic.shoal.ShoalParts;
import dev.skerry.reference.ReferenceShoal;
import dev.skerry.schedule.Clos;
import dev.skerry.schedule.Clos.SpineRule;
import dev.skerry.schedule.RoundRobin;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.CircuitChoice;
import dev.skerry.spi.LinkWords;
import dev.skerry.spi.RunOptions;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.run.shoal.ShoalOptions.ClosOptions;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The Shoal fabric that the options of a run define. */
final class ShoalChoice extends CircuitChoice {
    /** 23.25 ns over 4 channels, as in the paper. */
    private static final double SLOT_NS = 5.8125;
    private static final int CHANNELS = 4;
    /** As in the authors' simulator: one channel, and 5.12 ns plus a tenth. */
    private static final double AUTHORS_SLOT_NS = 5.632;
    static final String PLAIN = "plain";
    static final String DELAY = "delay";
    private static final int LINE_BYTES = 64;
    /**
     * A cell counts as lost after a time that grows with the square of the number of nodes, so packets need small
     * fabrics.
     */
    private static final int MOST_NODES_OF_PACKETS = 64;

    private final ShoalOptions own;
    private final ShoalTimes times;
    private final ReleaseRule rule;
    private final boolean authors;
    private final boolean delay;
    private final boolean ageRule;
    private final int channels;
    private final Shoal shoal;
    private final ShoalClocks clocks;
    private final ClosChoice clos;
    private final Configuration configuration;

    ShoalChoice(final RunOptions options) {
        super(new ShoalKind(), options);
        this.own = options.own.of(ShoalOptions.class);
        this.times = new ShoalTimes();
        inRange("--nodes", options.nodes, RoundRobin.MIN_NODES, RoundRobin.MAX_NODES);
        this.rule = Choices.of("--shoal-rule", own.rule, ReleaseRule.EXACT, ReleaseRule.values());
        this.authors = rule == ReleaseRule.AUTHORS_SIMULATOR;
        Choices.refuseIf(!rule.isGuarded() && (options.classBytes != null || options.faults != null), "--shoal-rule",
            rule.label(), (authors ? "that simulator supports no faults and" : "it supports no faults and")
            + " no traffic classes", "leave out --faults and --class-bytes, or use exact");
        inRange("--failed-nodes", options.failedNodes, 0, options.nodes - 2);
        Choices.refuseIf(options.failedNodes > 0 && (options.classBytes != null || options.faults != null),
            "--failed-nodes", options.failedNodes, "nodes that are down from the start cannot be combined with a "
                + "script of faults or with traffic classes", "leave out --faults and --class-bytes, or let the "
                + "script begin with 0 node 0 "
            + "down");
        this.channels = inRange("--channels", options.channels != null ? options.channels
            : authors ? 1 : Math.min(CHANNELS, options.nodes - 1), 1, options.nodes - 1);
        this.delay = Choices.oneOf("--shoal-schedule", own.schedule, PLAIN, DELAY).equals(DELAY);
        final boolean isOff = authors || rule == ReleaseRule.BASIC;
        this.ageRule = Choices.oneOf("--shoal-age-rule", own.ageRule, isOff ? "off" : "on", isOff ? "on" : "off")
            .equals("on");
        final double slotNs = slotNs(options, authors ? AUTHORS_SLOT_NS : SLOT_NS);
        this.shoal = shoal(slotNs);
        this.clocks = new ShoalClocks(slotNs * channels);
        this.clos = new ClosChoice();
        this.configuration = new Configuration(shoal, format(options), slotNs, shoal.nodes() - 1, shoal.guarantee(),
            promise(shoal), settings(shoal), times.remarks(shoal, slotNs * channels));
    }

    private Shoal shoal(final double slotNs) {
        final int propagationSlots = propagationSlots(options, slotNs, channels, 0, Shoal.MAX_PROPAGATION_SLOTS);
        Choices.refuseIf(authors && (channels != 1 || delay || propagationSlots > 0), "--shoal-rule", rule.label(),
            "that simulator has one channel, the plain schedule and no delay", "leave out --channels, --shoal-schedule "
            + "and --propagation-*");
        final RoundRobin schedule = schedule(propagationSlots);
        return Shoal.of(schedule, rule, ageRule, propagationSlots)
            .with(times.started(resilience(), schedule.epochSlots())).with(order())
            .withFailedNodes(options.failedNodes);
    }

    /**
     * Returns the guarantee: half of the slots in which a node is connected to another one, because idle slots carry
     * nothing. It holds for the exact rule, and with a propagation delay only if the schedule hides the delay
     * (docs/spec/shoal.md §2.3, §4.3, §9.3).
     */
    private static Guarantee promise(final Shoal shoal) {
        final RoundRobin schedule = shoal.schedule();
        if (shoal.rule() != ReleaseRule.EXACT || shoal.failedNodes() > 0
            || shoal.propagationSlots() > 0 && !schedule.isRearranged()) {
            return Guarantee.NONE;
        }
        final int met = schedule.nodes() - 1;
        final int columns = schedule.epochSlots() * schedule.channels();
        return new Guarantee(met == columns ? "1/2" : "1/2 of " + met + "/" + columns,
            shoal.guarantee() * met / columns);
    }

    private FlowOrder order() {
        return Choices.of("--flow-order", own.flowOrder, FlowOrder.ROUND_ROBIN, FlowOrder.values());
    }

    private Resilience resilience() {
        final Resilience usual = Resilience.DEFAULT;
        return new Resilience(inRange("--miss-limit", options.missLimit, 1, Resilience.MOST, usual.missedEpochs()),
            usual.probeEpochs(), usual.noticeEpochs(), usual.maxResends(),
            inRange("--lower-class-cells", own.lowerClassCells, 1, Resilience.MOST, usual.lowerClassCells()));
    }

    private RoundRobin schedule(final int propagationSlots) {
        if (!delay) {
            return RoundRobin.plain(options.nodes, channels);
        }
        try {
            return RoundRobin.rearranged(options.nodes, channels, propagationSlots);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--shoal-schedule", DELAY, e.getMessage(), "change that or use " + PLAIN);
        }
    }

    private static CellFormat format(final RunOptions options) {
        final CellFormat usual = CellFormat.SHOAL;
        final int cellBytes = options.cellBytes == null ? usual.cellBytes() : options.cellBytes;
        final int headerBytes = options.headerBytes == null ? usual.headerBytes() : options.headerBytes;
        Choices.refuseIf(headerBytes < usual.headerBytes(), "--header-bytes", headerBytes,
            "the header of Shoal does not fit", "leave it out or give " + usual.headerBytes());
        Choices.refuseIf(cellBytes < LINE_BYTES || cellBytes % LINE_BYTES != 0, "--cell-bytes", cellBytes,
            "a cell of Shoal is a multiple of " + LINE_BYTES + " bytes", "give " + LINE_BYTES + ", 128 and so on");
        return format(cellBytes, headerBytes);
    }

    private Map<String, String> settings(final Shoal shoal) {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("channels", Integer.toString(channels));
        settings.put("shoal-rule", rule.label());
        settings.put("shoal-schedule", delay ? DELAY : PLAIN);
        settings.put("shoal-age-rule", ageRule ? "on" : "off");
        settings.put("flow-order", order().label());
        if (options.faults != null) {
            settings.put("miss-limit", Integer.toString(resilience().missedEpochs()));
        }
        if (shoal.firstSlot() > 0) {
            settings.put("hold-slots", Long.toString(shoal.firstSlot()));
        }
        clocks.describe(settings);
        return settings;
    }

    @Override
    protected Configuration configuration() {
        return configuration;
    }

    /** Returns the parts. With the rule of the authors' simulator, parked cells are counted as in that simulator. */
    @Override
    protected FabricParts parts(final boolean byLink) {
        return new ShoalParts(shoal, authors);
    }

    @Override
    protected Engine reference(final FlowSet flows) {
        return new ReferenceShoal(shoal, flows);
    }

    @Override
    public Wiring wiring() {
        return clos.clos().wiring();
    }

    @Override
    public int switches() {
        return wiring().switches() / channels;
    }

    @Override
    protected void refuseSwitches(final String why, final String advice) {
        if (options.faults == null) {
            final ClosOptions switches = options.own.of(ClosOptions.class);
            Choices.refuse("--clos-ports", switches.ports, why, advice);
            Choices.refuse("--clos-spines", switches.spines, why, advice);
        }
    }

    @Override
    protected void describeSwitches(final Map<String, String> settings) {
        settings.put("clos-ports", Integer.toString(clos.ports()));
        Choices.put(settings, "clos-spines", options.own.of(ClosOptions.class).spines);
    }

    @Override
    public int failedNodes() {
        return shoal.failedNodes();
    }

    @Override
    public void refuseSlots(final long slots) {
        final long most = (long) Shoal.MAX_EPOCHS * shoal.schedule().epochSlots() - shoal.propagationSlots();
        Choices.refuseIf(slots > most, "--slots", slots, "Shoal counts its epochs in 32 bits", "give at most " + most);
    }

    @Override
    public Faulty faulty() {
        return new Faulty(shoal.population(), 0, clos, clocks.window());
    }

    @Override
    public FaultPlan played(final FaultPlan script, final List<String> remarks) {
        return clocks.played(script, remarks);
    }

    @Override
    public void refuseClasses(final int classes) {
        Choices.refuseIf(!rule.isGuarded(), "--flows", options.flows, "its sixth field puts flows into traffic classes "
            + "and the " + (authors ? "authors' simulator" : "rule " + rule.label()) + " has none",
            "use --shoal-rule exact or leave the field out");
    }

    @Override
    public FlowSet classed(final FlowSet flows) {
        final FlowSet classed = super.classed(flows);
        Choices.refuseIf(own.lowerClassCells != null && classed.classes() == 1, "--lower-class-cells",
            own.lowerClassCells, "all flows are of one traffic class", "leave it out or add --class-bytes");
        return classed;
    }

    @Override
    public void describeClasses(final FlowSet flows, final Map<String, String> settings) {
        if (flows.classes() > 1) {
            final int room = shoal.resilience().lowerClassCells();
            settings.put("lower-class-cells", Integer.toString(room == 0 ? shoal.nodes() : room));
        }
    }

    @Override
    public void refusePackets(final int classes) {
        Choices.refuse("--faults", classes == 1 ? null : options.faults, "Shoal considers cells lost when they have "
            + "not arrived for long, but cells of lower classes can wait that long", "leave out --class-of or "
            + "--faults");
        Choices.refuse("--faults", shoal.nodes() <= MOST_NODES_OF_PACKETS ? null : options.faults, "Shoal reports no "
            + "lost cells, and with more nodes it takes longer to detect them",
            "give up to " + MOST_NODES_OF_PACKETS + " --nodes");
    }

    @Override
    public void refuseMembers() {
        Choices.refuseIf(authors, "--shoal-rule", rule.label(), "its count of parked cells is kept in one process",
            "leave one of them out");
    }

    @Override
    public boolean listsUntouchedFlows() {
        return true;
    }

    @Override
    public long countingSlots(final long epochs) {
        return Choices.inRange("--count-after-epochs", Math.clamp(epochs, -1, Integer.MAX_VALUE), 1, Shoal.MAX_EPOCHS)
            * (long) shoal.schedule().epochSlots();
    }

    @Override
    public LinkWords words() {
        return new ShoalWords();
    }

    /**
     * Presets, latencies on the path of a cell, and the start of the fabric, from the options of a run. Not
     * thread-safe.
     */
    private final class ShoalTimes {
        /** Null if no latency of a component was given. */
        private ShoalSetUp.Way way;

        /**
         * Replaces a preset and latencies of components by the equivalent options. A second call has no effect.
         *
         * @throws InputException if an option is invalid or contradicts another one.
         */
        ShoalTimes() {
            if (own.preset != null) {
                apply(ShoalSetUp.named(own.preset));
            }
            if (own.switchNs != null || own.nicNs != null) {
                Choices.refuseIf(options.propagationSlots != null, "--propagation-slots", options.propagationSlots,
                    "--switch-ns or --nic-ns is given too", "give --propagation-ns, or leave out the latencies");
                way = new ShoalSetUp.Way(options.propagationNs == null ? 0 : options.propagationNs,
                    latency("--switch-ns", own.switchNs), latency("--nic-ns", own.nicNs));
                options.propagationNs = way.totalNs();
                own.switchNs = null;
                own.nicNs = null;
            }
        }

        private void apply(final ShoalSetUp setUp) {
            options.nodes = options.isTyped("--nodes") ? options.nodes : setUp.nodes();
            options.channels = options.channels == null ? setUp.channels() : options.channels;
            options.slotNs = options.slotNs == null ? Double.valueOf(setUp.slotNs()) : options.slotNs;
            if (options.propagationSlots == null && setUp.way().totalNs() > 0) {
                options.propagationNs = options.propagationNs == null ? Double.valueOf(setUp.way().wireNs())
                    : options.propagationNs;
                own.switchNs = own.switchNs == null ? Double.valueOf(setUp.way().switchNs()) : own.switchNs;
                own.nicNs = own.nicNs == null ? Double.valueOf(setUp.way().nicNs()) : own.nicNs;
            }
            if (setUp == ShoalSetUp.PRINTED && own.schedule == null) {
                own.schedule = DELAY;
            }
            own.preset = null;
        }

        private static double latency(final String option, final Double typed) {
            Choices.refuseIf(typed != null && !(typed >= 0 && typed < 1e9), option, typed,
                "a latency must be at least 0 ns and less than a second", "give it in ns, for example 320");
            return typed == null ? 0 : typed;
        }

        /** Returns rules with the start time of the fabric. */
        Resilience started(final Resilience rules, final int epochSlots) {
            final Long slots = own.holdSlots;
            final long most = (long) Resilience.MOST * epochSlots;
            Choices.refuseIf(slots != null && (slots < 0 || slots > most), "--hold-slots", slots, "must be 0 to "
                + most, "give a number in this range");
            return slots == null ? rules : rules.after(Math.ceilDivExact(Math.toIntExact(slots), epochSlots));
        }

        /** Returns remarks for the user on the components of a cell's path, and on the start of the fabric. */
        List<String> remarks(final Shoal shoal, final double wholeSlotNs) {
            final List<String> remarks = new ArrayList<>();
            if (way != null) {
                remarks.add(String.format(Locale.ROOT, "a cell takes %s + 3 x %s + %s = %s ns from node to node and is "
                    + "handled at the start of a slot: %d slots of %s ns", way.wireNs(), way.switchNs(), way.nicNs(),
                    way.totalNs(), shoal.propagationSlots(), wholeSlotNs));
            }
            if (shoal.firstSlot() > 0) {
                remarks.add(String.format(Locale.ROOT, "switches hold until slot %d, %.5g us: then the schedule begins",
                    shoal.firstSlot(), shoal.firstSlot() * wholeSlotNs / 1e3));
            }
            return remarks;
        }
    }

    /** The Clos network of a Shoal fabric from the options of a run, created on first use. Not thread-safe. */
    private final class ClosChoice implements SwitchNames {
        private static final int USUAL_PORTS = 64;
        private static final int LEAST_PORTS = 4;
        private static final String LEAF = "leaf";
        private static final String SPINE = "spine";

        private final int ports;
        /** Assignment of cells to spines; null if it was not typed. */
        private final SpineRule spines;
        private final Map<Integer, long[]> ways = new HashMap<>();
        private Clos clos;

        ClosChoice() {
            final ClosOptions typed = options.own.of(ClosOptions.class);
            this.ports = typed.ports != null ? typed.ports : usualPorts(shoal.nodes());
            this.spines = Choices.of("--clos-spines", typed.spines, null, SpineRule.values());
        }

        /**
         * Returns 64 ports, or for a small fabric the minimum with which the network has all nodes and every leaf is
         * full.
         */
        private static int usualPorts(final int nodes) {
            for (int ports = LEAST_PORTS; ports < USUAL_PORTS; ports += 2) {
                if (nodes < USUAL_PORTS && ports * ports / 2 >= nodes && nodes % (ports / 2) == 0) {
                    return ports;
                }
            }
            return USUAL_PORTS;
        }

        /** Returns the number of ports of a switch. */
        int ports() {
            return ports;
        }

        /**
         * Returns the Clos network.
         *
         * @throws InputException if there is none with this number of ports.
         */
        Clos clos() {
            try {
                clos = clos != null ? clos : spines == null ? Clos.of(shoal.schedule(), ports)
                    : new Clos(shoal.schedule(), ports, spines);
                return clos;
            } catch (final IllegalArgumentException e) {
                throw new InputException("--clos-ports", Integer.toString(ports), e.getMessage(),
                    "choose an even number whose square is at least twice the nodes");
            }
        }

        @Override
        public int count(final String kind) {
            return switch (kind) {
                case LEAF -> shoal.channels() * clos().leaves();
                case SPINE -> shoal.channels() * clos().spineSwitches();
                default -> clos().wiring().switches();
            };
        }

        @Override
        public Fault.Switch fault(final long slot, final String kind, final int number, final boolean up) {
            final int leaves = clos().leaves();
            final int spines = clos().spineSwitches();
            final int index = switch (kind) {
                case LEAF -> clos().leafSwitch(number / leaves, number % leaves);
                case SPINE -> clos().leafSwitch(number / spines, leaves + number % spines);
                default -> number;
            };
            return new Fault.Switch(slot, index, up,
                ways.computeIfAbsent(index, through -> clos().wiring().pairsThrough(through)));
        }
    }

    /** The clocks of a Shoal fabric from the options of a run (docs/spec/shoal.md §7). Not thread-safe. */
    private final class ShoalClocks {
        private static final String GUARD = "--guard-ns";
        private static final String RECONFIGURATION = "--reconfiguration-ns";
        private static final String DRIFT = "--clock-drift-ppm";
        private static final double MOST_PPM = 1e5;

        private final double slotNs;

        /**
         * Checks the options.
         *
         * @param slotNs length of a slot on a lane.
         * @throws InputException if an option is invalid or contradicts another one.
         */
        ShoalClocks(final double slotNs) {
            this.slotNs = slotNs;
            Choices.refuseIf(options.guardNs != null && !(options.guardNs >= 0 && options.guardNs < slotNs), GUARD,
                options.guardNs, String.format(Locale.ROOT, "a guard band is part of a slot, which lasts %.5g ns",
                slotNs), "give 0 or more and less than that");
            if (options.guardNs == null) {
                final String why = "there is no guard band";
                Choices.refuse(RECONFIGURATION, own.reconfigurationNs, why, "add " + GUARD);
                Choices.refuse(DRIFT, own.driftPpm, why, "add " + GUARD);
            } else if (!(reconfigurationNs() >= 0 && reconfigurationNs() <= options.guardNs)) {
                throw new InputException(RECONFIGURATION, Double.toString(reconfigurationNs()),
                    "circuits change within the guard band of " + options.guardNs + " ns", "give 0 to that");
            }
            if (options.faults == null) {
                Choices.refuse(DRIFT, own.driftPpm, "nothing fails in this run", "leave it out or add --faults");
            }
            if (own.driftPpm == null) {
                final String why = "clocks do not drift when a node stops";
                Choices.refuse("--clock-master", own.clockMaster, why, "add " + DRIFT);
                Choices.refuse("--takeover-slots", own.takeoverSlots, why, "add " + DRIFT);
            } else if (!(own.driftPpm >= 0 && own.driftPpm <= MOST_PPM)) {
                throw new InputException(DRIFT, own.driftPpm.toString(), "a clock is off by 0 to " + (int) MOST_PPM
                    + " parts in a million", "give for example 100");
            }
        }

        private double reconfigurationNs() {
            return own.reconfigurationNs == null ? 0 : own.reconfigurationNs;
        }

        /**
         * Returns the tolerated offset of clocks: the guard band minus the reconfiguration time, or the same offset by
         * whole slots.
         */
        ClockWindow window() {
            return options.guardNs == null ? ClockWindow.NONE : new ClockWindow(options.guardNs - reconfigurationNs(),
                slotNs);
        }

        /** Adds the options as they would be typed. */
        void describe(final Map<String, String> settings) {
            Choices.put(settings, "guard-ns", options.guardNs);
            Choices.put(settings, "reconfiguration-ns", own.reconfigurationNs);
            Choices.put(settings, "clock-drift-ppm", own.driftPpm);
            Choices.put(settings, "clock-master", own.clockMaster);
            Choices.put(settings, "takeover-slots", own.takeoverSlots);
        }

        /**
         * Returns the script with the clock changes that follow when the clock master stops.
         *
         * @param remarks receives a line for each takeover.
         */
        FaultPlan played(final FaultPlan script, final List<String> remarks) {
            if (own.driftPpm == null) {
                return script;
            }
            final int master = inRange("--clock-master", own.clockMaster, 0, shoal.nodes() - 1, 0);
            final long missed = (long) shoal.resilience().missedEpochs() * shoal.schedule().epochSlots()
                + shoal.propagationSlots();
            final long takeoverSlots = Choices.atLeast("--takeover-slots", own.takeoverSlots, 0, missed);
            final ClockTakeover clocks = ClockTakeover.of(script, shoal.nodes(), new ClockTakeover.Clocks(master,
                options.guardNs - reconfigurationNs(), own.driftPpm, wholeSlotNs(), takeoverSlots), options.seed);
            for (final ClockTakeover.Takeover takeover : clocks.takeovers()) {
                remarks.add(String.format(Locale.ROOT, "clock master %d stops in slot %d; all follow node %d from slot "
                    + "%d on, %.5g us later; clocks that leave their window until then: %d", takeover.from(),
                    takeover.stopped(), takeover.to(), takeover.slot(),
                    (takeover.slot() - takeover.stopped()) * wholeSlotNs() / 1e3, takeover.strayed()));
            }
            return clocks.plan();
        }
    }
}
