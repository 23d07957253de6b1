// skerry_shale_node as a model for `skerry cosim`: node 5 of 9, three slots from its neighbours.
#include "Vskerry_shale_node.h"
#include "skerry_model.h"

namespace {
constexpr int LINKS = 4, MOST_CLOCKS = 16;

struct Node {
    VerilatedContext context;
    Vskerry_shale_node rtl{&context};

    void clock() {
        rtl.clk = 1;
        rtl.eval();
        rtl.clk = 0;
        rtl.eval();
    }

    // Clocks until a signal is high; false if it stays low.
    bool await(const CData &signal) {
        for (int i = 0; i < MOST_CLOCKS && !signal; i++) clock();
        return signal;
    }

    static int64_t field(QData port, int link) { return port >> 16 * link & 0xFFFF; }
};
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

// Flow 5, the one of node 5, goes to node 3 in this permutation.
extern "C" const char *skerry_model_describe() {
    return "shale-node node=5 nodes=9 h=2 tokens=1 firstHopTokens=2 propagation=3 sprayTies=lowest"
           " workload=permutation seed=1 probes=cells_held,"
           "queue0_length,queue1_length,queue2_length,queue3_length,"
           "queue0_outstanding,queue1_outstanding,queue2_outstanding,queue3_outstanding,"
           "queue0_owed,queue1_owed,queue2_owed,queue3_owed";
}

extern "C" void *skerry_model_create() {
    auto *node = new Node;
    node->rtl.slot_in = node->rtl.tx_ready = node->rtl.rx_valid = 0;
    node->rtl.rst = 1;
    node->clock();
    node->rtl.rst = 0;
    node->rtl.eval();
    return node;
}

// A slot: the node offers its cell, which is taken a clock later, and is given one as soon as it is ready.
extern "C" void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    auto *node = static_cast<Node *>(given);
    auto &rtl = node->rtl;
    out[0] = out[1] = out[2] = -2;
    rtl.slot_in = 1;
    node->clock();
    rtl.slot_in = 0;
    if (node->await(rtl.tx_valid)) {
        out[0] = rtl.tx_route;
        out[1] = rtl.tx_cell;
        out[2] = rtl.tx_feedback;
        node->clock();
        rtl.tx_ready = 1;
        node->clock();
        rtl.tx_ready = 0;
        rtl.eval();
    }
    if (node->await(rtl.rx_ready)) {
        rtl.rx_route = in[1];
        rtl.rx_cell = in[2];
        rtl.rx_feedback = in[3];
        rtl.rx_valid = 1;
        node->clock();
        rtl.rx_valid = 0;
        node->clock();
    }
    int64_t held = 0;
    for (int link = 0; link < LINKS; link++) {
        out[4 + link] = Node::field(rtl.length_out, link);
        out[4 + LINKS + link] = Node::field(rtl.spent_out, link);
        out[4 + 2 * LINKS + link] = Node::field(rtl.owed_out, link);
        held += out[4 + link];
    }
    out[3] = rtl.overflow_out ? -2 : held;
}

extern "C" void skerry_model_destroy(void *node) { delete static_cast<Node *>(node); }
