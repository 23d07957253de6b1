package dev.skerry.tools.traffic;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.Choices;

/** The checks that workloads share. Pure functions. */
final class Limits {
    private Limits() {
    }

    static void checkEndpoints(final int endpoints) {
        Choices.refuseIf(endpoints < 2, "--nodes", endpoints, "a flow needs two working nodes", "give at least 2");
    }

    static void checkFlowBytes(final long flowBytes) {
        Choices.refuseIf(flowBytes < 1, "--flow-bytes", flowBytes, "a flow has at least one byte", "give 1 or more");
    }

    /** Cells of a flow of bytes that the user gave. */
    static int cells(final long flowBytes, final int payloadBytes) {
        checkPayload(payloadBytes);
        final long cells = (flowBytes - 1) / payloadBytes + 1;
        Choices.refuseIf(cells >= FlowSet.ENDLESS, "--flow-bytes", flowBytes, "makes a flow of " + cells + " cells",
            "give at most " + (FlowSet.ENDLESS - 1L) * payloadBytes);
        return (int) cells;
    }

    static void checkPayload(final int payloadBytes) {
        Bounds.atLeast("payloadBytes", payloadBytes, 1);
    }
}
