package dev.skerry.tools.traffic;

import dev.skerry.dataplane.check.Bounds;
import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.input.InputException;

/** The checks that workloads share. Pure functions. */
final class Limits {
    private Limits() {
    }

    static void checkEndpoints(final int endpoints) {
        if (endpoints < 2) {
            throw new InputException("--nodes", Integer.toString(endpoints), "a flow needs two working nodes",
                "give at least 2");
        }
    }

    static void checkFlowBytes(final long flowBytes) {
        if (flowBytes < 1) {
            throw new InputException("--flow-bytes", Long.toString(flowBytes), "a flow has at least one byte",
                "give 1 or more");
        }
    }

    /** Cells of a flow of bytes that the user gave. */
    static int cells(final long flowBytes, final int payloadBytes) {
        checkPayload(payloadBytes);
        final long cells = (flowBytes - 1) / payloadBytes + 1;
        if (cells >= FlowSet.ENDLESS) {
            throw new InputException("--flow-bytes", Long.toString(flowBytes), "makes a flow of " + cells + " cells",
                "give at most " + (FlowSet.ENDLESS - 1L) * payloadBytes);
        }
        return (int) cells;
    }

    static void checkPayload(final int payloadBytes) {
        Bounds.atLeast("payloadBytes", payloadBytes, 1);
    }
}
