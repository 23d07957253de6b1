// A fabric of nine skerry_shale_node, or of RADIX x RADIX, each with a scoreboard; node 4 has a follower too.
//   +operations=N    slots times nodes; the run is repeated without scoreboards to compare the CPU time
//   +pairs=K         repeats both runs K times, alternating
//   +coverage=FILE   writes the coverage of the follower, for skerry coverage
//   +planted=S       changes a token that node 4 sends in slot S, or the next one it sends; the boards must detect it
`timescale 1ns/1ps
`include "sv/skerry_scoreboard.svh"

module node_dpi_tb;
    import skerry::*;
    import "DPI-C" function real bench_processor_seconds();

    `include "bench/node_fabric.svh"

    node_scoreboard boards[NODES];
    follow_scoreboard follower;      // of node 4
    longint         operations, slots, planted, pairs;
    real            checked, alone;

    task automatic compare(input longint slot);
        for (int n = 0; n < NODES; n++) begin
            // A separate handle, because Verilator 5.006 supports methods of boards[n] only in loops that it unrolls.
            automatic node_scoreboard board = boards[n];
            automatic words_t sent = flying[int'(slot % ROWS)][n];
            automatic words_t received = '{route: rx_route[n], cell_word: rx_cell[n], feedback: rx_feedback[n]};
            automatic shale_route_t route = sent.route;
            // Node 1 has a header without the slot of the source.
            if (n == 1 && sent.route >= 0) begin
                if (longint'(route.sent_slot) > slot || int'(route.destination) >= NODES) $fatal(1);
                route.sent_slot = '0;
                sent.route = route;
                board.route_bits = SHALE_HEADER;
            end
            if (n == 4 && planted >= 0 && slot >= planted && sent.feedback != NONE) begin
                sent.feedback ^= 1;
                planted = NONE;
            end
            board.write_sent(sent);
            board.write_received(received);
            for (int l = 0; l < LINKS; l++) begin
                board.write_probe(longint'(lengths[n][l]));
                board.write_probe(longint'(spent[n][l]));
                board.write_probe(longint'(owed[n][l]));
            end
            board.end_slot();
            if (n == 4) begin
                follower.write_sent(sent);
                follower.write_received(received);
            end
        end
        // The follower ends its slots by clocks, ten per slot: once, and not before the window is over.
        for (int c = 1; c <= 10; c++) follower.clock(slot * follower.slot_clocks + longint'(c));
    endtask

    // Continues node 0 with a fresh scoreboard that copies the state of the old one, and also writes registers of it.
    task automatic renew(input string description, input string probes[$]);
        automatic node_scoreboard old = boards[0], fresh = new(description, probes);
        automatic longint cells_of_link[], tokens[];
        fresh.begin_as(old);
        for (int l = 0; l < LINKS; l++) begin
            old.get($sformatf("queue%0d_cells", l), cells_of_link);
            old.get($sformatf("queue%0d_owed_tokens", l), tokens);
            fresh.set($sformatf("queue%0d_cells", l), cells_of_link);
            fresh.set($sformatf("queue%0d_owed_tokens", l), tokens);
        end
        fresh.differences = old.differences;
        old.close();
        boards[0] = fresh;
    endtask

    // A token that the node has not spent is a finding. The board then stops, and the simulation continues.
    task automatic surplus();
        automatic string none[$];
        automatic node_scoreboard board = new({"shale-node node=0", run_of_fabric()}, none);
        automatic finding_t last;
        automatic words_t received = '{route: NONE, cell_word: 0, feedback: NONE};
        board.limit = 1000;
        for (int s = 0; s < 100; s++) begin
            if (s == 50) received.feedback = 64'hFFFF_FFFF_0000_0029;       // destination 5, one spraying hop
            board.write_received(received);
            board.end_slot();
        end
        last = board.kept_finding(board.kept() - 1);
        if (!board.stopped || board.slot != 100 || last.seen != -3) begin
            board.report("surplus");
            $fatal(1);
        end
        board.close();
    endtask

    // An element of Stardust sends a cell that it received, and sends it again.
    task automatic element();
        automatic device_scoreboard board = new("stardust-follower device=6 nodes=6 topology=single propagation=1");
        automatic link_words_t words = '{first: 64'h0003_0002_8000_0000, second: 0, flags: 0, low: 0, high: 0};
        board.write_received(0, words);
        for (int s = 0; s < 2; s++) begin
            board.write_sent(3, words);
            board.end_slot();
            if (board.findings != longint'(s)) begin
                $display("element: %s%s", board.failure, board.text());
                $fatal(1);
            end
        end
        board.close();
    endtask

    // Runs all slots after a reset, with or without boards; returns the CPU time, including threads of the JVM.
    task automatic pass(input bit with_boards, output real seconds);
        automatic string probes[$];
        automatic string run = run_of_fabric();
        automatic real began;
        probes.delete();
        if (with_boards) begin
            for (int l = 0; l < LINKS; l++) begin
                probes.push_back($sformatf("queue%0d_length", l));
                probes.push_back($sformatf("queue%0d_outstanding", l));
                probes.push_back($sformatf("queue%0d_owed", l));
            end
            for (int n = 0; n < NODES; n++)
                boards[n] = new({$sformatf("shale-node node=%0d", n), run}, probes);
            follower = new({"shale-follower node=4", run});
            follower.slot_clocks = 10;
        end
        reset();
        began = bench_processor_seconds();
        for (longint s = 0; s < slots; s++) begin
            send(s);
            receive(s);
            if (with_boards && s == slots / 2) renew({"shale-node node=0", run}, probes);
            if (with_boards) compare(s);
        end
        seconds = bench_processor_seconds() - began;
        if (overflow != '0 || cells < slots) begin
            $display("node: a queue is full, or few cells: cells=%0d slots=%0d", cells, slots);
            $fatal(1);
        end
    endtask

    // Ends the simulation if something differs.
    task automatic judge();
        automatic longint differences = 0;
        automatic string file;
        if ($value$plusargs("coverage=%s", file)) follower.write_coverage(file);
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
        for (int n = 0; n < NODES; n++) boards[n].close();
        follower.close();
    endtask

    initial begin
        if (!$value$plusargs("operations=%d", operations)) operations = 90000;
        if (!$value$plusargs("planted=%d", planted)) planted = NONE;
        if (!$value$plusargs("pairs=%d", pairs)) pairs = 1;
        slots = (operations + NODES - 1) / NODES;
        surplus();
        element();
        for (longint p = 0; p < pairs; p++) begin
            pass(1'b1, checked);
            judge();
            pass(1'b0, alone);
            $display("node: %0d operations, all equal (%0d cells), %0.0f operations/s with scoreboards, %0.0f without",
                slots * NODES, cells, real'(slots * NODES) / checked, real'(slots * NODES) / alone);
        end
        $finish;
    end
endmodule
