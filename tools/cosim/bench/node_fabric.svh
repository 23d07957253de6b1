// A fabric of RADIX x RADIX skerry_shale_node, to be included in the module of a bench: what a node sends arrives at
// its peer three slots later. Each node has one endless flow.
    parameter int RADIX = 3;
    localparam int NODES = RADIX * RADIX, LINKS = 2 * (RADIX - 1), PROPAGATION = 3, ROWS = PROPAGATION + 1;

    function automatic int destination(input int node);
        return (node + RADIX + 1) % NODES;
    endfunction

    // The options that describe the fabric to the models.
    function automatic string run_of_fabric();
        automatic string run = $sformatf(
            " nodes=%0d h=2 tokens=1 firstHopTokens=2 propagation=%0d sprayTies=lowest pairs=", NODES, PROPAGATION);
        for (int n = 0; n < NODES; n++) begin
            if (n > 0) run = {run, ","};
            run = {run, $sformatf("%0d>%0d", n, destination(n))};
        end
        return run;
    endfunction

    logic                    clk = 1'b0, rst = 1'b1, slot_in = 1'b0, tx_ready = 1'b0, rx_valid = 1'b0;
    wire  [NODES-1:0]        tx_valid, rx_ready, overflow;
    wire  [63:0]             tx_route [0:NODES-1], tx_cell [0:NODES-1], tx_feedback [0:NODES-1];
    logic [63:0]             rx_route [0:NODES-1], rx_cell [0:NODES-1], rx_feedback [0:NODES-1];
    wire  [LINKS-1:0][15:0]  lengths [0:NODES-1], spent [0:NODES-1], owed [0:NODES-1];

    always #1 clk = ~clk;

    for (genvar n = 0; n < NODES; n++) begin : nodes
        skerry_shale_node #(.RADIX(RADIX), .NODE(n), .FIRST_HOP_TOKENS(2), .PROPAGATION(PROPAGATION), .FLOW(n),
            .DESTINATION((n + RADIX + 1) % NODES), .QUEUE_CELLS(64), .OWED_TOKENS(64)) dut (
            .clk(clk), .rst(rst), .slot_in(slot_in), .tx_valid(tx_valid[n]), .tx_ready(tx_ready),
            .tx_route(tx_route[n]), .tx_cell(tx_cell[n]), .tx_feedback(tx_feedback[n]), .rx_valid(rx_valid),
            .rx_ready(rx_ready[n]), .rx_route(rx_route[n]), .rx_cell(rx_cell[n]), .rx_feedback(rx_feedback[n]),
            .length_out(lengths[n]), .spent_out(spent[n]), .owed_out(owed[n]), .overflow_out(overflow[n]));
    end

    words_t flying[ROWS][NODES];     // what the nodes sent in the last slots
    longint cells;

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
