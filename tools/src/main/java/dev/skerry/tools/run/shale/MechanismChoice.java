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

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** The mechanisms of Shale from the options of a run, and who cannot have them. */
final class MechanismChoice {
    private final ShaleOptions options;
    private final ReceiverDrivenOptions receiverDriven;
    private final String label;

    /** What is ranked by priority: the oldest cell of each bucket, or every cell. */
    private enum Order {
        BUCKET, CELL
    }

    /** Which of several equally good links a spraying hop takes. */
    private enum Ties {
        DRAWN(TieRule.DRAWN), LOWEST(TieRule.LOWEST), ROTATING(TieRule.ROTATING);

        private final TieRule rule;

        Ties(final TieRule rule) {
            this.rule = rule;
        }
    }

    /** Which local flow a node serves next. */
    private enum Locals {
        LINK(LocalRule.LINK), NODE(LocalRule.NODE), DESTINATION(LocalRule.DESTINATION);

        private final LocalRule rule;

        Locals(final LocalRule rule) {
            this.rule = rule;
        }
    }

    private MechanismChoice(final ShaleOptions options, final ReceiverDrivenOptions receiverDriven) {
        this.options = options;
        this.receiverDriven = receiverDriven;
        this.label = label(options);
    }

    /**
     * Makes sense of the options.
     *
     * @throws InputException if one of them is wrong, or means nothing to the mechanisms.
     */
    static MechanismSet of(final ShaleOptions options, final ReceiverDrivenOptions receiverDriven) {
        return new MechanismChoice(options, receiverDriven).mechanisms();
    }

    /** The mechanisms as they would be typed. */
    static String label(final ShaleOptions options) {
        return options.cc == null ? Mechanisms.HBH_SPRAY.label() : options.cc;
    }

    /** Adds the settings of mechanisms as they would be typed. */
    static void describe(final MechanismSet mechanisms, final Map<String, String> settings) {
        settings.put("cc", mechanisms.label());
        if (mechanisms.ties() != TieRule.DRAWN) {
            settings.put("spray-ties", Arrays.stream(Ties.values()).filter(each -> each.rule == mechanisms.ties())
                .findFirst().orElseThrow().name().toLowerCase(Locale.ROOT));
        }
        if (mechanisms.locals() != LocalRule.LINK) {
            settings.put("local-order", Arrays.stream(Locals.values()).filter(each -> each.rule == mechanisms.locals())
                .findFirst().orElseThrow().name().toLowerCase(Locale.ROOT));
        }
        if (mechanisms.endToEnd() instanceof final SenderDriven isd && isd.rate() > 0) {
            settings.put("isd-rate", Double.toString(isd.rate()));
        }
        final SenderDriven part = EndToEndFactory.part(mechanisms.endToEnd(), SenderDriven.class);
        if (part != null && part != mechanisms.endToEnd()) {
            describe(mechanisms.with(part), settings);
        }
        if (mechanisms.order() instanceof final Priority priority) {
            settings.put("priority-factor", Double.toString(priority.factor()));
            settings.put("priority-of", priority.length().name().toLowerCase(Locale.ROOT));
            settings.put("priority-order", (priority.byBucket() ? Order.BUCKET : Order.CELL).name()
                .toLowerCase(Locale.ROOT));
        }
    }

    private MechanismSet mechanisms() {
        final MechanismSet usual;
        try {
            usual = Mechanisms.of(label);
        } catch (final IllegalArgumentException e) {
            throw new InputException("--cc", label, "there is no such congestion control",
                "use none, hbh+spray, or parts joined with +: hbh or your own, spray-short or spray-bucket, "
                + "priority, isd, and rd or ndp");
        }
        return paced(ordered(tied(usual))).serving(Choices.of("--local-order", options.localOrder, Locals.LINK,
            Locals.values()).rule);
    }

    private MechanismSet tied(final MechanismSet usual) {
        if (usual.spraying() == SprayRule.RANDOM) {
            refuse("--spray-ties", options.sprayTies, "spray-short");
            return usual;
        }
        return usual.with(Choices.of("--spray-ties", options.sprayTies, Ties.DRAWN, Ties.values()).rule);
    }

    private MechanismSet ordered(final MechanismSet usual) {
        if (usual.order() instanceof Priority) {
            return receiverDriven.of(usual.with(priority()));
        }
        refuse("--priority-factor", options.priorityFactor, "priority");
        refuse("--priority-of", options.priorityOf, "priority");
        refuse("--priority-order", options.priorityOrder, "priority");
        return receiverDriven.of(usual);
    }

    private MechanismSet paced(final MechanismSet usual) {
        if (EndToEndFactory.part(usual.endToEnd(), SenderDriven.class) == null) {
            refuse("--isd-rate", options.isdRate, "isd");
            return usual;
        }
        if (options.isdRate == null) {
            return usual;
        }
        Choices.refuseIf(!(options.isdRate > 0 && options.isdRate <= SenderDriven.MAX_RATE), "--isd-rate",
            options.isdRate, "must be above 0 and at most " + (int) SenderDriven.MAX_RATE,
            "leave it out for what the paper has");
        return usual.with(usual.endToEnd().with(new SenderDriven(options.isdRate)));
    }

    private Priority priority() {
        final double factor = options.priorityFactor == null ? Priority.USUAL.factor() : options.priorityFactor;
        Choices.refuseIf(!(factor > 0 && factor <= Priority.MAX_FACTOR), "--priority-factor", factor,
            "must be above 0 and at most " + (int) Priority.MAX_FACTOR, "use 1 for what the paper has");
        return new Priority(factor,
            Choices.of("--priority-of", options.priorityOf, FlowLength.SIZE, FlowLength.values()),
            Choices.of("--priority-order", options.priorityOrder, Order.BUCKET, Order.values()) == Order.BUCKET);
    }

    private void refuse(final String option, final Object value, final String part) {
        Choices.refuse(option, value, "--cc " + label + " has no " + part, "leave it out or add +" + part);
    }
}
