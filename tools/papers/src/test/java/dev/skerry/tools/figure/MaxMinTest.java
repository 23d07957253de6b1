package dev.skerry.tools.figure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.skerry.nic.flow.FlowSet;
import dev.skerry.tools.figure.ShoalRates.MaxMin;
import org.junit.jupiter.api.Test;

final class MaxMinTest {
    @Test
    void shouldShareVirtualLinksFairly() {
        final FlowSet flows = new FlowSet();
        Runs.endless(flows, 0, 1);
        assertEquals(3, new MaxMin(flows, 4).rates()[0], 1e-9);
        Runs.endless(flows, 0, 2);
        assertEquals(1.5, new MaxMin(flows, 4).rates()[1], 1e-9);
        final FlowSet permutation = new FlowSet();
        for (int node = 0; node < 8; node++) {
            Runs.endless(permutation, node, (node + 3) % 8);
        }
        for (final double rate : new MaxMin(permutation, 8).rates()) {
            assertEquals(4, rate, 1e-9);
        }
    }
}
