package dev.skerry.tools.report;

import dev.skerry.nic.count.Outcome;
import dev.skerry.nic.flow.FlowSet;

import java.util.ArrayList;
import java.util.List;

/** What became of the flows of each traffic class: of each schedule, where schedules share the slots. */
final class ClassResults {
    private ClassResults() {
    }

    /** Nothing if all flows are of one class. */
    static List<Measure> of(final FlowSet flows, final Outcome outcome, final int propagationSlots) {
        final List<Measure> measures = new ArrayList<>();
        final int classes = flows.classes();
        final long[] completed = new long[classes];
        final long[] cells = new long[classes];
        final double[] normalised = new double[classes];
        for (int i = 0; i < outcome.completed().length; i++) {
            final int flow = outcome.completed()[i];
            final int of = flows.trafficClass(flow);
            completed[of]++;
            cells[of] += flows.cells(flow);
            normalised[of] += (outcome.completedIn()[i] + 1.0 - flows.startSlot(flow))
                / ((double) flows.cells(flow) + propagationSlots);
        }
        for (int of = 0; classes > 1 && of < classes; of++) {
            final String name = "class" + of;
            measures.add(new Measure(name + "FlowsCompleted", "flows", completed[of],
                "flows completed in class " + of));
            measures.add(new Measure(name + "Cells", "cells", cells[of], "cells of completed flows in class " + of));
            if (completed[of] > 0) {
                measures.add(new Measure(name + "MeanCompletion", "times the least", normalised[of] / completed[of],
                    "mean completion in class " + of));
            }
        }
        return measures;
    }
}
