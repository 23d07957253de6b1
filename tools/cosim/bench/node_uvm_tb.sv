// Nodes under UVM. +UVM_TESTNAME selects the test:
//   fabric_test      the fabric of node_dpi_tb.sv: a passive agent and a board for each of nine nodes, a follower of node 4
//   agent_test       a single node that an agent drives with stimulus; a board and a follower
//   +operations=N    slots times nodes
//   +seed=S          seed of the stimulus
//   +weights=W       weights of the stimulus, such as first:4,none:9
//   +coverage=FILE   writes the coverage of the follower
//   +planted=S       changes a token that node 4 sends in slot S, or the next one it sends; the boards must detect it
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

    // ---- A node alone ----

    logic                   lone_rst = 1'b1, lone_slot_in = 1'b0, lone_tx_ready = 1'b0, lone_rx_valid = 1'b0;
    wire                    lone_tx_valid, lone_rx_ready, lone_overflow;
    words_t                 lone_tx, lone_rx;
    wire  [LINKS-1:0][15:0] lone_length, lone_spent, lone_owed;

    skerry_shale_node #(.RADIX(RADIX), .NODE(4), .FIRST_HOP_TOKENS(2), .PROPAGATION(PROPAGATION), .FLOW(4),
        .DESTINATION(destination(4)), .QUEUE_CELLS(64), .OWED_TOKENS(64)) lone (.clk(clk), .rst(lone_rst),
        .slot_in(lone_slot_in), .tx_valid(lone_tx_valid), .tx_ready(lone_tx_ready), .tx_route(lone_tx.route),
        .tx_cell(lone_tx.cell_word), .tx_feedback(lone_tx.feedback), .rx_valid(lone_rx_valid), .rx_ready(lone_rx_ready),
        .rx_route(lone_rx.route), .rx_cell(lone_rx.cell_word), .rx_feedback(lone_rx.feedback), .length_out(lone_length),
        .spent_out(lone_spent), .owed_out(lone_owed), .overflow_out(lone_overflow));

    class lone_driver extends skerry_uvm::node_driver;
        `uvm_component_utils(lone_driver)

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual task drive(input skerry_uvm::slot_item item);
            if (item.slot == 0) begin
                repeat (2) @(negedge clk);
                lone_rst = 1'b0;
            end
            lone_slot_in = 1'b1;
            @(negedge clk);
            lone_slot_in = 1'b0;
            while (!lone_tx_valid) @(negedge clk);
            item.sent = lone_tx;
            lone_tx_ready = 1'b1;
            @(negedge clk);
            lone_tx_ready = 1'b0;
            while (!lone_rx_ready) @(negedge clk);
            lone_rx = item.received;
            lone_rx_valid = 1'b1;
            @(negedge clk);
            lone_rx_valid = 1'b0;
            @(negedge clk);
        endtask
    endclass

    // ---- Monitors ----

    class planting_monitor extends skerry_uvm::node_monitor;
        `uvm_component_utils(planting_monitor)

        longint planted;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
            planted = NONE;
        endfunction

        virtual function void observe(input words_t received, input words_t sent, input longint values[$]);
            if (planted >= 0 && slot >= planted && sent.feedback != NONE) begin
                sent.feedback ^= 1;
                planted = NONE;
            end
            super.observe(received, sent, values);
        endfunction

        // Observes what node n of the fabric received and sent, and its registers.
        function void observe_node(input int n);
            words_t received;
            longint values[$];
            received = '{route: rx_route[n], cell_word: rx_cell[n], feedback: rx_feedback[n]};
            for (int l = 0; l < LINKS; l++) begin
                values.push_back(longint'(lengths[n][l]));
                values.push_back(longint'(spent[n][l]));
                values.push_back(longint'(owed[n][l]));
            end
            observe(received, flying[int'(slot % ROWS)][n], values);
        endfunction
    endclass

    class lone_monitor extends planting_monitor;
        `uvm_component_utils(lone_monitor)

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual task run_phase(uvm_phase phase);
            words_t received, sent;
            longint values[$];
            forever begin
                do @(posedge clk); while (!(lone_tx_valid && lone_tx_ready));
                sent = lone_tx;
                do @(posedge clk); while (!(lone_rx_valid && lone_rx_ready));
                received = lone_rx;
                repeat (2) @(negedge clk);
                values.delete();
                for (int l = 0; l < LINKS; l++) begin
                    values.push_back(longint'(lone_length[l]));
                    values.push_back(longint'(lone_spent[l]));
                    values.push_back(longint'(lone_owed[l]));
                end
                observe(received, sent, values);
            end
        endtask
    endclass

    // ---- Tests ----

    virtual class skerry_test extends uvm_test;
        longint                  operations, planted;
        skerry_uvm::node_board   boards[$];
        skerry_uvm::node_agent   agents[$];
        skerry_uvm::follow_board follower;      // of node 4

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            super.build_phase(phase);
            if (!$value$plusargs("operations=%d", operations)) operations = 18000;
            if (!$value$plusargs("planted=%d", planted)) planted = NONE;
        endfunction

        // Adds an agent and a board of a node.
        function void add(input int n, input uvm_active_passive_enum active);
            string agent, board, file;
            agent = $sformatf("agent%0d", n);
            board = $sformatf("board%0d", n);
            uvm_config_db #(uvm_active_passive_enum)::set(this, agent, "is_active", active);
            uvm_config_db #(string)::set(this, board, "description", {$sformatf("shale-node node=%0d", n), run_of_fabric()});
            uvm_config_db #(string)::set(this, board, "probes", PROBES);
            agents.push_back(skerry_uvm::node_agent::type_id::create(agent, this));
            boards.push_back(skerry_uvm::node_board::type_id::create(board, this));
            if (n == 4) begin
                if ($value$plusargs("coverage=%s", file)) uvm_config_db #(string)::set(this, "follower", "coverage", file);
                uvm_config_db #(string)::set(this, "follower", "description", {"shale-follower node=4", run_of_fabric()});
                follower = skerry_uvm::follow_board::type_id::create("follower", this);
            end
        endfunction

        virtual function void connect_phase(uvm_phase phase);
            super.connect_phase(phase);
            foreach (boards[i]) agents[i].feed(boards[i]);
            agents[agents.size() / 2].feed_follower(follower);
        endfunction

        virtual function void start_of_simulation_phase(uvm_phase phase);
            planting_monitor monitor;
            super.start_of_simulation_phase(phase);
            void'($cast(monitor, agents[agents.size() / 2].monitor));
            monitor.planted = planted;
        endfunction

        virtual function void report_phase(uvm_phase phase);
            longint findings;
            super.report_phase(phase);
            findings = follower.board.findings;
            foreach (boards[i]) findings += boards[i].board.differences;
            $display("uvm: %0d operations, %0d findings", boards[0].board.slot * boards.size(), findings);
        endfunction
    endclass

    class fabric_test extends skerry_test;
        `uvm_component_utils(fabric_test)

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            super.build_phase(phase);
            skerry_uvm::node_monitor::type_id::set_type_override(planting_monitor::get_type());
            for (int n = 0; n < NODES; n++) add(n, UVM_PASSIVE);
        endfunction

        virtual task run_phase(uvm_phase phase);
            phase.raise_objection(this);
            reset();
            for (longint s = 0; s < (operations + NODES - 1) / NODES; s++) begin
                send(s);
                receive(s);
                for (int n = 0; n < NODES; n++) begin
                    planting_monitor monitor;
                    void'($cast(monitor, agents[n].monitor));
                    monitor.observe_node(n);
                end
            end
            phase.drop_objection(this);
        endtask
    endclass

    class agent_test extends skerry_test;
        `uvm_component_utils(agent_test)

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            super.build_phase(phase);
            skerry_uvm::node_driver::type_id::set_type_override(lone_driver::get_type());
            skerry_uvm::node_monitor::type_id::set_type_override(lone_monitor::get_type());
            add(4, UVM_ACTIVE);
        endfunction

        virtual task run_phase(uvm_phase phase);
            skerry_uvm::stimulus_sequence items;
            string weights;
            int seed;
            phase.raise_objection(this);
            if (!$value$plusargs("seed=%d", seed)) seed = 1;
            weights = $value$plusargs("weights=%s", weights) != 0 ? {" weights=", weights} : "";
            items = skerry_uvm::stimulus_sequence::type_id::create("items");
            items.description = {"shale-node node=4", run_of_fabric(), $sformatf(" stimulusSeed=%0d", seed), weights};
            items.slots = operations;
            items.start(agents[0].sequencer);
            phase.drop_objection(this);
        endtask
    endclass

    initial run_test("fabric_test");
endmodule
