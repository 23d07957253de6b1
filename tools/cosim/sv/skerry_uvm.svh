// The boards of skerry_scoreboard.svh as components of UVM, with analysis ports. Include uvm_pkg before, with +incdir for
// uvm_macros.svh; bench/node_uvm_tb.sv is an example.
//
//   uvm_config_db #(string)::set(this, "board", "description", "shale-node node=5 nodes=9 workload=permutation");
//   uvm_config_db #(string)::set(this, "board", "probes", "queue0_length,queue1_length");
//   board = skerry_uvm::node_board::type_id::create("board", this);
//   monitor.arrivals.connect(board.received);       // words_t, what the device received in a slot
//   monitor.departures.connect(board.sent);         // words_t, what it sent
//   monitor.registers.connect(board.probe);         // longint, its registers in the order of the probes
//   monitor.slots.connect(board.slot);              // longint, the slot that is over; then the board compares
//
// Each finding is a uvm_error and goes out on board.findings. A follow_board takes the device's choices over.
`ifndef SKERRY_UVM
`define SKERRY_UVM

`include "uvm_macros.svh"
`include "sv/skerry_scoreboard.svh"

package skerry_uvm;
    import uvm_pkg::*;
    import skerry::*;

    `uvm_analysis_imp_decl(_received)
    `uvm_analysis_imp_decl(_sent)
    `uvm_analysis_imp_decl(_probe)
    `uvm_analysis_imp_decl(_slot)

    // Cuts a list at its commas.
    function automatic void split(input string list, ref string names[$]);
        automatic int from = 0;
        names.delete();
        for (int i = 0; i <= list.len(); i++)
            if (i == list.len() || list.getc(i) == ",") begin
                if (i > from) names.push_back(list.substr(from, i - 1));
                from = i + 1;
            end
    endfunction

    class node_board extends uvm_scoreboard;
        `uvm_component_utils(node_board)

        uvm_analysis_imp_received #(words_t, node_board) received;
        uvm_analysis_imp_sent #(words_t, node_board)     sent;
        uvm_analysis_imp_probe #(longint, node_board)    probe;
        uvm_analysis_imp_slot #(longint, node_board)     slot;
        uvm_analysis_port #(finding_t)                   findings;
        node_scoreboard                                  board;
        int                                              told;      // findings that went out

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
            received = new("received", this);
            sent = new("sent", this);
            probe = new("probe", this);
            slot = new("slot", this);
            findings = new("findings", this);
            told = 0;
        endfunction

        virtual function void build_phase(uvm_phase phase);
            string description, list, names[$];
            super.build_phase(phase);
            list = "";
            if (!uvm_config_db #(string)::get(this, "", "description", description))
                `uvm_fatal("SKERRY", "no description of the node: set \"description\"")
            void'(uvm_config_db #(string)::get(this, "", "probes", list));
            split(list, names);
            board = new(description, names);
        endfunction

        virtual function void write_received(input words_t item);
            board.write_received(item);
        endfunction

        virtual function void write_sent(input words_t item);
            board.write_sent(item);
        endfunction

        virtual function void write_probe(input longint item);
            board.write_probe(item);
        endfunction

        virtual function void write_slot(input longint item);
            finding_t found;
            if (item != board.slot)
                `uvm_fatal("SKERRY", $sformatf("slots come one after another: slot %0d, next %0d", item, board.slot))
            board.end_slot();
            while (told < board.kept()) begin
                found = board.kept_finding(told);
                told++;
                `uvm_error("SKERRY", $sformatf("slot %0d: %s: expected %0d, seen %0d", found.slot, found.name,
                    found.expected, found.seen))
                findings.write(found);
            end
        endfunction

        virtual function void final_phase(uvm_phase phase);
            super.final_phase(phase);
            board.close();
        endfunction
    endclass

    // A device that chooses for itself: findings are told by their number, the text by report_phase.
    class follow_board extends uvm_scoreboard;
        `uvm_component_utils(follow_board)

        uvm_analysis_imp_received #(words_t, follow_board) received;
        uvm_analysis_imp_sent #(words_t, follow_board)     sent;
        uvm_analysis_imp_slot #(longint, follow_board)     slot;
        follow_scoreboard                                  board;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
            received = new("received", this);
            sent = new("sent", this);
            slot = new("slot", this);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            string description;
            super.build_phase(phase);
            if (!uvm_config_db #(string)::get(this, "", "description", description))
                `uvm_fatal("SKERRY", "no description of the follower: set \"description\"")
            board = new(description);
        endfunction

        virtual function void write_received(input words_t item);
            board.write_received(item);
        endfunction

        virtual function void write_sent(input words_t item);
            board.write_sent(item);
        endfunction

        virtual function void write_slot(input longint item);
            automatic longint earlier = board.findings;
            if (item != board.slot)
                `uvm_fatal("SKERRY", $sformatf("slots come one after another: slot %0d, next %0d", item, board.slot))
            board.end_slot();
            if (board.findings > earlier)
                `uvm_error("SKERRY", $sformatf("slot %0d: %0d findings", item, board.findings - earlier))
        endfunction

        virtual function void report_phase(uvm_phase phase);
            super.report_phase(phase);
            if (board.findings > 0) `uvm_info("SKERRY", board.text(), UVM_NONE)
        endfunction

        virtual function void final_phase(uvm_phase phase);
            super.final_phase(phase);
            board.close();
        endfunction
    endclass
endpackage

`endif
