// skerry_shale_node as a model for `skerry cosim`: node 5 of 9, three slots from its neighbours.
#include "Vskerry_shale_node.h"
#include "node_model.h"
#include "skerry_model.h"

namespace {
constexpr int LINKS = 4;

using Node = NodeModel<Vskerry_shale_node>;

int64_t field(QData port, int link) { return port >> 16 * link & 0xFFFF; }
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

// Flow 5, the flow of node 5, goes to node 3 in this permutation.
extern "C" const char *skerry_model_describe() {
    return "shale-node node=5 nodes=9 h=2 tokens=1 firstHopTokens=2 propagation=3 sprayTies=lowest"
           " workload=permutation seed=1 probes=cells_held,"
           "queue0_length,queue1_length,queue2_length,queue3_length,"
           "queue0_outstanding,queue1_outstanding,queue2_outstanding,queue3_outstanding,"
           "queue0_owed,queue1_owed,queue2_owed,queue3_owed";
}

extern "C" void *skerry_model_create() { return new Node; }

extern "C" void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    auto *node = static_cast<Node *>(given);
    node->slot(in, out);
    auto &rtl = node->rtl;
    int64_t held = 0;
    for (int link = 0; link < LINKS; link++) {
        out[4 + link] = field(rtl.length_out, link);
        out[4 + LINKS + link] = field(rtl.spent_out, link);
        out[4 + 2 * LINKS + link] = field(rtl.owed_out, link);
        held += out[4 + link];
    }
    out[3] = rtl.overflow_out ? -2 : held;
}

extern "C" void skerry_model_destroy(void *node) { delete static_cast<Node *>(node); }
