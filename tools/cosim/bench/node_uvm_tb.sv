// The fabric of node_dpi_tb.sv under UVM: a monitor and a board for each of nine nodes, a follower of node 4.
//   +operations=N    slots, times nine nodes
//   +planted=S       changes a token that node 4 sends in slot S, or the next one it sends; then boards must differ
// Prints "uvm: N operations, F findings" last.
`timescale 1ns/1ps
`include "sv/skerry_uvm.svh"

module node_uvm_tb;
    import uvm_pkg::*;
    import skerry::*;
    `include "uvm_macros.svh"
    `include "bench/node_fabric.svh"

    localparam string PROBES = {"queue0_length,queue0_outstanding,queue0_owed,queue1_length,queue1_outstanding,",
        "queue1_owed,queue2_length,queue2_outstanding,queue2_owed,queue3_length,queue3_outstanding,queue3_owed"};

    // Writes what a node received, sent and holds, once a slot.
    class node_monitor extends uvm_monitor;
        `uvm_component_utils(node_monitor)

        uvm_analysis_port #(words_t) arrivals, departures;
        uvm_analysis_port #(longint) registers, slots;
        longint                      planted;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
            arrivals = new("arrivals", this);
            departures = new("departures", this);
            registers = new("registers", this);
            slots = new("slots", this);
            planted = NONE;
        endfunction

        function void observe(input int n, input longint slot);
            words_t sent, received;
            sent = flying[int'(slot % ROWS)][n];
            received = '{route: rx_route[n], cell_word: rx_cell[n], feedback: rx_feedback[n]};
            if (planted >= 0 && slot >= planted && sent.feedback != NONE) begin
                sent.feedback ^= 1;
                planted = NONE;
            end
            departures.write(sent);
            arrivals.write(received);
            for (int l = 0; l < LINKS; l++) begin
                registers.write(longint'(lengths[n][l]));
                registers.write(longint'(spent[n][l]));
                registers.write(longint'(owed[n][l]));
            end
            slots.write(slot);
        endfunction
    endclass

    class node_test extends uvm_test;
        `uvm_component_utils(node_test)

        node_monitor             monitors[NODES];
        skerry_uvm::node_board   boards[NODES];
        skerry_uvm::follow_board follower;
        longint                  operations, slots;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            longint planted;
            string  board, run;
            super.build_phase(phase);
            if (!$value$plusargs("operations=%d", operations)) operations = 18000;
            if (!$value$plusargs("planted=%d", planted)) planted = NONE;
            slots = (operations + NODES - 1) / NODES;
            run = run_of_fabric();
            for (int n = 0; n < NODES; n++) begin
                board = $sformatf("board%0d", n);
                uvm_config_db #(string)::set(this, board, "description", {$sformatf("shale-node node=%0d", n), run});
                uvm_config_db #(string)::set(this, board, "probes", PROBES);
                monitors[n] = node_monitor::type_id::create($sformatf("monitor%0d", n), this);
                boards[n] = skerry_uvm::node_board::type_id::create(board, this);
            end
            monitors[4].planted = planted;
            uvm_config_db #(string)::set(this, "follower", "description", {"shale-follower node=4", run});
            follower = skerry_uvm::follow_board::type_id::create("follower", this);
        endfunction

        virtual function void connect_phase(uvm_phase phase);
            super.connect_phase(phase);
            for (int n = 0; n < NODES; n++) begin
                monitors[n].arrivals.connect(boards[n].received);
                monitors[n].departures.connect(boards[n].sent);
                monitors[n].registers.connect(boards[n].probe);
                monitors[n].slots.connect(boards[n].slot);
            end
            monitors[4].arrivals.connect(follower.received);
            monitors[4].departures.connect(follower.sent);
            monitors[4].slots.connect(follower.slot);
        endfunction

        virtual task run_phase(uvm_phase phase);
            phase.raise_objection(this);
            reset();
            for (longint s = 0; s < slots; s++) begin
                send(s);
                receive(s);
                for (int n = 0; n < NODES; n++) monitors[n].observe(n, s);
            end
            phase.drop_objection(this);
        endtask

        virtual function void report_phase(uvm_phase phase);
            longint findings;
            super.report_phase(phase);
            findings = follower.board.findings;
            for (int n = 0; n < NODES; n++) findings += boards[n].board.differences;
            $display("uvm: %0d operations, %0d findings", slots * NODES, findings);
        endfunction
    endclass

    initial run_test("node_test");
endmodule
