package dev.skerry.tools.run.shale;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.codec.CellFormat;
import dev.skerry.codec.ShaleLayout;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.nic.fabric.FabricParts;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.nic.shale.Interleaved;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.Shale;
import dev.skerry.nic.shale.Shale.FailureRules;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.stage.InterleavedParts;
import dev.skerry.nic.shale.stage.ShaleParts;
import dev.skerry.reference.ReferenceShale;
import dev.skerry.schedule.Crossbar;
import dev.skerry.schedule.LanedSchedule;
import dev.skerry.schedule.PhaseGroupSwitches;
import dev.skerry.schedule.Phased;
import dev.skerry.schedule.Population;
import dev.skerry.schedule.Schedule;
import dev.skerry.schedule.SlotShare;
import dev.skerry.schedule.SlotShares;
import dev.skerry.schedule.Wiring;
import dev.skerry.spi.CircuitChoice;
import dev.skerry.spi.LinkWords;
import dev.skerry.spi.RunOptions;
import dev.skerry.spi.TrafficClasses;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.report.RunResult.Guarantee;
import dev.skerry.tools.traffic.FaultReader.ClockWindow;
import dev.skerry.tools.traffic.FaultReader.Faulty;
import dev.skerry.tools.traffic.FaultReader.SwitchNames;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;

/** The Shale fabric that the options of a run define. */
final class ShaleChoice extends CircuitChoice {
    private static final double SLOT_NS = 5.632;
    private static final double PROPAGATION_NS = 500;
    private static final int CELL_BYTES = 256;
    static final int PHASES = 2;

    private final ShaleOptions own;
    private final FailedOptions absent;
    private final HostLimitOptions limits;
    private final List<String> remarks = new ArrayList<>();
    private final MechanismSet mechanisms;
    /** Null if a single schedule has all slots. */
    private final InterleaveChoice interleave;
    /** Phases of the schedule with the most phases. */
    private final int phases;
    private final int tokens;
    /** The typed tokens, at least {@link #tokens}; 0 if they are derived from the delay. */
    private final int typedFirstHopTokens;
    private final Lanes lanes;
    private final Configuration configuration;

    ShaleChoice(final RunOptions options) {
        super(new ShaleKind(), options);
        this.own = options.own.of(ShaleOptions.class);
        this.absent = options.own.of(FailedOptions.class);
        this.limits = options.own.of(HostLimitOptions.class);
        Choices.refuse("--respray-last-hop", absent.resprayLastHop && options.faults == null ? true : null,
            "nothing fails in this run", "leave it out or add --faults");
        this.interleave = interleave();
        this.phases = interleave != null ? interleave.phases().getFirst()
            : inRange("--h", own.h == null ? PHASES : own.h, 1, Phased.MAX_PHASES);
        inRange("--nodes", options.nodes, 2, Phased.MAX_NODES - 1);
        this.mechanisms = own.mechanisms(options.own.of(ReceiverDrivenOptions.class));
        Choices.refuseIf(interleave != null && !Interleaved.takes(mechanisms), "--cc", own.cc,
            "several schedules support only hop-by-hop control and spraying", "leave out the other parts or "
            + "--interleave");
        limits.refuse(interleave != null, options.faults != null);
        inRange("--failed-nodes", options.failedNodes, 0, options.nodes - 2);
        this.tokens = inRange("--tokens", own.tokens == null ? 1 : own.tokens, 1, Shale.MAX_TOKENS);
        final int firstHop = inRange("--first-hop-tokens", own.firstHopTokens, 1, Shale.MAX_TOKENS, 0);
        this.typedFirstHopTokens = firstHop == 0 ? 0 : Math.max(tokens, firstHop);
        if (typedFirstHopTokens > firstHop) {
            remarks.add("--first-hop-tokens raised to " + typedFirstHopTokens + ", the value of --tokens");
        }
        Choices.refuseIf(absent.fill && options.failedNodes > 0, "--fill", null, "--failed-nodes is given too",
            "leave one of them out");
        final double slotNs = slotNs(options, SLOT_NS);
        this.lanes = new Lanes(slotNs);
        this.configuration = configured(slotNs);
    }

    private InterleaveChoice interleave() {
        if (own.interleave == null) {
            Choices.refuse("--cutoff-bytes", own.cutoffBytes, "one schedule has all flows",
                "leave it out or add --interleave");
            return null;
        }
        Choices.refuse("--h", own.h, "--interleave is given too", "leave one of them out");
        return InterleaveChoice.of(own.interleave);
    }

    private Configuration configured(final double slotNs) {
        final Shale shale = shale(lanes.delaySlots(propagationSlots(options, slotNs, 1, PROPAGATION_NS,
            Shale.MAX_PROPAGATION_SLOTS)));
        final Map<String, String> settings = settings(shale);
        lanes.describe(settings);
        if (options.guardNs != null) {
            remarks.add(lanes.remark(format(shale).cellBytes()));
        }
        if (interleave == null) {
            return new Configuration(shale, format(shale), slotNs, shale.schedule().epochSlots(), shale.guarantee(),
                promise("1/(2h)", shale.guarantee(), shale), settings, remarks);
        }
        final Interleaved all = interleaved(shale);
        return new Configuration(all, format(shale), slotNs,
            all.fabrics().stream().mapToInt(each -> each.schedule().epochSlots()).sum(), all.guarantee(),
            promise("the sum of s/(2h)", all.guarantee(), shale), settings, remarks);
    }

    /** Returns the fabric; if several share the slots, the one with the most phases. */
    private Shale shale(final int propagationSlots) {
        try {
            final Phased schedule = new Phased(phases, Population.radixFor(phases, options.nodes));
            return shale(schedule, absent.fill && absent.isEmpty()
                ? Population.fill(schedule, options.nodes)
                : absent.population(options, schedule, remarks), propagationSlots,
                interleave == null ? SlotShare.ALL : interleave.shares().shares().getFirst());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--nodes", Integer.toString(options.nodes), e.getMessage(),
                "choose another number of nodes, another --h or --fill");
        }
    }

    private Shale shale(final Phased schedule, final Population population, final int propagationSlots,
        final SlotShare share) {
        final Shale shale = new Shale(schedule, population, limits.of(mechanisms, schedule), tokens,
            firstHopTokens(schedule, propagationSlots), propagationSlots, options.seed,
            new FailureRules(missLimit(), absent.resprayLastHop), share);
        remark(shale);
        return shale;
    }

    private Interleaved interleaved(final Shale most) {
        try {
            final List<Shale> fabrics = new ArrayList<>(List.of(most));
            for (final SlotShare share : interleave.shares().shares().subList(1, interleave.phases().size())) {
                final int fewer = interleave.phases().get(share.number());
                final Phased schedule = new Phased(fewer, Population.radixFor(fewer, most.nodes()));
                if (schedule.nodes() != most.nodes()) {
                    throw new IllegalArgumentException(most.nodes() + " nodes, r^" + phases + ", are not r^" + fewer);
                }
                fabrics.add(shale(schedule, most.population().in(schedule), most.propagationSlots(), share));
            }
            return new Interleaved(fabrics, interleave.shares());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--interleave", own.interleave, e.getMessage(),
                "choose a number of nodes that is a power for all of them, for example 4096");
        }
    }

    /**
     * Returns the typed first-hop tokens, or else the minimum for which the guarantee holds at the propagation delay,
     * provided that the tokens of later hops permit it.
     */
    private int firstHopTokens(final Phased schedule, final int propagationSlots) {
        if (typedFirstHopTokens > 0) {
            return typedFirstHopTokens;
        }
        if (mechanisms.control() != HopByHop.FACTORY || interleave != null) {
            return tokens;
        }
        final int least = Math.ceilDiv(propagationSlots, schedule.phases() * schedule.epochSlots());
        final int taken = Math.min(Shale.MAX_TOKENS, Math.max(tokens, least));
        // If later hops have too few tokens, remarkTokens reports it.
        if (taken > tokens && propagationSlots <= schedule.epochSlots() * schedule.epochSlots() * tokens) {
            remarks.add("--first-hop-tokens " + taken + ", the minimum for the guaranteed throughput at a propagation "
                + "delay of " + propagationSlots + " slots");
        }
        return taken;
    }

    private int missLimit() {
        return inRange("--miss-limit", options.missLimit, 1, FailureRules.MAX_MISSES, FailureRules.PAPER.missLimit());
    }

    private void remark(final Shale shale) {
        final Phased schedule = shale.schedule();
        if (schedule.nodes() > options.nodes) {
            remarks.add(String.format(Locale.ROOT, "%,d nodes are not r^%d: N is rounded up to %,d, %,d of them %s",
                options.nodes, phases, schedule.nodes(), schedule.nodes() - options.nodes,
                absent.fill ? "only forward" : "marked as failed (--fill would let them forward)"));
        }
        if (mechanisms.control() == HopByHop.FACTORY) {
            remarkTokens(shale);
        }
    }

    /**
     * Returns the guarantee. It requires that every node forwards cells and, with hop-by-hop control, enough tokens for
     * the propagation delay.
     */
    private Guarantee promise(final String formula, final double throughput, final Shale shale) {
        if (shale.population().absent() > 0) {
            return Guarantee.NONE;
        }
        return new Guarantee(formula, throughput, mechanisms.control() == HopByHop.FACTORY
            ? String.join(" ", missingTokens(shale)) : "");
    }

    private void remarkTokens(final Shale shale) {
        final List<String> would = missingTokens(shale);
        if (!would.isEmpty()) {
            remarks.add(String.format(Locale.ROOT, "--tokens %d and --first-hop-tokens %d are too few for the "
                + "guaranteed throughput at a propagation delay of %d slots: use %s", shale.tokens(),
                shale.firstHopTokens(), shale.propagationSlots(), String.join(" ", would)));
        }
    }

    /**
     * Returns the options that provide enough tokens. A first-hop token covers h epochs of delay; any other token
     * covers as many epochs as an epoch has slots.
     */
    private static List<String> missingTokens(final Shale shale) {
        final int epochSlots = shale.schedule().epochSlots();
        final int firstHops = shale.schedule().phases() * epochSlots;
        final int laterHops = epochSlots * epochSlots;
        final int delay = shale.propagationSlots();
        final List<String> would = new ArrayList<>();
        if (delay > laterHops * shale.tokens()) {
            would.add("--tokens " + Math.ceilDiv(delay, laterHops));
        }
        if (delay > firstHops * shale.firstHopTokens()) {
            would.add("--first-hop-tokens " + Math.ceilDiv(delay, firstHops));
        }
        return would;
    }

    private CellFormat format(final Shale shale) {
        final ShaleLayout layout = ShaleLayout.forFabric(shale.nodes(), phases, options.faults != null);
        final int least = layout.headerBytes();
        final int headerBytes = options.headerBytes != null ? options.headerBytes : least;
        Choices.refuseIf(headerBytes < least, "--header-bytes", headerBytes, layout == ShaleLayout.L16
            ? "over 32768 nodes or over 4 phases need the wide header" : "the header of Shale does not fit",
            "leave it out or give " + least);
        return format(options.cellBytes == null ? CELL_BYTES : options.cellBytes, headerBytes);
    }

    private Map<String, String> settings(final Shale shale) {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("fill", Boolean.toString(absent.fill));
        if (interleave == null) {
            settings.put("h", Integer.toString(phases));
        } else {
            settings.put("interleave", own.interleave);
            settings.put("cutoff-bytes", own.cutoffBytes == null ? "" : own.cutoffBytes);
        }
        absent.describe(settings);
        ShaleOptions.describe(mechanisms, settings);
        limits.describe(settings);
        settings.put("tokens", Integer.toString(tokens));
        settings.put("first-hop-tokens", Integer.toString(shale.firstHopTokens()));
        if (options.faults != null) {
            settings.put("miss-limit", Integer.toString(missLimit()));
            settings.put("respray-last-hop", Boolean.toString(absent.resprayLastHop));
        }
        options.own.of(ReceiverDrivenOptions.class).describe(shale, options, settings);
        return settings;
    }

    @Override
    protected Configuration configuration() {
        return configuration;
    }

    @Override
    protected FabricParts parts(final boolean byLink) {
        return fabric() instanceof final Shale shale ? new ShaleParts(shale, byLink)
            : new InterleavedParts((Interleaved) fabric());
    }

    @Override
    protected Engine reference(final FlowSet flows) {
        if (fabric() instanceof final Shale shale) {
            return new ReferenceShale(shale, flows);
        }
        return super.reference(flows);
    }

    @Override
    public Wiring wiring() {
        return lanes.wiring(circuits().schedule());
    }

    @Override
    public int switches() {
        return wiring().switches();
    }

    @Override
    public int typedPropagationSlots() {
        return fabric().propagationSlots() - own.slotsOnLane();
    }

    @Override
    public String smaller() {
        return "choose fewer nodes or a larger --h";
    }

    @Override
    public Faulty faulty() {
        return new Faulty(fabric().population(), 0, SwitchNames.NONE, lanes.window());
    }

    @Override
    public FlowSet classed(final FlowSet flows) {
        return fabric() instanceof final Interleaved all ? InterleaveChoice.classed(options, own, all, flows)
            : super.classed(flows);
    }

    @Override
    protected void refuseInstant() {
        if (parts(false).meetsInEverySlot()) {
            throw new InputException("--cc", mechanisms.label(), "isd assumes that every node immediately knows the "
                + "flows of all others, which no real network can provide", "leave isd out or run in lock step");
        }
    }

    @Override
    public void refusePackets(final int classes) {
        Choices.refuseIf(classes > 1, "--class-of", classes + " classes", "Shale has no traffic classes",
            "leave it out, or use --fabric shoal or stardust");
        refuseInstant();
        Choices.refuseIf(mechanisms.order().readsFlows(), "--cc", own.cc,
            "priority ranks cells by the length of their flow, which packets do not tell", "leave priority out");
        ReceiverDrivenOptions.refusePackets(mechanisms);
    }

    @Override
    public int linksPerPhase() {
        return fabric() instanceof final Shale shale ? shale.schedule().linksPerPhase() : links();
    }

    @Override
    public boolean hasLinkQueues() {
        return fabric() instanceof Shale;
    }

    @Override
    public LinkWords words() {
        return new ShaleWords(fabric() instanceof final Shale shale ? shale.schedule() : null, phases);
    }

    /** The lanes of a Shale fabric from the options of a run (docs/spec/shale.md §2.6). */
    private final class Lanes {
        private static final String LANES = "--lanes";
        private static final String SERIALISATION = "--serialisation-slots";
        private static final String GUARD = "--guard-ns";
        private static final int MAX_LANES = 64;
        private static final MathContext DIGITS = new MathContext(5);

        private final double slotNs;
        private final int lanes;

        /**
         * Checks the options.
         *
         * @param slotNs length of a slot.
         * @throws InputException if an option is out of range or contradicts another one.
         */
        Lanes(final double slotNs) {
            this.slotNs = slotNs;
            this.lanes = inRange(LANES, own.lanes, 1, MAX_LANES, 1);
            final int serialisation = inRange(SERIALISATION, own.slotsOnLane(), 0, MAX_LANES);
            Choices.refuseIf(serialisation > lanes, SERIALISATION, serialisation, "a lane would carry two cells at "
                + "once, because --lanes is " + lanes, "give 0 to " + lanes + " or add " + LANES + " " + serialisation);
            if (options.guardNs != null) {
                checkGuard(options.guardNs, serialisation);
            }
        }

        private void checkGuard(final double guardNs, final int serialisation) {
            Choices.refuseIf(!(guardNs >= 0 && guardNs < laneSlotNs()), GUARD, guardNs, String.format(Locale.ROOT,
                "a guard band is part of the slot of a lane, which lasts %s ns", rounded(laneSlotNs())),
                "give 0 or more and less than that; with 8 lanes the paper has 4.096");
            // A cell and a guard band fill the slot of a lane exactly, so the comparison tolerates rounding errors.
            Choices.refuseIf(serialisation > 0 && cellNs() > serialisation * slotNs * (1 + 1e-9), SERIALISATION,
                serialisation, "with this guard band a cell takes " + rounded(cellNs()) + " ns, which is longer",
                "give " + (int) Math.ceil(cellNs() / slotNs - 1e-9) + " or leave it out");
        }

        /** Returns the circuit switches of a schedule, for mode threads. */
        Wiring wiring(final Schedule schedule) {
            if (own.lanes == null) {
                return schedule instanceof final Phased phased ? PhaseGroupSwitches.wiring(phased)
                    : Crossbar.wiring(schedule);
            }
            try {
                return Crossbar.lanes(new LanedSchedule(schedule, lanes));
            } catch (final IllegalArgumentException e) {
                throw new InputException(LANES, own.lanes.toString(), e.getMessage(),
                    "choose fewer nodes or another number of lanes");
            }
        }

        /** Returns the slots from the sending of a cell to its processing: those on the lane and in flight. */
        int delaySlots(final int propagationSlots) {
            final int onLane = own.slotsOnLane();
            return onLane + inRange("--propagation-slots", propagationSlots, 0, Shale.MAX_PROPAGATION_SLOTS - onLane);
        }

        /** Returns the tolerated offset of clocks. */
        ClockWindow window() {
            return options.guardNs == null ? ClockWindow.NONE : new ClockWindow(options.guardNs / 2);
        }

        /** Returns a remark for the user, if a guard band was typed. */
        String remark(final int cellBytes) {
            return String.format(Locale.ROOT, "a lane sends a cell of %d bytes in %s ns, "
                + "%s Gb/s, and circuits change in the %s ns that are left of its %s ns", cellBytes, rounded(cellNs()),
                rounded(cellBytes * Byte.SIZE / cellNs()), rounded(options.guardNs), rounded(laneSlotNs()));
        }

        /** Adds the options as they would be typed. */
        void describe(final Map<String, String> settings) {
            Choices.put(settings, "lanes", own.lanes);
            Choices.put(settings, "serialisation-slots", own.serialisationSlots);
            Choices.put(settings, "guard-ns", options.guardNs);
        }

        private static String rounded(final double value) {
            return BigDecimal.valueOf(value).round(DIGITS).stripTrailingZeros().toPlainString();
        }

        private double laneSlotNs() {
            return lanes * slotNs;
        }

        private double cellNs() {
            return laneSlotNs() - options.guardNs;
        }
    }

    /**
     * The schedules that share the slots of a run, and the flows that use each of them (docs/spec/shale.md §2.4).
     *
     * @param phases phases of each schedule, in descending order.
     * @param shares shares of the slots, in the same order.
     */
    record InterleaveChoice(List<Integer> phases, SlotShares shares) {
        private static final String OPTION = "--interleave";
        private static final String CUTOFF = "--cutoff-bytes";
        private static final String ADVICE = "give phases and their parts of the slots, for example 4:1/2,2:1/2";
        private static final String CUTOFF_ADVICE = "give an ascending number of bytes for each schedule but the last, "
            + "for example 80000000";

        /** Phases, and a number or a fraction. */
        private static final Pattern PART = Pattern.compile("(\\d{1,9}):(\\d{0,4}\\.?\\d{1,5})(?:/(\\d{1,9}))?");

        /** A share of the slots. */
        private record Part(int phases, long over, long under) {
            private boolean isWhole(final long period) {
                return over * period % under == 0;
            }
        }

        /**
         * Parses the option.
         *
         * @throws InputException if it is not a list of phases and shares with a sum of 1.
         */
        static InterleaveChoice of(final String text) {
            final List<Part> parts = Arrays.stream(text.split(",", -1)).map(each -> part(text, each.strip()))
                .sorted(Comparator.comparingInt(Part::phases).reversed()).toList();
            for (int i = 1; i < parts.size(); i++) {
                Choices.refuseIf(parts.get(i).phases == parts.get(i - 1).phases, OPTION, text, "phases "
                    + parts.get(i).phases + " are listed twice", ADVICE);
            }
            final long period = LongStream.rangeClosed(1, SlotShares.MAX_PERIOD)
                .filter(slots -> parts.stream().allMatch(part -> part.isWhole(slots))).findFirst().orElse(0);
            Choices.refuseIf(period == 0, OPTION, text, "the slots are shared in a period of at most "
                + SlotShares.MAX_PERIOD, "give parts with a smaller common denominator");
            final long[] slots = parts.stream().mapToLong(part -> part.over * period / part.under).toArray();
            final long sum = Arrays.stream(slots).sum();
            Choices.refuseIf(sum != period, OPTION, text, "the parts make " + sum + "/" + period + " of the slots",
                "give parts with a sum of 1");
            try {
                return new InterleaveChoice(parts.stream().map(Part::phases).toList(), new SlotShares(
                    Arrays.stream(slots).mapToInt(Math::toIntExact).toArray()));
            } catch (final IllegalArgumentException e) {
                throw new InputException(OPTION, text, e.getMessage(), ADVICE);
            }
        }

        private static Part part(final String text, final String each) {
            final Matcher part = PART.matcher(each);
            final int phases = part.matches() ? Integer.parseInt(part.group(1)) : 0;
            final BigDecimal over = part.matches() ? new BigDecimal(part.group(2)) : BigDecimal.ZERO;
            final long under = !part.matches() || part.group(3) == null ? 1 : Integer.parseInt(part.group(3));
            final long digits = BigDecimal.TEN.pow(over.scale()).longValueExact();
            final long whole = over.unscaledValue().longValueExact();
            Choices.refuseIf(phases < 1 || phases > Phased.MAX_PHASES || whole < 1 || under < 1, OPTION, text, "'"
                + each + "' is not a number of phases, 1 to " + Phased.MAX_PHASES + ", with a part of the "
                + "slots", ADVICE);
            return new Part(phases, whole, under * digits);
        }

        /**
         * Assigns each flow to the class of its schedule, by size or by the class in the trace. Flows of unknown length
         * use the schedule with the most phases.
         *
         * @throws InputException if the cut-offs do not match the schedules.
         */
        private static FlowSet classed(final RunOptions options, final ShaleOptions own, final Interleaved fabric,
            final FlowSet flows) {
            final int schedules = fabric.fabrics().size();
            final String text = own.cutoffBytes;
            if (flows.classes() > 1 || flows.isOnDemand() && text == null) {
                Choices.refuseIf(text != null, CUTOFF, text, "the trace gives the class of each flow",
                    "leave it out, or the sixth field of the trace");
                Choices.refuseIf(flows.classes() > schedules, "--flows", options.flows, "its sixth field puts flows "
                    + "into " + flows.classes() + " classes and there are " + schedules + " schedules",
                    "number them from 0, the schedule with the most phases");
                return flows;
            }
            Choices.refuseIf(text == null, OPTION, own.interleave, "the schedule of each flow is not "
                + "specified", "add " + CUTOFF);
            final long[] limits = TrafficClasses.sizes(CUTOFF, text, CUTOFF_ADVICE);
            Choices.refuseIf(limits.length != schedules - 1, CUTOFF, text, schedules + " schedules take "
                + (schedules - 1) + " cut-offs", CUTOFF_ADVICE);
            for (int i = 0; i < limits.length; i++) {
                // The limit of a class is inclusive, that of a schedule exclusive.
                limits[i]--;
            }
            return flows.classedBySize(limits);
        }
    }
}
