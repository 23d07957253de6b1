package dev.skerry.tools.run.shale;

import dev.skerry.nic.shale.EndToEnd.EndToEndFactory;
import dev.skerry.nic.shale.LocalRule;
import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.SprayRule;
import dev.skerry.nic.shale.TieRule;
import dev.skerry.nic.shale.control.Mechanisms;
import dev.skerry.nic.shale.control.Priority;
import dev.skerry.nic.shale.control.Priority.FlowLength;
import dev.skerry.nic.shale.control.SenderDriven;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/** The options of Shale for all commands that create a fabric, and the mechanisms that they define. */
public final class ShaleOptions {
    @Option(names = "--h", paramLabel = "H",
        description = "Shale: number of phases of the schedule, 1 to 8. More phases mean lower latency and a lower "
            + "guaranteed throughput, 1/(2H) (default: 2).")
    public Integer h;

    @Option(names = "--interleave", paramLabel = "H1:S1,H2:S2",
        description = "Shale: let several schedules share the slots. Each has its own number of phases H and a share "
            + "S of the slots, a decimal or a/b, for example 4:1/2,2:1/2; long flows use the schedules with few "
            + "phases (default: off).")
    public String interleave;

    @Option(names = "--cutoff-bytes", paramLabel = "C[,C2]",
        description = "Shale, with --interleave: flow sizes that select the schedule. Flows of fewer than C bytes "
            + "use the schedule with the most phases, flows of fewer than C2 bytes the next one, and so on.")
    public String cutoffBytes;

    @Option(names = "--cc", paramLabel = "PARTS", completionCandidates = Controls.class,
        description = "Shale: congestion control, parts joined by +. Parts: hbh; spray-short or spray-bucket; "
            + "priority; isd; rd or ndp. In place of hbh, the name of a control in a jar in the folder SKERRY_PARTS. "
            + "spray means spray-short; none turns congestion control off (default: hbh+spray).")
    public String cc;

    @Option(names = "--spray-ties", paramLabel = "RULE",
        description = "Shale, spray-short and spray-bucket: choice of equally good links. drawn, at random; lowest; "
            + "or rotating, the next link after the one that the node used last in this phase (default: drawn).")
    public String sprayTies;

    @Option(names = "--local-order", paramLabel = "ORDER",
        description = "Shale: order in which a node serves its local flows. link: round robin over flows with a "
            + "pointer per link; node: the same with one pointer per node; destination: round robin over destinations "
            + "with one pointer per node (default: link).")
    public String localOrder;

    @Option(names = "--priority-factor", paramLabel = "X",
        description = "Shale, priority: weight of the flow length, above 0. Cells are sent in order of their rank: "
            + "the arrival at the node plus X epochs for each cell of the flow (default: 1).")
    public Double priorityFactor;

    @Option(names = "--priority-of", paramLabel = "LENGTH",
        description = "Shale, priority: measure of the length of a flow. size: its number of cells; quantised: the "
            + "size rounded down in steps of 5 %%; log: the logarithm of the size to base 2 (default: size).")
    public String priorityOf;

    @Option(names = "--priority-order", paramLabel = "ORDER",
        description = "Shale, priority: what is ranked, bucket or cell. bucket: the cells of a bucket stay in order "
            + "and the first of each is ranked, as in the authors' simulator; cell: every cell is ranked, as in the "
            + "paper (default: bucket).")
    public String priorityOrder;

    @Option(names = "--isd-rate", paramLabel = "R",
        description = "Shale, isd: rate limit of a destination, in cells per slot. All flows to the destination "
            + "share it (default: 1.25/(2H)).")
    public Double isdRate;

    @Option(names = "--tokens", paramLabel = "T",
        description = "Shale, hbh: tokens of a bucket on a link, 1 to 255. They limit the unacknowledged cells of "
            + "the bucket on that link (default: 1).")
    public Integer tokens;

    @Option(names = "--first-hop-tokens", paramLabel = "TF",
        description = "Shale, hbh: tokens of a bucket on a first hop, at least T (default: the minimum for the "
            + "guaranteed throughput at the propagation delay).")
    public Integer firstHopTokens;

    @Option(names = "--lanes", paramLabel = "L",
        description = "Shale: lanes that a node uses in turn, 1 to 64; the paper has 8. Each lane carries a cell for "
            + "L slots; in mode threads each has a circuit switch of its own (default: 1; each phase group "
            + "then has a small switch of its own).")
    public Integer lanes;

    @Option(names = "--serialisation-slots", paramLabel = "S",
        description = "Shale: slots that a cell takes to be sent on a lane, at most L. The receiver handles it this "
            + "much later. The paper's lanes take 8, its simulator assumes 0 (default: 0).")
    public Integer serialisationSlots;

    /** Returns the slots for which a cell occupies its lane. */
    int slotsOnLane() {
        return serialisationSlots == null ? 0 : serialisationSlots;
    }

    /** Returns the mechanisms as they would be typed. */
    private String label() {
        return cc == null ? Mechanisms.HBH_SPRAY.label() : cc;
    }

    /**
     * Returns the mechanisms that the options define.
     *
     * @throws InputException if an option is invalid, or does not apply to the mechanisms.
     */
    MechanismSet mechanisms(final ReceiverDrivenOptions receiverDriven) {
        final MechanismSet usual;
        try {
            usual = Mechanisms.of(label());
        } catch (final IllegalArgumentException e) {
            throw new InputException("--cc", label(), "there is no such congestion control",
                "use none, hbh+spray, or parts joined with +: hbh or your own, spray-short or spray-bucket, "
                + "priority, isd, and rd or ndp");
        }
        return paced(receiverDriven.of(ordered(tied(usual)))).serving(
            Choices.of("--local-order", localOrder, Locals.LINK, Locals.values()).rule);
    }

    private MechanismSet tied(final MechanismSet usual) {
        if (usual.spraying() == SprayRule.RANDOM) {
            refuse("--spray-ties", sprayTies, "spray-short");
            return usual;
        }
        return usual.with(Choices.of("--spray-ties", sprayTies, Ties.DRAWN, Ties.values()).rule);
    }

    private MechanismSet ordered(final MechanismSet usual) {
        if (usual.order() instanceof Priority) {
            return usual.with(priority());
        }
        refuse("--priority-factor", priorityFactor, "priority");
        refuse("--priority-of", priorityOf, "priority");
        refuse("--priority-order", priorityOrder, "priority");
        return usual;
    }

    private MechanismSet paced(final MechanismSet usual) {
        if (EndToEndFactory.part(usual.endToEnd(), SenderDriven.class) == null) {
            refuse("--isd-rate", isdRate, "isd");
            return usual;
        }
        if (isdRate == null) {
            return usual;
        }
        Choices.refuseIf(!(isdRate > 0 && isdRate <= SenderDriven.MAX_RATE), "--isd-rate",
            isdRate, "must be above 0 and at most " + (int) SenderDriven.MAX_RATE,
            "leave it out for what the paper has");
        return usual.with(usual.endToEnd().with(new SenderDriven(isdRate)));
    }

    private Priority priority() {
        final double factor = priorityFactor == null ? Priority.USUAL.factor() : priorityFactor;
        Choices.refuseIf(!(factor > 0 && factor <= Priority.MAX_FACTOR), "--priority-factor", factor,
            "must be above 0 and at most " + (int) Priority.MAX_FACTOR, "use 1 for what the paper has");
        return new Priority(factor,
            Choices.of("--priority-of", priorityOf, FlowLength.SIZE, FlowLength.values()),
            Choices.of("--priority-order", priorityOrder, Order.BUCKET, Order.values()) == Order.BUCKET);
    }

    private void refuse(final String option, final Object value, final String part) {
        Choices.refuse(option, value, "--cc " + label() + " has no " + part, "leave it out or add +" + part);
    }

    /** Adds the settings of mechanisms as they would be typed. */
    static void describe(final MechanismSet mechanisms, final Map<String, String> settings) {
        settings.put("cc", mechanisms.label());
        if (mechanisms.ties() != TieRule.DRAWN) {
            settings.put("spray-ties", word(Ties.values(), each -> each.rule == mechanisms.ties()));
        }
        if (mechanisms.locals() != LocalRule.LINK) {
            settings.put("local-order", word(Locals.values(), each -> each.rule == mechanisms.locals()));
        }
        if (mechanisms.endToEnd() instanceof final SenderDriven isd && isd.rate() > 0) {
            settings.put("isd-rate", Double.toString(isd.rate()));
        }
        if (mechanisms.order() instanceof final Priority priority) {
            settings.put("priority-factor", Double.toString(priority.factor()));
            settings.put("priority-of", priority.length().name().toLowerCase(Locale.ROOT));
            settings.put("priority-order", (priority.byBucket() ? Order.BUCKET : Order.CELL).name()
                .toLowerCase(Locale.ROOT));
        }
    }

    private static <E extends Enum<E>> String word(final E[] values, final Predicate<E> is) {
        return Arrays.stream(values).filter(is).findFirst().orElseThrow().name().toLowerCase(Locale.ROOT);
    }

    /** Elements that priority ranks: the oldest cell of each bucket, or every cell. */
    private enum Order {
        BUCKET, CELL
    }

    /** Choice among equally good links for a spraying hop. */
    private enum Ties {
        DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

        private final TieRule rule;

        Ties(final TieRule rule) {
            this.rule = rule;
        }
    }

    /** Choice of the local flow that a node serves next. */
    private enum Locals {
        LINK(LocalRule.LINK), NODE(LocalRule.NODE), DESTINATION(LocalRule.DESTINATION);

        private final LocalRule rule;

        Locals(final LocalRule rule) {
            this.rule = rule;
        }
    }

    /** The mechanisms and frequent combinations, for completion. */
    static final class Controls implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return List.of("none", "hbh", "hbh+spray", "hbh+spray-bucket", "spray-short", "priority", "isd", "rd",
                "ndp").iterator();
        }
    }
}
