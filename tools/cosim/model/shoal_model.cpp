// Shoal's cell codec as a model for `skerry cosim`.
#include "Vskerry_shoal_codec.h"
#include "skerry_model.h"

#include <algorithm>

namespace {
constexpr int FIELDS = 7, CELL_WORDS = 8;

void set(VlWide<16> &port, const int64_t *words) {
    for (int w = 0; w < CELL_WORDS; w++) {
        port[2 * (CELL_WORDS - 1 - w)] = static_cast<uint32_t>(words[w]);
        port[2 * (CELL_WORDS - 1 - w) + 1] = static_cast<uint32_t>(static_cast<uint64_t>(words[w]) >> 32);
    }
}

void get(const VlWide<16> &port, int64_t *words) {
    for (int w = 0; w < CELL_WORDS; w++)
        words[w] = static_cast<int64_t>(static_cast<uint64_t>(port[2 * (CELL_WORDS - 1 - w) + 1]) << 32
            | port[2 * (CELL_WORDS - 1 - w)]);
}
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() { return "shoal nodes=64 classes=3"; }

extern "C" void *skerry_model_create() {
    auto *rtl = new Vskerry_shoal_codec{new VerilatedContext};
    rtl->clk = 0;
    rtl->eval();
    return rtl;
}

extern "C" void skerry_model_step(void *model, const int64_t *in, int64_t *out) {
    auto *rtl = static_cast<Vskerry_shoal_codec *>(model);
    rtl->destination_in = in[1];
    rtl->source_in = in[2];
    rtl->class_in = in[3];
    rtl->sequence_in = in[4] & 0xFFFFF;
    rtl->feedback_in = in[5];
    rtl->flags_in = in[6];
    set(rtl->cell_in, in + FIELDS);
    rtl->eval();
    rtl->clk = 1;
    rtl->eval();
    rtl->clk = 0;
    rtl->eval();
    std::fill(out, out + FIELDS + CELL_WORDS, 0);
    if (in[0] == 1) {
        out[0] = rtl->fault_out;
        out[1] = rtl->destination_out;
        out[2] = rtl->source_out;
        out[3] = rtl->class_out;
        out[4] = rtl->sequence_out;
        out[5] = rtl->feedback_out;
        out[6] = rtl->flags_out;
    } else {
        get(in[0] == 0 ? rtl->encoded_out : rtl->relayed_out, out + FIELDS);
    }
}

extern "C" void skerry_model_destroy(void *model) {
    auto *rtl = static_cast<Vskerry_shoal_codec *>(model);
    VerilatedContext *context = rtl->contextp();
    delete rtl;
    delete context;
}
