package dev.skerry.tools.figure.stardust;

import dev.skerry.schedule.AdapterConfig;
import dev.skerry.tools.figure.Effort;
import dev.skerry.tools.figure.Figure;
import dev.skerry.tools.figure.Findings;
import dev.skerry.tools.resources.Buffers;
import dev.skerry.tools.resources.HealingModel;
import dev.skerry.tools.resources.QueueModel;

/**
 * Memory of an element (Stardust §6.2), the least credit of a generator (§4.1), time to recover (§5.9, Appendix E), the
 * queue formula (§4.2.1): docs/spec/stardust.md §8, §10 rows 11, 18, 19.
 */
public final class StardustResources {
    /** The figure. */
    public static final Figure FIGURE = new Figure("stardust-resources", "Sections 4, 5.9, 6.2, Appendix E",
        "memory of an element, credits, time to recover, the M/D/1 queue", 0.01, 0.01, StardustResources::measure);

    private static final double[] UTILIZATION = {0.66, 0.80, 0.90, 0.92, 0.95};
    private static final double[] RATE = {0.7805, 0.4308, 0.2072, 0.1645, 0.1017};
    private static final double[] MEAN = {1.301, 2.400, 4.950, 6.210, 9.975};

    private StardustResources() {
    }

    private static Findings measure(final Effort effort) {
        final Findings found = new Findings();
        found.exactly("memory of an element of 256 links, B", 8_388_608, Buffers.elementBytes(256));
        found.within("time of 128 cells at 50G, us", 5.24, 0.005, Buffers.serialisationNs(128 * 256, 50e9) / 1e3);
        found.exactly("least credit at 10 Tb/s, B", 2500, leastCredit(10));
        found.exactly("least credit at 8 Tb/s, B (the paper says at 10)", 2000, leastCredit(8));
        final HealingModel healing = HealingModel.PAPER;
        found.within("the whole fabric has the news once, us", 210, 1e-6, healing.updateUs());
        found.within("the whole fabric acts on it, fibres apart, us", 630, 1e-6, healing.recoveryUs(3, 0, 0, 0));
        found.within("the same with fibres of 500, 500 and 50 ns, us", 652.05, 1e-6,
            healing.recoveryUs(3, 500, 500, 50));
        found.within("share of a link of 50G, %", 0.0384, 0.0001, 100 * healing.overhead(24, 50e9));
        for (int i = 0; i < UTILIZATION.length; i++) {
            final QueueModel queue = new QueueModel(UTILIZATION[i]);
            found.near("M/D/1 at " + UTILIZATION[i] + ", mean cells", MEAN[i], 0.004, queue.mean());
            found.near("M/D/1 at " + UTILIZATION[i] + ", rate of the tail", RATE[i], 0.004, queue.rate());
        }
        return found.remark("Appendix E counts the delay of the fibres once for each message, though messages overlap: "
            + "652 us is a bound.");
    }

    /** Of one generator that hands out a credit in two clocks of 1 GHz. */
    private static double leastCredit(final int terabits) {
        return AdapterConfig.minCreditBytes(terabits * 1_000_000_000_000L, 2, 1_000_000_000);
    }
}
