// A fabric of nine cut_through_nic with Skerry's scoreboards.
//   +slots=N        maximum number of slots; a run ends 64 slots after each kind of board has found something
//   +follow         a follower for each node
//   +model          a model for each node, which compares every queue and counter
//   +trace=PREFIX   writes PREFIX<bug>.cells.csv and PREFIX<bug>.state.csv for `skerry score`
//   +idle=P         in P of 100 slots a host has nothing to send; not with +model
//   +bugs=B +last=L plants bug B in node 4, then the next one, up to L; 0 is no bug
`timescale 1ns/1ps
`include "sv/skerry_scoreboard.svh"

module cut_through_tb #(parameter int SCAN = 4, TOKEN_LATENCY = 2);
    import skerry::*;

    localparam int RADIX = 3, NODES = RADIX * RADIX, LINKS = 2 * (RADIX - 1), BUCKETS = 2 * NODES;
    localparam int WIRE_SLOTS = 3, WIRE_CLOCKS = 8 * WIRE_SLOTS - 4;
    localparam int TOKENS = 2, FIRST_HOP_TOKENS = 3;

    logic               clk = 1'b0, rst = 1'b1;
    logic [31:0]        rx [0:NODES-1];
    wire  [31:0]        tx [0:NODES-1];
    wire  [2:0]         count [0:NODES-1];
    wire  [NODES-1:0]   overflow, acts;
    logic [NODES-1:0]   host_has [0:NODES-1];
    logic [31:0]        wire_of [0:NODES-1][0:WIRE_CLOCKS];   // what a NIC has sent, the last clock first
    wire  [LINKS-1:0][7:0] length [0:NODES-1], owed [0:NODES-1];
    wire  [LINKS-1:0][BUCKETS-1:0][3:0] left [0:NODES-1];
    longint             slots, slot;
    int                 bug, last_bug, idle, trace_cells, trace_state;
    bit                 follows, compares;

    for (genvar n = 0; n < NODES; n++) begin : nodes
        cut_through_nic #(.RADIX(RADIX), .NODE(n), .TOKENS(TOKENS), .FIRST_HOP_TOKENS(FIRST_HOP_TOKENS),
            .WIRE_SLOTS(WIRE_SLOTS), .SCAN(SCAN), .TOKEN_LATENCY(TOKEN_LATENCY)) dut (.clk(clk), .rst(rst),
            .bug(n == 4 ? 4'(bug) : 4'd0), .rx(rx[n]), .tx(tx[n]), .host_has(host_has[n]), .count_out(count[n]),
            .length_out(length[n]), .owed_out(owed[n]), .left_out(left[n]), .overflow_out(overflow[n]),
            .acts_out(acts[n]));
    end

    always #1 clk = ~clk;

    function automatic int sender(input int node, input longint of_slot);
        automatic int position = int'(of_slot % LINKS);
        automatic int weight = position / (RADIX - 1) == 0 ? 1 : RADIX;
        automatic int digit = node / weight % RADIX;
        return node + ((digit + RADIX - 1 - position % (RADIX - 1)) % RADIX - digit) * weight;
    endfunction

    // ---- Hosts: node 4 has one endless flow, so its sequence number wraps early; the others have three ----

    function automatic bit is_flow(input int source, input int destination);
        automatic int ahead = (destination - source + NODES) % NODES;
        return ahead == 4 || source != 4 && (ahead == 1 || ahead == 7);
    endfunction

    function automatic int flow(input int source, input int destination);
        automatic int number = 0;
        for (int s = 0; s < NODES; s++)
            for (int d = 0; d < NODES; d++) begin
                if (s == source && d == destination) return number;
                number += int'(is_flow(s, d));
            end
        return number;
    endfunction

    // A node starts one flow per slot.
    function automatic logic [NODES-1:0] hosts(input int n, input longint of_slot);
        for (int d = 0; d < NODES; d++)
            hosts[d] = is_flow(n, d) && longint'(flow(n, d) - flow(n, 0)) <= of_slot && int'($urandom % 100) >= idle;
    endfunction

    // ---- From headers to words ----

    typedef struct packed {
        logic [63:0] header;
        logic [63:0] payload;      // a digest
    } seen_t;

    longint next_number [0:NODES-1][0:NODES-1];            // of the next cell of each flow
    longint sent_slot [0:NODES-1][0:NODES-1][0:1023];

    function automatic longint token(input logic valid, input logic [4:0] bucket);
        return valid ? longint'({bucket[4:1], 2'b00, bucket[0]}) : 64'h0FFFFFFFF;
    endfunction

    // Reconstructs a sequence number from its low ten bits: no flow has 512 cells in flight.
    function automatic longint number_of(input int source, input int destination, input logic [9:0] low);
        automatic longint next = next_number[source][destination];
        automatic logic [9:0] ahead = low - next[9:0];
        return next + (ahead[9] ? longint'(ahead) - 1024 : longint'(ahead));
    endfunction

    // Converts a header that a node sends in a slot, or receives (node -1), to words. Headers do not contain the slot
    // in which a cell left its source; only models compare it.
    function automatic words_t words_of(input logic [63:0] h, input int node, input longint of_slot);
        automatic words_t words = '{route: NOTHING, cell_word: 0, feedback: NONE};
        automatic int source = int'(h[61:58]), destination = int'(h[57:54]);
        automatic longint number;
        if (h[63]) begin
            words.route = NONE;
            words.feedback = token(h[31], h[30:26]) | token(h[25], h[24:20]) << 32;
            if (!h[62]) begin
                number = number_of(source, destination, h[52:43]);
                if (source == node) begin
                    next_number[source][destination] = number + 1;
                    sent_slot[source][destination][h[52:43]] = of_slot;
                end
                words.route = sent_slot[source][destination][h[52:43]] << 41 | longint'(destination) << 3 | longint'(h[53]);
                words.cell_word = longint'(flow(source, destination)) << 32 | number;
            end
        end
        return words;
    endfunction

    // ---- Boards ----

    follow_scoreboard followers[$];
    node_scoreboard   models[$];

    function automatic string description(input string kind, input int node);
        automatic string text = $sformatf(
            "%s node=%0d nodes=%0d h=2 tokens=%0d firstHopTokens=%0d propagation=%0d order=receive-first",
            kind, node, NODES, TOKENS, FIRST_HOP_TOKENS, WIRE_SLOTS);
        text = {text, $sformatf(" owedLatency=%0d scanDepth=%0d sprayTies=lowest localOrder=destination pairs=",
            TOKEN_LATENCY, SCAN)};
        for (int s = 0; s < NODES; s++)
            for (int d = 0; d < NODES; d++) if (is_flow(s, d)) text = {text, $sformatf("%0d>%0d,", s, d)};
        return text.substr(0, text.len() - 2);
    endfunction

    task automatic open();
        automatic string probes[$];
        probes.delete();
        followers.delete();
        models.delete();
        for (int l = 0; l < LINKS; l++) begin
            probes.push_back($sformatf("queue%0d_length", l));
            probes.push_back($sformatf("queue%0d_outstanding", l));
            probes.push_back($sformatf("queue%0d_owed", l));
        end
        for (int n = 0; n < NODES; n++) begin
            automatic follow_scoreboard follower = null;
            automatic node_scoreboard model = null;
            if (follows) follower = new({description("shale-follower", n), " payload=1",
                n == 4 && idle == 0 ? " saturated=50" : ""});
            if (compares) model = new(description("shale-node", n), probes);
            followers.push_back(follower);
            models.push_back(model);
        end
    endtask

    task automatic follow(input int n, input words_t sent, input words_t received, input longint sent_payload,
        input longint received_payload);
        automatic follow_scoreboard board = followers[n];
        board.write_sent(sent);
        board.write_received(received);
        board.write_payload(received_payload, sent_payload);
        board.end_slot();
        found_by_follower |= board.findings != 0;
    endtask

    task automatic compare(input int n, input words_t sent, input words_t received);
        automatic node_scoreboard board = models[n];
        board.write_sent(sent);
        board.write_received(received);
        for (int l = 0; l < LINKS; l++) begin
            automatic longint spent = 0;
            for (int b = 0; b < BUCKETS; b++)
                spent += longint'(b % 2 == 1 ? FIRST_HOP_TOKENS : TOKENS) - longint'(left_then[n][l][b]);
            board.write_probe(longint'(length_then[n][l]));
            board.write_probe(spent);
            board.write_probe(longint'(owed_then[n][l]));
        end
        board.end_slot();
        found_by_model |= board.differences != 0;
    endtask

    // ---- Slots ----

    seen_t       sending [0:NODES-1], receiving [0:NODES-1], received [0:NODES-1];
    logic [LINKS-1:0][7:0] length_then [0:NODES-1], owed_then [0:NODES-1];
    logic [LINKS-1:0][BUCKETS-1:0][3:0] left_then [0:NODES-1];
    longint      cells, ends, acted;
    bit          found_by_follower, found_by_model;

    task automatic trace(input int n, input longint of_slot);
        $fdisplay(trace_cells, "T,%0d,%0d,%h,%h", of_slot, n, sending[n].header, sending[n].payload);
        if (received[n].header[63])
            $fdisplay(trace_cells, "R,%0d,%0d,%h,%h", of_slot, n, received[n].header, received[n].payload);
        $fwrite(trace_state, "%0d,%0d", of_slot, n);
        for (int l = 0; l < LINKS; l++) begin
            $fwrite(trace_state, ",%0d", length_then[n][l]);
            for (int b = 0; b < BUCKETS; b++) $fwrite(trace_state, ",%0d", left_then[n][l][b]);
        end
        $fwrite(trace_state, "\n");
    endtask

    // Checks what all nodes received in a slot, and then sent.
    task automatic end_slot(input longint of_slot);
        words_t of_sent [0:NODES-1];
        // Words that a neighbour must not send stop a model, so the models end at the first difference.
        automatic bit ended = found_by_model;
        for (int n = 0; n < NODES; n++) of_sent[n] = words_of(sending[n].header, n, of_slot);
        for (int n = 0; n < NODES; n++) begin
            automatic words_t of_received = words_of(received[n].header, -1, of_slot);
            cells += longint'(sending[n].header[63:62] == 2'b10);
            if (follows) follow(n, of_sent[n], of_received, sending[n].payload, received[n].payload);
            if (compares && !ended) compare(n, of_sent[n], of_received);
            if (trace_cells != 0) trace(n, of_slot);
        end
        if (ends == slots && (follows || compares) && found_by_follower == follows && found_by_model == compares)
            ends = of_slot + 64 < slots ? of_slot + 64 : slots;
    endtask

    function automatic seen_t with_word(input seen_t old, input logic [2:0] number, input logic [31:0] word);
        with_word = old;
        case (number)
            3'd0: with_word = '{header: {word, 32'd0}, payload: '0};
            3'd1: with_word.header[31:0] = word;
            default: with_word.payload = {old.payload[58:0], old.payload[63:59]} ^ 64'(word);
        endcase
    endfunction

    // Executes a clock: advances the wires, and reads what the NICs send and receive.
    task automatic clock();
        if (count[0] == 3'd0) slot++;
        for (int n = 0; n < NODES; n++) begin
            for (int c = WIRE_CLOCKS; c > 0; c--) wire_of[n][c] = wire_of[n][c - 1];
            wire_of[n][0] = tx[n];
        end
        for (int n = 0; n < NODES; n++) begin
            rx[n] = wire_of[sender(n, slot + LINKS - WIRE_SLOTS)][WIRE_CLOCKS];
            if (count[n] == 3'd0) begin
                received[n] = receiving[n];
                length_then[n] = length[n];
                owed_then[n] = owed[n];
                left_then[n] = left[n];
                host_has[n] = hosts(n, slot);
            end
            receiving[n] = with_word(receiving[n], count[n], rx[n]);
            sending[n] = with_word(sending[n], count[n] + 3'd4, tx[n]);
        end
        if (acts != '0 && acted < 0) acted = slot;
        // The last word leaves half a slot later.
        if (count[0] == 3'd3 && slot > 0) end_slot(slot - 1);
    endtask

    task automatic open_trace();
        automatic string prefix;
        trace_cells = 0;
        trace_state = 0;
        if ($value$plusargs("trace=%s", prefix)) begin
            trace_cells = $fopen($sformatf("%s%0d.cells.csv", prefix, bug), "w");
            trace_state = $fopen($sformatf("%s%0d.state.csv", prefix, bug), "w");
            $fdisplay(trace_cells, "kind,slot,node,header,payload");
            $fwrite(trace_state, "slot,node");
            for (int l = 0; l < LINKS; l++) begin
                $fwrite(trace_state, ",fwd_%0d_%0d", l / (RADIX - 1), l % (RADIX - 1));
                for (int b = 0; b < BUCKETS; b++)
                    $fwrite(trace_state, ",tok_%0d_%0d_d%0dn%0d", l / (RADIX - 1), l % (RADIX - 1), b / 2, b % 2);
            end
            $fwrite(trace_state, "\n");
        end
    endtask

    task automatic judge();
        automatic longint findings = 0;
        for (int n = 0; n < NODES; n++) begin
            automatic follow_scoreboard follower = followers[n];
            automatic node_scoreboard model = models[n];
            if (follows) begin
                findings += follower.findings;
                if (follower.findings != 0) $display("follower: %s", follower.text());
                follower.close();
            end
            if (compares) begin
                findings += model.differences;
                model.report($sformatf("model: node %0d", n));
                model.close();
            end
        end
        $display("bug %0d: acted in slot %0d, %0d slots, %0d cells, %0d findings", bug, acted, slot, cells, findings);
        if (trace_cells != 0) begin
            $fclose(trace_cells);
            $fclose(trace_state);
        end
    endtask

    task automatic run();
        rst = 1'b1;
        open();
        open_trace();
        cells = 0;
        slot = -1;
        ends = slots;
        acted = -1;
        found_by_follower = 1'b0;
        found_by_model = 1'b0;
        for (int n = 0; n < NODES; n++) begin
            for (int c = 0; c <= WIRE_CLOCKS; c++) wire_of[n][c] = '0;
            for (int d = 0; d < NODES; d++) next_number[n][d] = 0;
        end
        repeat (2) @(negedge clk);
        rst = 1'b0;
        while (slot <= ends) begin
            clock();
            @(negedge clk);
        end
        if (overflow != '0) $display("bug %0d: a queue is full", bug);
        judge();
    endtask

    initial begin
        if (!$value$plusargs("slots=%d", slots)) slots = 3500;
        if (!$value$plusargs("bugs=%d", bug)) bug = 0;
        if (!$value$plusargs("last=%d", last_bug)) last_bug = bug;
        if (!$value$plusargs("idle=%d", idle)) idle = 0;
        follows = $test$plusargs("follow") != 0;
        compares = $test$plusargs("model") != 0;
        for (; bug <= last_bug; bug++) run();
        $finish;
    end
endmodule
