// The boards of skerry_scoreboard.svh as UVM components with analysis ports. Include uvm_pkg before, with +incdir for
// uvm_macros.svh; bench/node_uvm_tb.sv is an example.
//
//   uvm_config_db #(string)::set(this, "board", "description", "shale-node node=5 nodes=9 workload=permutation");
//   uvm_config_db #(string)::set(this, "board", "probes", "queue0_length,queue1_length");
//   board = skerry_uvm::node_board::type_id::create("board", this);
//   monitor.arrivals.connect(board.received);       // words_t, what the device received in a slot
//   monitor.departures.connect(board.sent);         // words_t, what it sent
//   monitor.registers.connect(board.probe);         // longint, its registers in the order of the probes
//   monitor.slots.connect(board.slot);              // longint, the slot that has ended; the board then compares
//
// Each finding is a uvm_error and goes out on board.findings. A follow_board accepts every legal choice of the device.
//
// A node_agent drives a device: extend node_driver and node_monitor with the pins of your device, override both types in the
// factory, and start a stimulus_sequence on agent.sequencer:
//
//   stimulus_sequence items = stimulus_sequence::type_id::create("items");
//   items.description = "shale-node node=5 nodes=9 workload=permutation stimulusSeed=1";
//   items.slots = 10_000;
//   items.start(agent.sequencer);
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

    // Splits a list at its commas.
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
        int                                              told;      // findings reported so far

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

    // Follows a device that makes its own choices. Each slot with findings is a uvm_error with their number;
    // report_phase prints the text. If "coverage" names a file in uvm_config_db, the coverage of the run is written to
    // it.
    class follow_board extends uvm_scoreboard;
        `uvm_component_utils(follow_board)

        uvm_analysis_imp_received #(words_t, follow_board) received;
        uvm_analysis_imp_sent #(words_t, follow_board)     sent;
        uvm_analysis_imp_slot #(longint, follow_board)     slot;
        follow_scoreboard                                  board;
        string                                             coverage;

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
            coverage = "";
            void'(uvm_config_db #(string)::get(this, "", "coverage", coverage));
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
            if (coverage != "") board.write_coverage(coverage);
            board.close();
        endfunction
    endclass

    // A slot: what the driver sends to the device, and what the device sent.
    class slot_item extends uvm_sequence_item;
        `uvm_object_utils(slot_item)

        longint slot;
        words_t received, sent;

        function new(input string name = "slot_item");
            super.new(name);
        endfunction

        virtual function string convert2string();
            return $sformatf("slot %0d: received %h %h %h, sent %h %h %h", slot, received.route, received.cell_word,
                received.feedback, sent.route, sent.cell_word, sent.feedback);
        endfunction
    endclass

    typedef uvm_sequencer #(slot_item) node_sequencer;

    // Slots of legal neighbours, the same as those of `skerry cosim` with the same seed. The device starts from reset.
    class stimulus_sequence extends uvm_sequence #(slot_item);
        `uvm_object_utils(stimulus_sequence)

        string  description;       // of the node, optionally with stimulusSeed=S and weights=...
        longint slots;

        function new(input string name = "stimulus_sequence");
            super.new(name);
            description = "";
            slots = 1000;
        endfunction

        virtual task body();
            stimulus  source;
            slot_item item;
            words_t   sent;
            source = new(description);
            sent = '{route: NOTHING, cell_word: 0, feedback: NONE};
            for (longint s = 0; s < slots; s++) begin
                item = slot_item::type_id::create("item");
                start_item(item);
                item.slot = s;
                source.next(sent, item.received);
                finish_item(item);
                sent = item.sent;
            end
            source.close();
        endtask
    endclass

    // Base class of drivers: `drive` executes a slot on the pins of the device and sets item.sent.
    class node_driver extends uvm_driver #(slot_item);
        `uvm_component_utils(node_driver)

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual task drive(input slot_item item);
            `uvm_fatal("SKERRY", "extend node_driver by the pins of the device, and override its type")
        endtask

        virtual task run_phase(uvm_phase phase);
            forever begin
                seq_item_port.get_next_item(req);
                drive(req);
                seq_item_port.item_done();
            end
        endtask
    endclass

    // Base class of monitors: a run_phase that watches the pins of the device calls `observe` once per slot.
    class node_monitor extends uvm_monitor;
        `uvm_component_utils(node_monitor)

        uvm_analysis_port #(words_t) arrivals, departures;
        uvm_analysis_port #(longint) registers, slots;
        longint                      slot;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
            arrivals = new("arrivals", this);
            departures = new("departures", this);
            registers = new("registers", this);
            slots = new("slots", this);
            slot = 0;
        endfunction

        // Publishes a slot. values: registers in the order of the board's probes.
        virtual function void observe(input words_t received, input words_t sent, input longint values[$]);
            departures.write(sent);
            arrivals.write(received);
            foreach (values[i]) registers.write(values[i]);
            slots.write(slot);
            slot++;
        endfunction
    endclass

    // Sequencer, driver and monitor of a device; only a monitor if is_active is UVM_PASSIVE.
    class node_agent extends uvm_agent;
        `uvm_component_utils(node_agent)

        node_sequencer sequencer;
        node_driver    driver;
        node_monitor   monitor;

        function new(input string name, input uvm_component parent);
            super.new(name, parent);
        endfunction

        virtual function void build_phase(uvm_phase phase);
            super.build_phase(phase);
            monitor = node_monitor::type_id::create("monitor", this);
            if (get_is_active() == UVM_ACTIVE) begin
                sequencer = new("sequencer", this);
                driver = node_driver::type_id::create("driver", this);
            end
        endfunction

        virtual function void connect_phase(uvm_phase phase);
            super.connect_phase(phase);
            if (get_is_active() == UVM_ACTIVE) driver.seq_item_port.connect(sequencer.seq_item_export);
        endfunction

        // Connects the monitor to a board.
        function void feed(input node_board board);
            monitor.arrivals.connect(board.received);
            monitor.departures.connect(board.sent);
            monitor.registers.connect(board.probe);
            monitor.slots.connect(board.slot);
        endfunction

        function void feed_follower(input follow_board board);
            monitor.arrivals.connect(board.received);
            monitor.departures.connect(board.sent);
            monitor.slots.connect(board.slot);
        endfunction
    endclass
endpackage

`endif
