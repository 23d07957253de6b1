// A fabric of nine skerry_shale_node, each with a scoreboard: what a node sends arrives at its peer three slots later.
//   +operations=N    slots, times nine nodes; the same again without scoreboards, for the time
//   +planted=S       changes a token that node 4 sends in slot S, or the next one it sends; then boards must differ
`timescale 1ns/1ps
`include "sv/skerry_scoreboard.svh"

module node_dpi_tb;
    import skerry::*;
    import "DPI-C" function real bench_seconds();

    localparam int RADIX = 3, NODES = 9, LINKS = 4, PROPAGATION = 3, ROWS = PROPAGATION + 1;
    localparam string RUN = " nodes=9 h=2 firstHopTokens=2 propagation=3 sprayTies=lowest workload=permutation seed=1";
    // The permutation of seed 1.
    localparam int TO [0:NODES-1] = '{8, 2, 7, 0, 5, 3, 4, 1, 6};

    logic                    clk = 1'b0, rst = 1'b1, slot_in = 1'b0, tx_ready = 1'b0, rx_valid = 1'b0;
    wire  [NODES-1:0]        tx_valid, rx_ready, overflow;
    wire  [63:0]             tx_route [0:NODES-1], tx_cell [0:NODES-1], tx_feedback [0:NODES-1];
    logic [63:0]             rx_route [0:NODES-1], rx_cell [0:NODES-1], rx_feedback [0:NODES-1];
    wire  [LINKS-1:0][15:0]  lengths [0:NODES-1], spent [0:NODES-1], owed [0:NODES-1];

    always #1 clk = ~clk;

    for (genvar n = 0; n < NODES; n++) begin : nodes
        skerry_shale_node #(.RADIX(RADIX), .NODE(n), .FIRST_HOP_TOKENS(2), .PROPAGATION(PROPAGATION), .FLOW(n),
            .DESTINATION(TO[n]), .QUEUE_CELLS(40), .OWED_TOKENS(64)) dut (
            .clk(clk), .rst(rst), .slot_in(slot_in), .tx_valid(tx_valid[n]), .tx_ready(tx_ready),
            .tx_route(tx_route[n]), .tx_cell(tx_cell[n]), .tx_feedback(tx_feedback[n]), .rx_valid(rx_valid),
            .rx_ready(rx_ready[n]), .rx_route(rx_route[n]), .rx_cell(rx_cell[n]), .rx_feedback(rx_feedback[n]),
            .length_out(lengths[n]), .spent_out(spent[n]), .owed_out(owed[n]), .overflow_out(overflow[n]));
    end

    node_scoreboard boards[NODES];
    follow_scoreboard follower;      // of node 4
    words_t         flying[ROWS][NODES];
    longint         operations, slots, planted, differences, cells;
    real            began, with_boards, alone;

    function automatic int sender(input int node, input longint slot);
        automatic int position = int'(slot % LINKS);
        automatic int weight = position / (RADIX - 1) == 0 ? 1 : RADIX;
        automatic int digit = node / weight % RADIX;
        return node + ((digit + RADIX - 1 - position % (RADIX - 1)) % RADIX - digit) * weight;
    endfunction

    task automatic reset();
        rst = 1'b1;
        repeat (2) @(negedge clk);
        rst = 1'b0;
        cells = 0;
    endtask

    task automatic send(input longint slot);
        slot_in = 1'b1;
        @(negedge clk);
        slot_in = 1'b0;
        while (tx_valid != '1) @(negedge clk);
        for (int n = 0; n < NODES; n++) begin
            flying[int'(slot % ROWS)][n] = '{route: tx_route[n], cell_word: tx_cell[n], feedback: tx_feedback[n]};
            cells += longint'(tx_route[n] != '1);
        end
        tx_ready = 1'b1;
        @(negedge clk);
        tx_ready = 1'b0;
    endtask

    task automatic receive(input longint slot);
        automatic longint sent = slot - PROPAGATION;
        while (rx_ready != '1) @(negedge clk);
        for (int n = 0; n < NODES; n++) begin
            automatic words_t words = '{route: NOTHING, cell_word: 0, feedback: NONE};
            if (sent >= 0) words = flying[int'(sent % ROWS)][sender(n, sent)];
            rx_route[n] = words.route;
            rx_cell[n] = words.cell_word;
            rx_feedback[n] = words.feedback;
        end
        rx_valid = 1'b1;
        @(negedge clk);
        rx_valid = 1'b0;
        @(negedge clk);
    endtask

    task automatic compare(input longint slot);
        for (int n = 0; n < NODES; n++) begin
            automatic words_t sent = flying[int'(slot % ROWS)][n];
            automatic words_t received = '{route: rx_route[n], cell_word: rx_cell[n], feedback: rx_feedback[n]};
            if (n == 4 && planted >= 0 && slot >= planted && sent.feedback != NONE) begin
                sent.feedback ^= 1;
                planted = NONE;
            end
            boards[n].write_sent(sent);
            boards[n].write_received(received);
            for (int l = 0; l < LINKS; l++) begin
                boards[n].write_probe(longint'(lengths[n][l]));
                boards[n].write_probe(longint'(spent[n][l]));
                boards[n].write_probe(longint'(owed[n][l]));
            end
            boards[n].end_slot();
            if (n == 4) begin
                follower.write_sent(sent);
                follower.write_received(received);
            end
        end
        // The follower ends its slots by the clock, with ten a slot: not before the window is over, and then once.
        for (int c = 1; c <= 10; c++) follower.clock(slot * follower.slot_clocks + longint'(c));
    endtask

    initial begin
        automatic string probes[$];
        if (!$value$plusargs("operations=%d", operations)) operations = 90000;
        if (!$value$plusargs("planted=%d", planted)) planted = NONE;
        slots = (operations + NODES - 1) / NODES;
        for (int l = 0; l < LINKS; l++) begin
            probes.push_back($sformatf("queue%0d_length", l));
            probes.push_back($sformatf("queue%0d_outstanding", l));
            probes.push_back($sformatf("queue%0d_owed", l));
        end
        for (int n = 0; n < NODES; n++)
            boards[n] = new({$sformatf("shale-node node=%0d", n), RUN}, probes);
        follower = new({"shale-follower node=4", RUN});
        follower.slot_clocks = 10;
        reset();
        began = bench_seconds();
        for (longint s = 0; s < slots; s++) begin
            send(s);
            receive(s);
            compare(s);
        end
        with_boards = bench_seconds() - began;
        if (overflow != '0 || cells < slots) begin
            $display("node: a queue is full, or few cells: cells=%0d slots=%0d", cells, slots);
            $fatal(1);
        end
        differences = 0;
        for (int n = 0; n < NODES; n++) begin
            differences += boards[n].differences;
            boards[n].report($sformatf("node %0d", n));
        end
        if (follower.slot != slots || (differences == 0) != (follower.findings == 0)) begin
            $display("node: the follower is in slot %0d and found %0d: %s", follower.slot, follower.findings,
                follower.text());
            $fatal(1);
        end
        if (differences != 0) begin
            $display("follower: %s", follower.text());
            $display("node: %0d differences", differences);
            $finish;
        end
        reset();
        began = bench_seconds();
        for (longint s = 0; s < slots; s++) begin
            send(s);
            receive(s);
        end
        alone = bench_seconds() - began;
        $display("node: %0d operations, all equal (%0d cells), %0.0f operations/s with scoreboards, %0.0f without",
            slots * NODES, cells, real'(slots * NODES) / with_boards, real'(slots * NODES) / alone);
        for (int n = 0; n < NODES; n++) boards[n].close();
        follower.close();
        $finish;
    end
endmodule
