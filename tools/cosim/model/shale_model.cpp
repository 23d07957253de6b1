// Shale's header codec as a model for `skerry cosim`.
#include "Vskerry_shale_codec.h"
#include "skerry_model.h"

#include <algorithm>

namespace {
constexpr int FIELDS = 7, WORDS = 9;

int64_t word(const VlWide<4> &port, int high) {
    return static_cast<int64_t>(static_cast<uint64_t>(port[high]) << 32 | port[high - 1]);
}

void set(VlWide<4> &port, int high, int64_t value) {
    port[high] = static_cast<uint32_t>(static_cast<uint64_t>(value) >> 32);
    port[high - 1] = static_cast<uint32_t>(value);
}
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() { return "shale layout=L16 nodes=4096 phases=6 failures=1"; }

extern "C" void *skerry_model_create() {
    auto *rtl = new Vskerry_shale_codec{new VerilatedContext};
    rtl->clk = 0;
    rtl->eval();
    return rtl;
}

extern "C" void skerry_model_step(void *model, const int64_t *in, int64_t *out) {
    auto *rtl = static_cast<Vskerry_shale_codec *>(model);
    rtl->source_in = in[1];
    rtl->destination_in = in[2];
    rtl->sprays_in = in[3];
    rtl->sequence_in = in[4] & 0x3FFFFFF;
    rtl->token1_in = in[5];
    rtl->token2_in = in[6];
    set(rtl->header_in, 3, in[FIELDS]);
    set(rtl->header_in, 1, in[FIELDS + 1]);
    rtl->eval();
    rtl->clk = 1;
    rtl->eval();
    rtl->clk = 0;
    rtl->eval();
    std::fill(out, out + WORDS, 0);
    if (in[0] == 1) {
        out[0] = rtl->fault_out;
        out[1] = rtl->source_out;
        out[2] = rtl->destination_out;
        out[3] = rtl->sprays_out;
        out[4] = rtl->sequence_out;
        out[5] = rtl->token1_out;
        out[6] = rtl->token2_out;
    } else {
        const VlWide<4> &header = in[0] == 0 ? rtl->encoded_out : rtl->relayed_out;
        out[FIELDS] = word(header, 3);
        out[FIELDS + 1] = word(header, 1);
    }
}

extern "C" void skerry_model_destroy(void *model) {
    auto *rtl = static_cast<Vskerry_shale_codec *>(model);
    VerilatedContext *context = rtl->contextp();
    delete rtl;
    delete context;
}
