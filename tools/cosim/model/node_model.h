// Drives the clock and ports of a node as a model for `skerry cosim`; a row is a slot.
#ifndef NODE_MODEL_H
#define NODE_MODEL_H

#include "verilated.h"

template <class Rtl> struct NodeModel {
    static constexpr int MOST_CLOCKS = 16;

    VerilatedContext context;
    Rtl rtl{&context};

    NodeModel() {
        rtl.slot_in = rtl.tx_ready = rtl.rx_valid = 0;
        rtl.rst = 1;
        rtl.eval();        // the first call sees no edge
        clock();
        rtl.rst = 0;
        rtl.eval();
    }

    void clock() {
        rtl.clk = 1;
        rtl.eval();
        rtl.clk = 0;
        rtl.eval();
    }

    // Clocks until a signal is high; returns false if it stays low.
    bool await(const CData &signal) {
        for (int i = 0; i < MOST_CLOCKS && !signal; i++) clock();
        return signal;
    }

    // Executes a slot: takes the node's cell one clock after it is offered, and delivers one when the node is
    // ready.
    void slot(const int64_t *in, int64_t *out) {
        out[0] = out[1] = out[2] = -2;
        rtl.slot_in = 1;
        clock();
        rtl.slot_in = 0;
        if (await(rtl.tx_valid)) {
            out[0] = rtl.tx_route;
            out[1] = rtl.tx_cell;
            out[2] = rtl.tx_feedback;
            clock();
            rtl.tx_ready = 1;
            clock();
            rtl.tx_ready = 0;
            rtl.eval();
        }
        if (await(rtl.rx_ready)) {
            rtl.rx_route = in[1];
            rtl.rx_cell = in[2];
            rtl.rx_feedback = in[3];
            rtl.rx_valid = 1;
            clock();
            rtl.rx_valid = 0;
            clock();
        }
    }
};

#endif
