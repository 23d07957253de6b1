package dev.skerry.tools.execution;

import dev.skerry.nic.engine.MemberEngine;
import dev.skerry.nic.fabric.Engine;
import dev.skerry.tools.members.MemberGroup;
import dev.skerry.tools.report.Measure;

import java.util.List;

/** What members sent each other in a slot, and the time that it took. */
final class ExchangeMeasures {
    private static final double NS_PER_US = 1e3;

    private ExchangeMeasures() {
    }

    /**
     * The mean over all slots of a run; all members ask.
     *
     * @param group null for one process, which sends nothing.
     * @param slots of the run.
     */
    static List<Measure> of(final Engine engine, final MemberGroup group, final long slots) {
        if (group == null || slots == 0) {
            return List.of();
        }
        final MemberEngine.Exchanged own = ((MemberEngine) engine).cost();
        return List.of(
            new Measure("exchangeBatches", "batches", (double) group.sum(own.batches()) / slots,
                "batches between members in a slot"),
            new Measure("exchangePlaces", "places", (double) group.sum(own.places()) / slots,
                "places of rows in them, each a cell, feedback or a message"),
            new Measure("exchangeBytes", "bytes", (double) group.sum(own.bytes()) / slots, "bytes of them"),
            new Measure("exchangeSendMicros", "us", group.sum(own.sendNs()) / NS_PER_US / slots / group.size(),
                "us of processor time of a member in a slot to pack and send them"),
            new Measure("exchangeTakeMicros", "us", group.sum(own.takeNs()) / NS_PER_US / slots / group.size(),
                "us of it to take in those of others"));
    }
}
