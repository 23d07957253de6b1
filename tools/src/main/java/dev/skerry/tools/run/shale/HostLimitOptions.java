package dev.skerry.tools.run.shale;

import static dev.skerry.tools.input.Choices.inRange;

import dev.skerry.nic.shale.MechanismSet;
import dev.skerry.nic.shale.QueueOrder;
import dev.skerry.nic.shale.control.HopByHop;
import dev.skerry.nic.shale.control.LimitedControl;
import dev.skerry.nic.shale.control.LimitedControl.HostLimits;
import dev.skerry.schedule.Phased;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import picocli.CommandLine.Option;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The options of Shale that limit the hardware of a node, and the mechanisms with these limits. */
public final class HostLimitOptions {
    private static final String PIEO_ENTRIES = "--pieo-entries";
    private static final String TOKEN_FIFO = "--token-fifo";
    private static final String ACTIVE_BUCKETS = "--active-buckets";
    private static final String RESERVE = "--bucket-reserve";
    private static final String SLOT_CLOCKS = "--slot-clocks";
    private static final int MOST = 1 << 30;

    @Option(names = PIEO_ENTRIES, paramLabel = "QP",
        description = "Shale: entries of the PIEO of each link, at least 2. A cell that finds it full waits outside "
            + "until another leaves, and is counted (default: no limit).")
    public Integer pieoEntries;

    @Option(names = TOKEN_FIFO, paramLabel = "QT",
        description = "Shale, hbh: capacity of the token return FIFO of each link. Tokens that find it full wait "
            + "behind it; one enters each time the link sends (default: no limit).")
    public Integer tokenFifo;

    @Option(names = ACTIVE_BUCKETS, paramLabel = "A",
        description = "Shale, hbh: maximum number of active buckets of a node. At the limit its own flows activate "
            + "no further bucket; arriving cells still do (default: no limit).")
    public Integer activeBuckets;

    @Option(names = RESERVE, paramLabel = "R",
        description = "Shale, with --active-buckets: further buckets for arriving cells. More are counted as "
            + "overflows (default: the number of links of a node).")
    public Integer reserve;

    @Option(names = SLOT_CLOCKS, paramLabel = "C",
        description = "Shale: clock cycles per slot, at least 7. Receiving takes up to 2, sending up to 7, each "
            + "overflow 4; slots that take more are counted as slotOverrun (default: not counted).")
    public Integer slotClocks;

    /**
     * Returns the mechanisms with the typed hardware limits.
     *
     * @throws InputException if a limit is out of range, or does not apply to the mechanisms.
     */
    MechanismSet of(final MechanismSet mechanisms, final Phased schedule) {
        final boolean hasTokens = mechanisms.control() == HopByHop.FACTORY;
        if (!hasTokens) {
            final String why = "--cc " + mechanisms.label() + " has no tokens and no buckets";
            Choices.refuse(TOKEN_FIFO, tokenFifo, why, "leave it out or add +hbh");
            Choices.refuse(ACTIVE_BUCKETS, activeBuckets, why, "leave it out or add +hbh");
        }
        if (activeBuckets == null) {
            Choices.refuse(RESERVE, reserve, "it adds to --active-buckets", "leave it out or add "
                + ACTIVE_BUCKETS);
        }
        if (mechanisms.order() != QueueOrder.ARRIVAL) {
            Choices.refuse(PIEO_ENTRIES, pieoEntries, "a PIEO with a limited size supports only the order of arrival",
                "leave it out or use --cc without priority");
        }
        if (typed().isEmpty()) {
            return mechanisms;
        }
        return mechanisms.with(new LimitedControl(new HostLimits(
            inRange(PIEO_ENTRIES, pieoEntries, HostLimits.LEAST_ENTRIES, MOST, HostLimits.UNLIMITED),
            inRange(TOKEN_FIFO, tokenFifo, 1, MOST, HostLimits.UNLIMITED),
            inRange(ACTIVE_BUCKETS, activeBuckets, 1, MOST, HostLimits.UNLIMITED),
            inRange(RESERVE, reserve, 0, MOST, schedule.epochSlots()),
            inRange(SLOT_CLOCKS, slotClocks, HostLimits.LEAST_CLOCKS, MOST, HostLimits.UNLIMITED)),
            mechanisms.control()));
    }

    /** Refuses limits if several schedules share a node, or links fail. */
    void refuse(final boolean isInterleaved, final boolean mayFail) {
        for (final Map.Entry<String, Integer> option : typed().entrySet()) {
            if (isInterleaved) {
                Choices.refuse(option.getKey(), option.getValue(), "limits of hardware are not supported with "
                    + "several schedules", "leave it out or use one schedule");
            }
            if (mayFail) {
                Choices.refuse(option.getKey(), option.getValue(), "limits cannot be combined with faults during a run",
                    "leave it or --faults out; --failed-nodes fails nodes from the start");
            }
        }
    }

    /** Adds the limits as they would be typed. */
    void describe(final Map<String, String> settings) {
        typed().forEach((option, value) -> settings.put(option.substring(2), value.toString()));
    }

    private Map<String, Integer> typed() {
        final Map<String, Integer> typed = new LinkedHashMap<>();
        typed.put(PIEO_ENTRIES, pieoEntries);
        typed.put(TOKEN_FIFO, tokenFifo);
        typed.put(ACTIVE_BUCKETS, activeBuckets);
        typed.put(RESERVE, reserve);
        typed.put(SLOT_CLOCKS, slotClocks);
        typed.values().removeIf(Objects::isNull);
        return typed;
    }
}
