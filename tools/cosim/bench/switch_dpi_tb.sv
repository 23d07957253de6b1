// Compares skerry_switch with the Java circuit switch: random slots, with every output and counter compared after each.
//   +operations=N +seed=N
`timescale 1ns/1ps

module switch_dpi_tb;
    localparam int PORTS = 8;
    localparam int EPOCH = 9;
    localparam int INS   = 2 + 2 * PORTS;
    localparam int OUTS  = PORTS + 9;

    import "DPI-C" function chandle skerry_open(input string description);
    import "DPI-C" function int skerry_step(input chandle model, input longint in[INS], output longint out[OUTS]);
    import "DPI-C" function int skerry_close(input chandle model);
    import "DPI-C" function string skerry_error();
    import "DPI-C" function real bench_seconds();

    logic                   clk = 1'b0, rst = 1'b1;
    logic                   table_we = 1'b0, table_dark = 1'b0, slot = 1'b0, start = 1'b0;
    logic [3:0]             table_row = '0;
    logic [2:0]             table_output = '0, table_select = '0;
    logic [31:0]            start_slot = '0;
    logic [PORTS-1:0]       valid = '0;
    logic [PORTS-1:0][7:0]  stamp = '0;
    logic [PORTS-1:0][30:0] cells = '0;
    wire  [PORTS-1:0]       valid_out;
    wire  [PORTS-1:0][30:0] cells_out;
    wire                    running;
    wire  [31:0]            received, forwarded, unselected, second, wrong, dark, unfed, ignored;

    always #1 clk = ~clk;

    skerry_switch #(.PORTS(PORTS), .EPOCH_SLOTS(EPOCH)) dut (
        .clk(clk), .rst(rst), .table_we_in(table_we), .table_row_in(table_row), .table_output_in(table_output),
        .table_select_in(table_select), .table_dark_in(table_dark), .slot_in(slot), .start_in(start),
        .start_slot_in(start_slot), .valid_in(valid), .stamp_in(stamp), .cell_in(cells), .valid_out(valid_out),
        .cell_out(cells_out), .running_out(running), .received_out(received), .forwarded_out(forwarded),
        .dropped_unselected_out(unselected), .dropped_second_out(second), .wrong_stamp_out(wrong),
        .dark_by_table_out(dark), .dark_no_input_out(unfed), .signals_ignored_out(ignored));

    chandle    model;
    longint    in[INS], want[OUTS], got[OUTS];
    longint    operations, made;
    int        seed, picked, after;
    string     rows;
    bit        joined[PORTS];
    real       began, took;
    bit [63:0] state;

    function automatic bit [63:0] random();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        random = state;
    endfunction

    task automatic stop(input string why);
        $display("switch: slot %0d (seed %0d): %s", made, seed, why);
        for (int i = 0; i < OUTS; i++) $display("  output word %0d: model %0d, RTL %0d", i, want[i], got[i]);
        $fatal(1);
    endtask

    // Every row is a random partial permutation; one output in four stays dark.
    task automatic load();
        bit [63:0] r;
        rows = "";
        for (int row = 0; row < EPOCH; row++) begin
            for (int i = 0; i < PORTS; i++) joined[i] = 1'b0;
            for (int o = 0; o < PORTS; o++) begin
                r = random();
                picked = int'(r[10:8]);
                while (joined[picked]) picked = (picked + 1) % PORTS;
                table_dark = r[1:0] == 2'd0;
                if (!table_dark) joined[picked] = 1'b1;
                table_we = 1'b1;
                table_row = row[3:0];
                table_output = o[2:0];
                table_select = picked[2:0];
                rows = {rows, o > 0 ? "," : row > 0 ? "/" : "", $sformatf("%0d", table_dark ? -1 : picked)};
                @(negedge clk);
            end
        end
        table_we = 1'b0;
    endtask

    initial begin
        if (!$value$plusargs("operations=%d", operations)) operations = 1000000;
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        state = 64'h9E3779B97F4A7C15 ^ 64'(seed);
        repeat (3) @(negedge clk);
        load();
        model = skerry_open($sformatf("switch ports=%0d rows=%s", PORTS, rows));
        if (model == null) begin
            $display("switch: no model: %s", skerry_error());
            $fatal(1);
        end
        rst = 1'b0;
        began = bench_seconds();
        for (made = 0; made < operations; made++) begin
            bit [63:0] r;
            r = random();
            in[0] = longint'(made % 500 == 20 || r[63:54] == 10'd0);
            after = int'(r[2:0]) - 2;
            in[1] = longint'(after);
            start = in[0][0];
            start_slot = made + after < 0 ? 32'd0 : 32'(int'(made) + after);
            for (int i = 0; i < PORTS; i++) begin
                in[2 + 2 * i] = r[3 + i] && r[11 + i] ? -1 : longint'({1'b0, r[50:20]} ^ i);
                in[3 + 2 * i] = r[19 + i] && r[27 + i] && r[35 + i] ? (r[43 + i] ? 1 : 2) : 0;
            end
            if (skerry_step(model, in, want) != 0) stop(skerry_error());
            slot = 1'b1;
            @(negedge clk);
            slot = 1'b0;
            start = 1'b0;
            for (int i = 0; i < PORTS; i++) begin
                valid[i] = in[2 + 2 * i] != -1;
                cells[i] = in[2 + 2 * i][30:0];
                stamp[i] = made[7:0] - 8'(in[3 + 2 * i] == 1);
            end
            @(negedge clk);
            for (int o = 0; o < PORTS; o++) got[o] = valid_out[o] ? longint'(cells_out[o]) : -1;
            for (int i = 0; i < PORTS; i++) valid[i] = valid[i] && in[3 + 2 * i] == 2;
            @(negedge clk);
            valid = '0;
            got[PORTS] = longint'(running);
            got[PORTS + 1] = longint'(received);
            got[PORTS + 2] = longint'(forwarded);
            got[PORTS + 3] = longint'(unselected);
            got[PORTS + 4] = longint'(second);
            got[PORTS + 5] = longint'(wrong);
            got[PORTS + 6] = longint'(dark);
            got[PORTS + 7] = longint'(unfed);
            got[PORTS + 8] = longint'(ignored);
            if (got != want) stop("differs");
        end
        took = bench_seconds() - began;
        if (!running || unselected == 0 || second == 0 || wrong == 0 || dark == 0 || unfed == 0 || ignored == 0)
            stop("too few cases: a counter is 0");
        $display("switch: %0d operations, all equal (%0d cells forwarded, %0d dropped), %0.0f operations/s",
            operations, forwarded, unselected + second, operations / took);
        if (skerry_close(model) != 0) $fatal(1);
        $finish;
    end
endmodule
