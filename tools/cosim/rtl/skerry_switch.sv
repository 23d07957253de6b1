// Shoal's circuit switch (docs/spec/shoal.md §7): one multiplexer per output, each selected by a register. All
// registers are loaded in parallel once per slot from a table that repeats every epoch. No buffering, no inspection, no
// arbitration.
//
//   slot_in    begins a slot: in this clock the registers load the slot's row of the table
//   cell_in    cells of the slot arrive in any later clock, up to and including the clock of the next slot_in
//   cell_out   a cell leaves one clock after it arrived; valid_out is high for that clock
//
// Until it is started the switch holds row 0. start_in names a future slot, in which the registers begin to cycle from
// row 0. It may coincide with the slot_in of that slot. The first valid signal counts. A signal for a slot that has
// begun, and any signal after the first, is ignored and counted.
//
// A cell is dropped and counted if its stamp does not match the low bits of the slot, if no register selects it, or if
// it is the second at an input in a slot. Counters start at reset.
`default_nettype none

module skerry_switch #(
    parameter int PORTS       = 8,
    parameter int EPOCH_SLOTS = 7,
    parameter int CELL_BITS   = 31,
    parameter int SLOT_BITS   = 32,
    parameter int STAMP_BITS  = 8,
    // Derived, do not override.
    parameter int PORT_BITS   = (PORTS > 1) ? $clog2(PORTS) : 1,
    parameter int ROW_BITS    = (EPOCH_SLOTS > 1) ? $clog2(EPOCH_SLOTS) : 1
) (
    input  wire                              clk,
    input  wire                              rst,
    // Write port of the table, used before the first slot: the input of an output in a row, or dark.
    input  wire                              table_we_in,
    input  wire [ROW_BITS-1:0]               table_row_in,
    input  wire [PORT_BITS-1:0]              table_output_in,
    input  wire [PORT_BITS-1:0]              table_select_in,
    input  wire                              table_dark_in,

    input  wire                              slot_in,
    input  wire                              start_in,
    input  wire [SLOT_BITS-1:0]              start_slot_in,
    input  wire [PORTS-1:0]                  valid_in,
    input  wire [PORTS-1:0][STAMP_BITS-1:0]  stamp_in,
    input  wire [PORTS-1:0][CELL_BITS-1:0]   cell_in,
    output logic [PORTS-1:0]                 valid_out,
    output logic [PORTS-1:0][CELL_BITS-1:0]  cell_out,
    output wire                              running_out,

    output logic [31:0]                      received_out,
    output logic [31:0]                      forwarded_out,
    output logic [31:0]                      dropped_unselected_out,
    output logic [31:0]                      dropped_second_out,
    output logic [31:0]                      wrong_stamp_out,
    output logic [31:0]                      dark_by_table_out,
    output wire  [31:0]                      dark_no_input_out,
    output logic [31:0]                      signals_ignored_out
);
    logic [PORTS-1:0][PORT_BITS-1:0] table_select [0:EPOCH_SLOTS-1];
    logic [PORTS-1:0]                table_dark   [0:EPOCH_SLOTS-1];

    logic [PORTS-1:0][PORT_BITS-1:0] select;       // selection registers
    logic [PORTS-1:0]                dark;
    logic [ROW_BITS-1:0]             row;
    logic                            running;
    logic                            agreed;       // start_slot is valid
    logic [SLOT_BITS-1:0]            start_slot;
    logic [SLOT_BITS-1:0]            next_slot;    // slot that the next slot_in begins
    logic [STAMP_BITS-1:0]           stamp;        // of the current slot
    logic [PORTS-1:0]                seen;         // inputs that had a cell in this slot
    logic [31:0]                     lit;          // outputs with an input in the table, summed over slots

    wire                  taken       = start_in && !agreed && start_slot_in >= next_slot;
    wire [SLOT_BITS-1:0]  starts_at   = taken ? start_slot_in : start_slot;
    wire                  runs        = running || ((agreed || taken) && next_slot >= starts_at);
    wire [ROW_BITS-1:0]   row_after   = (32'(row) + 1 == EPOCH_SLOTS) ? '0 : row + 1'b1;
    wire [ROW_BITS-1:0]   row_next    = running ? row_after : '0;

    logic [PORTS-1:0] ours, first, selected, forward;
    always @* begin
        selected = '0;
        for (int o = 0; o < PORTS; o++)
            if (!dark[o]) selected[select[o]] = 1'b1;
        for (int i = 0; i < PORTS; i++) begin
            ours[i] = valid_in[i] && stamp_in[i] == stamp;
            first[i] = ours[i] && !seen[i];
        end
        for (int o = 0; o < PORTS; o++)
            forward[o] = !dark[o] && first[select[o]];
    end

    function automatic logic [31:0] ones(input logic [PORTS-1:0] bits);
        ones = '0;
        for (int i = 0; i < PORTS; i++) ones = ones + 32'(bits[i]);
    endfunction

    assign running_out       = running;
    assign dark_no_input_out = lit - forwarded_out;

    always_ff @(posedge clk) begin
        if (table_we_in) begin
            table_select[table_row_in][table_output_in] <= table_select_in;
            table_dark[table_row_in][table_output_in] <= table_dark_in;
        end
        if (rst) begin
            running <= 1'b0;
            agreed <= 1'b0;
            next_slot <= '0;
            start_slot <= '0;
            stamp <= '0;
            row <= '0;
            seen <= '1;
            select <= '0;
            dark <= '1;
            valid_out <= '0;
            lit <= '0;
            received_out <= '0;
            forwarded_out <= '0;
            dropped_unselected_out <= '0;
            dropped_second_out <= '0;
            wrong_stamp_out <= '0;
            dark_by_table_out <= '0;
            signals_ignored_out <= '0;
        end else begin
            if (start_in) begin
                if (taken) begin
                    agreed <= 1'b1;
                    start_slot <= start_slot_in;
                end else begin
                    signals_ignored_out <= signals_ignored_out + 1'b1;
                end
            end
            if (slot_in) begin
                running <= runs;
                row <= row_next;
                next_slot <= next_slot + 1'b1;
                stamp <= next_slot[STAMP_BITS-1:0];
`ifdef PLANTED_STALE_REGISTER
                for (int o = 0; o < PORTS; o++)
                    if (!table_dark[row_next][o]) begin
                        select[o] <= table_select[row_next][o];
                        dark[o] <= 1'b0;
                    end
`else
                select <= table_select[row_next];
                dark <= table_dark[row_next];
`endif
                dark_by_table_out <= dark_by_table_out + ones(table_dark[row_next]);
                lit <= lit + ones(~table_dark[row_next]);
            end
            // Cells that arrive with slot_in still belong to the previous slot.
            seen <= slot_in ? '0 : seen | ours;
            received_out <= received_out + ones(ours);
            forwarded_out <= forwarded_out + ones(forward);
            dropped_unselected_out <= dropped_unselected_out + ones(first & ~selected);
            dropped_second_out <= dropped_second_out + ones(ours & seen);
            wrong_stamp_out <= wrong_stamp_out + ones(valid_in & ~ours);
            valid_out <= forward;
        end
        for (int o = 0; o < PORTS; o++)
            cell_out[o] <= cell_in[select[o]];
    end
endmodule

`default_nettype wire
