// skerry_shoal_node as a model for `skerry cosim`: node 3 of 8, five slots from its neighbours. Its flows are those of
// model/shoal_node.flows. With PLANTED, SHOAL_NODE_BUG in the environment selects a planted bug.
#include "Vskerry_shoal_node.h"
#include "node_model.h"
#include "skerry_model.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {
constexpr int NODE = 3, NODES = 8, LINKS = NODES - 1;
constexpr int64_t SLOT_PS = 76800, PAYLOAD = 56;

struct Flow {
    int number, source, destination;
    int64_t slot, cells;
};

std::vector<Flow> read() {
    std::vector<Flow> flows;
    char line[200];
    FILE *file = std::fopen(FLOWS, "r");
    while (file && std::fgets(line, sizeof line, file)) {
        Flow flow{int(flows.size()), 0, 0, 0, 0};
        long long start, bytes;
        if (std::sscanf(line, "%d->%d start %lld size %lld", &flow.source, &flow.destination, &start, &bytes) == 4) {
            flow.slot = start / SLOT_PS;
            flow.cells = (bytes + PAYLOAD - 1) / PAYLOAD;
            flows.push_back(flow);
        }
    }
    if (file) std::fclose(file);
    return flows;
}

const std::vector<Flow> flows = read();

struct Node : NodeModel<Vskerry_shoal_node> {
    size_t next = 0;          // flow to be offered
    int known = 0;            // destinations that have had a flow, numbered in this order
    int64_t number[NODES];

    Node() {
        std::memset(number, -1, sizeof number);
        rtl.offer_valid = 0;
#ifdef PLANTED
        const char *bug = std::getenv("SHOAL_NODE_BUG");
        rtl.planted = bug ? std::atoi(bug) : 0;
#endif
    }

    void offer(int64_t slot) {
        for (; next < flows.size() && (flows[next].source != NODE || flows[next].slot <= slot); next++)
            if (flows[next].source == NODE) {
                rtl.offer_destination = flows[next].destination;
                rtl.offer_flow = flows[next].number;
                rtl.offer_cells = flows[next].cells;
                rtl.offer_valid = 1;
                clock();
                rtl.offer_valid = 0;
                if (number[flows[next].destination] < 0) number[flows[next].destination] = known++;
            }
    }
};

// Returns the field of a link from a port with 16 bits per link, in 32-bit words; all ones become -1.
template <class Port> int64_t field(const Port &port, int link) { return int16_t(port[link / 2] >> 16 * (link % 2)); }
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() {
    static const std::string text = [] {
        std::string line = "shoal-node node=3 nodes=8 channels=1 propagation=5 shoalPreset=prototype flows=" FLOWS
            " probes=cells_held,active_flows";
        for (int link = 0; link < LINKS; link++)
            for (const char *probe : {"length", "load", "local", "turn", "joined", "joined_before"})
                line += ",queue" + std::to_string(link) + "_" + probe;
        return line;
    }();
    return text.c_str();
}

extern "C" void *skerry_model_create() { return new Node; }

extern "C" void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    auto *node = static_cast<Node *>(given);
    auto &rtl = node->rtl;
    node->offer(in[0]);
    node->slot(in, out);
    int64_t held = 0, *probe = out + 5;
    for (int link = 0; link < LINKS; link++) {
        int64_t length = field(rtl.length_out, link), own = field(rtl.own_out, link);
        held += length;
        *probe++ = length;
        *probe++ = length + field(rtl.ready_out, link);
        *probe++ = own < 0 ? own : node->number[own];
        *probe++ = field(rtl.turn_out, link);
        *probe++ = field(rtl.joined_out, link);
        *probe++ = field(rtl.joined_before_out, link);
    }
    out[3] = rtl.overflow_out ? -2 : held;
    out[4] = rtl.active_out;
}

extern "C" void skerry_model_destroy(void *node) { delete static_cast<Node *>(node); }
