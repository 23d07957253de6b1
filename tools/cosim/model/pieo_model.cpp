// skerry_pieo as a model for `skerry cosim`. CAPACITY and ID_BITS have to match the verilated module.
#include "Vskerry_pieo.h"
#include "skerry_model.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

namespace {
constexpr int64_t NO_RANK = 0xFFFF, NO_TIME = 0xFFFF;
constexpr int MAX_CLOCKS = 16;

void clock(Vskerry_pieo *rtl) {
    rtl->clk = 1;
    rtl->eval();
    rtl->clk = 0;
    rtl->eval();
}
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() { return "pieo capacity=" TEXT(CAPACITY) " idBits=" TEXT(ID_BITS); }

extern "C" void *skerry_model_create() {
    auto *rtl = new Vskerry_pieo{new VerilatedContext};
    rtl->clk = 0;
    rtl->rst = 1;
    rtl->enqueue_in = rtl->dequeue_in = rtl->dequeue_f_in = 0;
    rtl->eval();
    clock(rtl);
    rtl->rst = 0;
    rtl->eval();
    return rtl;
}

extern "C" void skerry_model_step(void *model, const int64_t *in, int64_t *out) {
    auto *rtl = static_cast<Vskerry_pieo *>(model);
    rtl->enqueue_in = in[0] & 1;
    rtl->dequeue_in = in[0] >> 1 & 1;
    rtl->dequeue_f_in = in[0] >> 2 & 1;
    rtl->id_in = in[1];
    rtl->rank_in = in[2];
    rtl->time_in = in[3];
    rtl->sublist_in = in[4];
    rtl->eval();
    int clocks = 0;
    if (rtl->refused_out) {
        // The hardware only signals a refusal; the inputs determine the reason.
        out[0] = in[0] & 1 ? in[2] == NO_RANK ? -3 : in[3] == NO_TIME ? -4 : -1 : in[0] & 2 ? -4 : -5;
    } else {
        clock(rtl);
        rtl->enqueue_in = rtl->dequeue_in = rtl->dequeue_f_in = 0;
        rtl->eval();
        for (clocks = 2; !rtl->done_out && clocks < MAX_CLOCKS; clocks++) clock(rtl);
        out[0] = rtl->absent_out ? -5 : in[0] & 1 || rtl->found_out ? 1 : 0;
        if (rtl->absent_out) clocks = 0;
    }
    out[1] = rtl->id_out;
    out[2] = rtl->rank_out;
    out[3] = rtl->time_out;
    out[4] = rtl->enqueued_in_sublist_out;
    out[5] = rtl->moved_id_out;
    out[6] = rtl->moved_to_sublist_out;
    out[7] = clocks;
    rtl->enqueue_in = rtl->dequeue_in = rtl->dequeue_f_in = 0;
    if (clocks != 0 || out[0] == -5) clock(rtl);
}

extern "C" void skerry_model_destroy(void *model) {
    auto *rtl = static_cast<Vskerry_pieo *>(model);
    VerilatedContext *context = rtl->contextp();
    delete rtl;
    delete context;
}
