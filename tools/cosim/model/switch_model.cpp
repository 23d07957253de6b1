// skerry_switch as a model for `skerry cosim`: four ports, an epoch of five slots, some outputs dark.
#include "Vskerry_switch.h"
#include "skerry_model.h"

namespace {
constexpr int PORTS = 4, EPOCH = 5, CELL_BITS = 31, STAMP_BITS = 8;
constexpr int ROWS[EPOCH][PORTS] = {{1, 2, 3, 0}, {2, 3, -1, 1}, {3, 0, 1, 2}, {-1, -1, 0, 3}, {0, 1, 2, -1}};

struct Switch {
    VerilatedContext context;
    Vskerry_switch rtl{&context};
    int64_t slot = 0;

    void clock() {
        rtl.clk = 1;
        rtl.eval();
        rtl.clk = 0;
        rtl.eval();
    }

    // Access to bits of a packed port of up to four 32-bit words.
    static int64_t field(const VlWide<4> &port, int index) {
        const int bit = index * CELL_BITS, word = bit >> 5, shift = bit & 31;
        const uint64_t two = port[word] | (word < 3 ? static_cast<uint64_t>(port[word + 1]) << 32 : 0);
        return static_cast<int64_t>(two >> shift & 0x7FFFFFFF);
    }

    static void set(VlWide<4> &port, int index, uint32_t value) {
        for (int b = 0; b < CELL_BITS; b++) {
            const int bit = index * CELL_BITS + b;
            port[bit >> 5] = (port[bit >> 5] & ~(1u << (bit & 31))) | (value >> b & 1u) << (bit & 31);
        }
    }
};
}  // namespace

extern "C" int32_t skerry_model_version() { return SKERRY_MODEL_VERSION; }

extern "C" const char *skerry_model_describe() {
    return "switch ports=4 rows=1,2,3,0/2,3,-1,1/3,0,1,2/-1,-1,0,3/0,1,2,-1";
}

extern "C" void *skerry_model_create() {
    auto *model = new Switch;
    auto &rtl = model->rtl;
    rtl.clk = 0;
    rtl.rst = 1;
    rtl.slot_in = rtl.start_in = 0;
    rtl.valid_in = 0;
    rtl.table_we_in = 1;
    for (int row = 0; row < EPOCH; row++)
        for (int output = 0; output < PORTS; output++) {
            rtl.table_row_in = row;
            rtl.table_output_in = output;
            rtl.table_dark_in = ROWS[row][output] < 0;
            rtl.table_select_in = ROWS[row][output] < 0 ? 0 : ROWS[row][output];
            rtl.eval();
            model->clock();
        }
    rtl.table_we_in = 0;
    rtl.rst = 0;
    return model;
}

extern "C" void skerry_model_step(void *given, const int64_t *in, int64_t *out) {
    auto *model = static_cast<Switch *>(given);
    auto &rtl = model->rtl;
    const int64_t start = model->slot + in[1];
    rtl.start_in = in[0] != 0;
    rtl.start_slot_in = start < 0 ? 0 : start;
    rtl.slot_in = 1;
    model->clock();
    rtl.slot_in = rtl.start_in = 0;
    uint32_t valid = 0, again = 0, stamps = 0;
    for (int port = 0; port < PORTS; port++) {
        const int64_t cell = in[2 + 2 * port], how = in[3 + 2 * port];
        valid |= static_cast<uint32_t>(cell >= 0) << port;
        again |= static_cast<uint32_t>(cell >= 0 && how == 2) << port;
        stamps |= static_cast<uint32_t>((model->slot - (how == 1)) & 0xFF) << port * STAMP_BITS;
        Switch::set(rtl.cell_in, port, static_cast<uint32_t>(cell));
    }
    rtl.stamp_in = stamps;
    rtl.valid_in = valid;
    model->clock();
    for (int port = 0; port < PORTS; port++)
        out[port] = rtl.valid_out >> port & 1 ? Switch::field(rtl.cell_out, port) : -1;
    rtl.valid_in = again;
    model->clock();
    rtl.valid_in = 0;
    rtl.eval();
    int64_t *rest = out + PORTS;
    rest[0] = rtl.running_out;
    rest[1] = rtl.received_out;
    rest[2] = rtl.forwarded_out;
    rest[3] = rtl.dropped_unselected_out;
    rest[4] = rtl.dropped_second_out;
    rest[5] = rtl.wrong_stamp_out;
    rest[6] = rtl.dark_by_table_out;
    rest[7] = rtl.dark_no_input_out;
    rest[8] = rtl.signals_ignored_out;
    model->slot++;
}

extern "C" void skerry_model_destroy(void *model) { delete static_cast<Switch *>(model); }
