package dev.skerry.tools.run.stardust;

import static dev.skerry.tools.input.Choices.inRange;
import static dev.skerry.tools.input.Choices.put;

import dev.skerry.nic.stardust.fabric.LinkRules;
import dev.skerry.nic.stardust.fabric.LinkRules.LinkCharge;
import dev.skerry.tools.input.Choices;
import picocli.CommandLine.Option;

import java.util.Map;

/** Options of Stardust that say what a cell takes of a link, and what a device takes of time. */
public final class StardustLinks {
    private static final int LEAST_BYTES = 80;
    private static final double MOST_DEVICE_NS = 1e6;

    @Option(names = "--link-bytes", paramLabel = "B",
        description = "Stardust: a slot is the time in which a link sends this many bytes, and a cell takes what it is "
            + "long; " + LEAST_BYTES + ", a cell of 64 bytes and its header, or more (default: a cell takes a slot).")
    Integer linkBytes;

    @Option(names = "--device-ns", paramLabel = "X",
        description = "Stardust: time that an adapter or element takes before it handles what a link brings, 500 to "
            + "4000 in the paper's hardware; it adds to each link, with control messages too (default: 0).")
    Double deviceNs;

    @Option(names = "--control", paramLabel = "WHERE",
        description = "Stardust: links: requests, credits and reachability messages take their bytes of the links, "
            + "before the cells; beside: they take nothing (default: beside).")
    String control;

    /** Where control messages travel. */
    private enum Way {
        /** They take nothing. */
        BESIDE,
        /** They take their bytes of links. */
        LINKS
    }

    /**
     * Bytes that a link sends in a slot.
     *
     * @param cell of a full cell with its header.
     */
    int slotBytes(final int cell) {
        return inRange("--link-bytes", linkBytes, LEAST_BYTES, cell, cell);
    }

    /** The rules of links with what a cell takes. */
    LinkRules links(final int headerBytes) {
        final LinkRules rules = linkBytes == null ? LinkRules.USUAL
            : LinkRules.USUAL.charging(new LinkCharge(linkBytes, headerBytes, 0));
        final Way way = Choices.of("--control", control, Way.BESIDE, Way.values());
        return way == Way.LINKS ? rules.carryingControl() : rules;
    }

    /** Slots that a device takes, rounded up. */
    int deviceSlots(final double wholeSlotNs) {
        if (deviceNs == null) {
            return 0;
        }
        Choices.refuseIf(!(deviceNs >= 0 && deviceNs <= MOST_DEVICE_NS), "--device-ns", deviceNs,
            "a device takes some time and no more than a millisecond", "give 0 to 1000000, for example 500");
        return (int) Math.ceil(deviceNs / wholeSlotNs);
    }

    /** What was chosen, as it would be typed. */
    void describe(final Map<String, String> settings) {
        put(settings, "link-bytes", linkBytes);
        put(settings, "control", control);
    }
}
