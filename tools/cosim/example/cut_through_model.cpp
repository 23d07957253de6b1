// cut_through_nic as a model for `skerry cosim`: node 4 of 9. CUT_THROUGH_BUG in the environment selects a planted bug.
#include "Vcut_through_nic.h"
#include "skerry_model.h"

#include <cstdlib>
#include <string>

namespace {
constexpr int NODE = 4, NODES = 9, LINKS = 4, BUCKETS = 18, WORDS = 8, LOW = 1 << 10;
constexpr int TOKENS = 2, FIRST_HOP_TOKENS = 3, OWN = (NODE + 4) % NODES;
constexpr int64_t DUMMY = -1, NOTHING = -2;
constexpr uint32_t NO_TOKEN = ~0U;

bool is_flow(int source, int destination) {
    int ahead = (destination - source + NODES) % NODES;
    return ahead == 4 || (source != NODE && (ahead == 1 || ahead == 7));
}

// Source and destination of each flow, in the order of the description.
struct Flows {
    int source[NODES * NODES], destination[NODES * NODES], number[NODES][NODES];
    std::string pairs;

    Flows() {
        for (int s = 0, count = 0; s < NODES; s++)
            for (int d = 0; d < NODES; d++)
                if (is_flow(s, d)) {
                    pairs += (count ? "," : "") + std::to_string(s) + ">" + std::to_string(d);
                    source[count] = s;
                    destination[count] = d;
                    number[s][d] = count++;
                }
    }
} const flows;

struct Node {
    VerilatedContext context;
    Vcut_through_nic rtl{&context};
    uint32_t arriving[WORDS] = {}, leaving[WORDS] = {};
    bool damaged = false;                      // a wrong payload has left
    int64_t slot = 0, sent = 0;
    // By source, destination and the ten bits of the sequence number: the cell, and the slot in which it was sent.
    int64_t cell[NODES][NODES][LOW] = {}, sent_slot[NODES][NODES][LOW] = {};

    // Executes the clock in which word `number` arrives. The departing cell is half a slot behind.
    void clock(int number) {
        int word = (number + 4) % WORDS;
        rtl.rx = arriving[number];
        rtl.eval();
        leaving[word] = rtl.tx;
        damaged |= word > 1 && leaving[0] >> 30 == 2 && rtl.tx != payload(leaving[0], word);
        rtl.clk = 1;
        rtl.eval();
        rtl.clk = 0;
        rtl.eval();
    }

    // Returns the payload that the source host derives from the fields of the header.
    static uint32_t payload(uint32_t header, int word) {
        return ((header << 2 & 0xFF000000U) | (header >> 11 & 0x3FF) << 14 | word) * 0x9E3779B1U;
    }

    static uint32_t packed(uint32_t token, int at) { return token == NO_TOKEN ? 0 : (0x20 | (token >> 3) << 1 | (token & 1)) << at; }

    static uint32_t unpacked(uint32_t token) { return token & 0x20 ? (token >> 1 & 15) << 3 | (token & 1) : NO_TOKEN; }

    void put(int64_t route, int64_t word, uint64_t feedback) {
        for (auto &each : arriving) each = 0;
        if (route == NOTHING) return;
        arriving[0] = 3U << 30;
        arriving[1] = packed(uint32_t(feedback), 26) | packed(uint32_t(feedback >> 32), 20);
        if (route == DUMMY) return;
        int source = flows.source[word >> 32], to = flows.destination[word >> 32], low = word & (LOW - 1);
        cell[source][to][low] = word;
        sent_slot[source][to][low] = route >> 41;
        arriving[0] = 1U << 31 | source << 26 | to << 22 | (route & 1) << 21 | low << 11;
        for (int i = 2; i < WORDS; i++) arriving[i] = payload(arriving[0], i);
    }

    void get(int64_t *out) {
        uint32_t head = leaving[0];
        int source = head >> 26 & 15, to = head >> 22 & 15, low = head >> 11 & (LOW - 1);
        out[0] = NOTHING;
        out[1] = 0;
        out[2] = DUMMY;
        if (!(head >> 31)) return;
        out[2] = int64_t(uint64_t(unpacked(leaving[1] >> 20)) << 32 | unpacked(leaving[1] >> 26));
        out[0] = DUMMY;
        if (head >> 30 & 1) return;
        if (source == NODE && to == OWN) {
            cell[source][to][low] = int64_t(flows.number[source][to]) << 32 | (sent & ~int64_t(LOW - 1)) | low;
            sent_slot[source][to][low] = slot;
            sent++;
        }
        out[0] = sent_slot[source][to][low] << 41 | to << 3 | (head >> 21 & 1);
        out[1] = cell[source][to][low];
        if (damaged) out[1] = NOTHING;         // an impossible cell
    }
};
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() {
    static const std::string text = "shale-node node=4 nodes=9 h=2 tokens=2 firstHopTokens=3 propagation=3 order=receive-first"
        " sprayTies=lowest localOrder=destination owedLatency=2 scanDepth=4 probes=queue0_length,queue1_length,queue2_length,queue3_length,"
        "queue0_outstanding,queue1_outstanding,queue2_outstanding,queue3_outstanding,"
        "queue0_owed,queue1_owed,queue2_owed,queue3_owed pairs=" + flows.pairs;
    return text.c_str();
}

extern "C" void *skerry_model_create() {
    auto *node = new Node;
    const char *bug = std::getenv("CUT_THROUGH_BUG");
    node->rtl.bug = bug ? std::atoi(bug) : 0;
    node->rtl.host_has = 1 << OWN;
    node->rtl.rst = 1;
    node->clock(0);
    node->rtl.rst = 0;
    return node;
}

// Executes a slot, in which a cell arrives. At its end the header and half of the payload of another cell have left.
extern "C" void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    auto *node = static_cast<Node *>(given);
    auto &rtl = node->rtl;
    node->put(in[1], in[2], in[3]);
    for (int i = 0; i < WORDS; i++) node->clock(i);
    node->get(out);
    node->slot++;
    for (int link = 0; link < LINKS; link++) {
        int spent = 0;
        for (int b = 0; b < BUCKETS; b++) {
            int bit = 4 * (link * BUCKETS + b);
            spent += (b % 2 ? FIRST_HOP_TOKENS : TOKENS) - int(rtl.left_out[bit / 32] >> bit % 32 & 15);
        }
        out[3 + link] = rtl.overflow_out ? NOTHING : rtl.length_out >> 8 * link & 255;
        out[3 + LINKS + link] = spent;
        out[3 + 2 * LINKS + link] = rtl.owed_out >> 8 * link & 255;
    }
}

extern "C" void skerry_model_destroy(void *node) { delete static_cast<Node *>(node); }
