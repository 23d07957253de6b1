// A scoreboard for one node: compares a device with its Java model, slot by slot (c/skerry.h, "shale-node" and
// "shoal-node" with one channel). Include this file, link libskerry, and write from monitors, as to analysis ports:
//
//   skerry::node_scoreboard board = new("shale-node node=5 nodes=9 workload=permutation", probes);
//   board.write_received(arrived);      what the device received in the slot
//   board.write_sent(sent);             what it sent
//   board.write_probe(register);        its registers, in the order of the probes
//   board.end_slot();                   compares; the next slot begins
//
// Whatever is not written in a slot counts as nothing.
//
// skerry_uvm.svh has the boards as UVM components with analysis ports. A bench that counts clocks sets the number of clocks
// per slot, board.slot_clocks, and calls board.clock(n) in each clock; a slot ends when its window is over. The scoreboard
// keeps the first differences up to a limit, and the model does not adopt what the device does. follow_scoreboard accepts
// the same writes for a device that makes its own choices. A header_codec decodes and encodes headers of a device. Keep
// several boards in a queue (boards[$]), or call them through separate handles: Verilator 5.006 supports
// boards[n].write_sent(...) of an array only in loops that it unrolls.
`ifndef SKERRY_SCOREBOARD
`define SKERRY_SCOREBOARD

package skerry;
    localparam int     MOST_PROBES = 61;
    localparam int     MESSAGE     = 7;      // words of a message of Shoal, if nodes handle failures
    localparam int     WORDS       = 3 + MESSAGE + MOST_PROBES;
    localparam int     FOLLOWS     = 8;      // inputs of a follower
    localparam int     INPUTS      = FOLLOWS + 2 + 2 * MESSAGE;  // the longest row: a follower with payloads and messages
    localparam int     LINK_WORDS  = 5;      // of a device of Stardust
    localparam int     MOST_WORDS  = 4096;   // of a register
    localparam int     MOST_FIELDS = 64;     // of a described header, its bytes, and those of its payload
    localparam int     MOST_HEADER = 64;
    localparam int     MOST_PAYLOAD = 256;
    localparam longint NONE        = -1;     // a route of a dummy, and feedback of no token
    localparam longint NOTHING     = -2;     // a route of neither a cell nor a dummy

    import "DPI-C" function chandle skerry_open(input string description);
    import "DPI-C" function int skerry_inputs(input chandle model);
    import "DPI-C" function int skerry_outputs(input chandle model);
    import "DPI-C" function int skerry_step(input chandle model, input longint in[INPUTS],
        inout longint out[WORDS]);
    import "DPI-C" skerry_step = function int skerry_step_long(input chandle model, input longint in[MOST_WORDS],
        inout longint out[WORDS]);
    import "DPI-C" function int skerry_close(input chandle model);
    import "DPI-C" function int skerry_offer(input chandle model, input longint slot, input int source,
        input int destination, input int cells);
    import "DPI-C" function longint skerry_get(input chandle model, input string name, inout longint words[MOST_WORDS],
        input longint most);
    import "DPI-C" function int skerry_set(input chandle model, input string name, input longint words[MOST_WORDS],
        input longint count);
    import "DPI-C" function int skerry_copy(input chandle from, input chandle to);
    import "DPI-C" function string skerry_findings(input chandle model);
    import "DPI-C" function int skerry_coverage(input chandle model, input string file);
    import "DPI-C" function string skerry_error();

    import "DPI-C" function int skerry_header_size(input chandle header, inout int bytes, inout int payload);
    import "DPI-C" function int skerry_header_field(input chandle header, input string name, inout int bits);
    import "DPI-C" function int skerry_header_encode(input chandle header, input longint fields[MOST_FIELDS],
        input byte unsigned payload[MOST_PAYLOAD], inout byte unsigned bytes[MOST_HEADER]);
    import "DPI-C" function int skerry_header_decode(input chandle header, input byte unsigned bytes[MOST_HEADER],
        input byte unsigned payload[MOST_PAYLOAD], inout longint fields[MOST_FIELDS], inout int state);

    // Words of a cell on a link. The cell word is 0 if there is no cell.
    typedef struct packed {
        longint route;
        longint cell_word;
        longint feedback;
    } words_t;

    // Fields of the words of Shale and Shoal (docs/words.md): shale_route_t r = words.route; ... r.destination
    typedef struct packed { logic [22:0] sent_slot; logic [17:0] zero; logic [19:0] destination; logic [2:0] sprays; }
        shale_route_t;
    typedef struct packed { logic [31:0] flow; logic [31:0] sequence_number; } cell_t;
    typedef struct packed { logic [6:0] zero; logic [1:0] kind; logic [19:0] destination; logic [2:0] sprays; }
        shale_token_t;
    typedef struct packed { shale_token_t token2; shale_token_t token1; } shale_feedback_t;
    typedef struct packed { logic [31:0] sent_slot; logic [3:0] zero; logic [1:0] traffic_class; logic [9:0] source;
        logic [15:0] destination; } shoal_route_t;
    typedef struct packed { logic [51:0] zero; logic dropped; logic [10:0] report; } shoal_feedback_t;

    // Bits of a route word that headers carry: all but the slot in which the source sent the cell.
    localparam longint SHALE_HEADER = (64'd1 << 41) - 1, SHOAL_HEADER = (64'd1 << 32) - 1;

    typedef longint message_t[MESSAGE];

    // Words of a link of Stardust (docs/words.md); first is 0 if there is no cell.
    typedef struct packed {
        longint first;
        longint second;
        longint flags;
        longint low;
        longint high;
    } link_words_t;

    typedef struct {
        longint slot;
        string  name;
        longint expected;
        longint seen;
    } finding_t;

    class node_scoreboard;
        longint   slot;
        int       limit = 10;      // findings to keep
        longint   differences;     // all of them
        longint   slot_clocks;     // clocks of a slot; 0: slots end by end_slot()
        longint   first_clock;     // of slot 0
        bit       stopped;         // the model has stopped; the last finding gives the reason
        longint   route_bits;      // compared bits; SHALE_HEADER for a header without the slot of the source
        finding_t findings[$];

        local chandle model;
        local string  names[$];
        local words_t received, sent;
        local message_t received_message, sent_message;
        local int     messages;    // words of a message in rows
        local longint values[$];
        local longint in[INPUTS], out[WORDS];

        // Opens the model; stops the simulation if this fails.
        function new(input string description, input string probes[$]);
            automatic string all = "";
            names = probes;
            for (int i = 0; i < probes.size(); i++) all = {all, i == 0 ? " probes=" : ",", probes[i]};
            model = skerry_open({description, all});
            if (model == null) begin
                $display("scoreboard: no model: %s", skerry_error());
                $fatal(1);
            end
            messages = skerry_inputs(model) - 4;
            if ((messages != 0 && messages != MESSAGE) || skerry_outputs(model) != 3 + messages + probes.size()
                || probes.size() > MOST_PROBES)
            begin
                $display("scoreboard: not a node with one channel, or too many probes: %s", description);
                $fatal(1);
            end
            slot = 0;
            slot_clocks = 0;
            first_clock = 0;
            route_bits = -1;
            stopped = 1'b0;
            differences = 0;
            clear();
        endfunction

        local function void clear();
            received = '{route: NOTHING, cell_word: 0, feedback: NONE};
            sent = '{route: NOTHING, cell_word: 0, feedback: NONE};
            for (int i = 0; i < MESSAGE; i++) begin
                received_message[i] = 0;
                sent_message[i] = 0;
            end
            values.delete();
        endfunction

        function void write_received(input words_t words);
            received = words;
        endfunction

        function void write_sent(input words_t words);
            sent = words;
        endfunction

        // The message of a Shoal node, in addition to its words.
        function void write_received_message(input message_t message);
            received_message = message;
        endfunction

        function void write_sent_message(input message_t message);
            sent_message = message;
        endfunction

        function void write_probe(input longint value);
            values.push_back(value);
        endfunction

        local function void expect_equal(input string name, input longint expected, input longint seen);
            finding_t found;
            if (expected != seen) begin
                found.slot = slot;
                found.name = name;
                found.expected = expected;
                found.seen = seen;
                if (findings.size() < limit) findings.push_back(found);
                differences++;
            end
        endfunction

        // Steps the model and compares. If the device received what no neighbour may send, such as a token that it has
        // not spent, the model stops: the reason is the last finding, and later slots are not compared.
        function void end_slot();
            automatic int code = 0;
            in[0] = slot;
            in[1] = received.route;
            in[2] = received.cell_word;
            in[3] = received.feedback;
            for (int i = 0; i < MESSAGE; i++) in[4 + i] = received_message[i];
            if (!stopped) begin
                code = skerry_step(model, in, out);
                if (code != 0) expect_equal(skerry_error(), 0, longint'(code));
                else compare();
                stopped = code != 0;
            end
            slot++;
            clear();
        endfunction

        local function void compare();
            expect_equal("route", out[0] & route_bits, sent.route & route_bits);
            expect_equal("cell", out[1], sent.cell_word);
            expect_equal("feedback", out[2], sent.feedback);
            for (int i = 0; i < messages; i++)
                expect_equal($sformatf("message%0d", i), out[3 + i], sent_message[i]);
            for (int i = 0; i < values.size(); i++) expect_equal(names[i], out[3 + messages + i], values[i]);
        endfunction

        // Call at the start of a clock: ends the slot whose window is over.
        function void clock(input longint number);
            if (slot_clocks > 0 && number >= first_clock + (slot + 1) * slot_clocks) end_slot();
        endfunction

        // Stops the node, which loses its state, or restarts it, from the next slot on; with failures=1 or faults.
        function void set_down(input bit down);
            automatic longint value[] = '{down ? 1 : 0};
            set("down", value);
        endfunction

        // Returns the words of a register (c/skerry.h); stops the simulation if there is no such register.
        function void get(input string name, ref longint words[]);
            automatic longint all[MOST_WORDS];
            automatic longint count = skerry_get(model, name, all, MOST_WORDS);
            if (count < 0 || count > MOST_WORDS) begin
                $display("scoreboard: slot %0d: %s: %0d words: %s", slot, name, count, skerry_error());
                $fatal(1);
            end
            words = new[int'(count)];
            foreach (words[i]) words[i] = all[i];
        endfunction

        // Replaces the words of a register.
        function void set(input string name, input longint words[]);
            automatic longint all[MOST_WORDS];
            foreach (words[i]) all[i] = words[i];
            if (skerry_set(model, name, all, longint'(words.size())) != 0) begin
                $display("scoreboard: slot %0d: %s", slot, skerry_error());
                $fatal(1);
            end
        endfunction

        // Continues from the state of another scoreboard's node; call before the first slot.
        function void begin_as(input node_scoreboard other);
            automatic longint at[];
            if (skerry_copy(other.model, model) != 0) begin
                $display("scoreboard: %s", skerry_error());
                $fatal(1);
            end
            get("slot", at);
            slot = at[0];
        endfunction

        // Adds a flow to the node, whose description needs offers=K; returns its number, below 0 if it is refused.
        function int offer(input longint start, input int source, input int destination, input int cells);
            return skerry_offer(model, start, source, destination, cells);
        endfunction

        // Number of findings kept, and access to one of them.
        function int kept();
            return findings.size();
        endfunction

        function finding_t kept_finding(input int number);
            return findings[number];
        endfunction

        function void report(input string who);
            for (int i = 0; i < findings.size(); i++)
                $display("%s: slot %0d: %s: expected %0d, seen %0d", who, findings[i].slot, findings[i].name,
                    findings[i].expected, findings[i].seen);
            if (differences > findings.size()) $display("%s: %0d differences in all", who, differences);
        endfunction

        // Writes the coverage to a file, for `skerry coverage`; the description needs coverage=1.
        function void write_coverage(input string file);
            if (skerry_coverage(model, file) != 0) begin
                $display("scoreboard: %s", skerry_error());
                $fatal(1);
            end
        endfunction

        function void close();
            if (skerry_close(model) != 0) $fatal(1);
        endfunction
    endclass

    // Follows a device that makes its own choices (c/skerry.h, "shale-follower").
    class follow_scoreboard;
        longint slot;
        longint findings;          // so far
        string  failure;           // why the follower has stopped; "" if it has not
        longint slot_clocks;       // clocks of a slot; 0: slots end by end_slot()
        longint first_clock;       // of slot 0

        local chandle model;
        local words_t received, sent;
        local message_t received_message, sent_message;
        local int     messages;    // words of a message in rows
        local longint received_payload, sent_payload;
        local longint in[INPUTS], out[WORDS];

        function new(input string description);
            model = skerry_open(description);
            if (model == null) begin
                $display("scoreboard: no follower: %s", skerry_error());
                $fatal(1);
            end
            messages = skerry_inputs(model) >= FOLLOWS + 2 * MESSAGE ? MESSAGE : 0;
            if ((skerry_inputs(model) != FOLLOWS + 2 * messages && skerry_inputs(model) != FOLLOWS + 2 + 2 * messages)
                || skerry_outputs(model) > WORDS)
            begin
                $display("scoreboard: not a follower with one channel: %s", description);
                $fatal(1);
            end
            slot = 0;
            findings = 0;
            failure = "";
            slot_clocks = 0;
            first_clock = 0;
            clear();
        endfunction

        local function void clear();
            received = '{route: NOTHING, cell_word: 0, feedback: NONE};
            sent = '{route: NOTHING, cell_word: 0, feedback: NONE};
            received_payload = 0;
            sent_payload = 0;
            for (int i = 0; i < MESSAGE; i++) begin
                received_message[i] = 0;
                sent_message[i] = 0;
            end
        endfunction

        function void write_received(input words_t words);
            received = words;
        endfunction

        function void write_sent(input words_t words);
            sent = words;
        endfunction

        // The messages of Shoal nodes that handle failures, in addition to their words.
        function void write_received_message(input message_t message);
            received_message = message;
        endfunction

        function void write_sent_message(input message_t message);
            sent_message = message;
        endfunction

        function void end_slot();
            in[0] = slot;
            in[1] = received.route;
            in[2] = received.cell_word;
            in[3] = received.feedback;
            in[4 + messages] = sent.route;
            in[5 + messages] = sent.cell_word;
            in[6 + messages] = sent.feedback;
            for (int i = 0; i < messages; i++) begin
                in[4 + i] = received_message[i];
                in[7 + messages + i] = sent_message[i];
            end
            in[7 + 2 * messages] = NONE;
            in[8 + 2 * messages] = received_payload;
            in[9 + 2 * messages] = sent_payload;
            if (failure == "") begin
                if (skerry_step(model, in, out) == 0) findings = out[0];
                else begin
                    failure = $sformatf("slot %0d: %s", slot, skerry_error());
                    findings++;
                end
            end
            slot++;
            clear();
        endfunction

        // Call at the start of a clock: ends the slot whose window is over.
        function void clock(input longint number);
            if (slot_clocks > 0 && number >= first_clock + (slot + 1) * slot_clocks) end_slot();
        endfunction

        // Digests of the payloads, with payload=1 in the description.
        function void write_payload(input longint of_received, input longint of_sent);
            received_payload = of_received;
            sent_payload = of_sent;
        endfunction

        // Compares a register of the device after the last slot, such as "queue3_tokens_d5n1"; a difference is a
        // finding of the next slot.
        function void expect_register(input string name, input longint value);
            automatic longint words[MOST_WORDS];
            words[0] = value;
            if (skerry_set(model, name, words, 1) != 0) begin
                $display("scoreboard: slot %0d: %s", slot, skerry_error());
                $fatal(1);
            end
        endfunction

        // Returns the findings, one per line, the first cause first; then the reason why the follower stopped, if it
        // did.
        function string text();
            return {skerry_findings(model), failure};
        endfunction

        // Writes the coverage to a file, for `skerry coverage`.
        function void write_coverage(input string file);
            if (skerry_coverage(model, file) != 0) begin
                $display("scoreboard: %s", skerry_error());
                $fatal(1);
            end
        endfunction

        // Returns the counts of all cases, for covergroups of `skerry coverage --covergroups`.
        function void get_coverage(ref longint counts[]);
            automatic longint all[MOST_WORDS];
            automatic longint count = skerry_get(model, "coverage", all, MOST_WORDS);
            if (count < 0 || count > MOST_WORDS) begin
                $display("scoreboard: %0d cases: %s", count, skerry_error());
                $fatal(1);
            end
            counts = new[int'(count)];
            foreach (counts[i]) counts[i] = all[i];
        endfunction

        function void close();
            if (skerry_close(model) != 0) $fatal(1);
        endfunction
    endclass

    // Words to drive into a node, the same as those of `skerry cosim` with the same seed (c/skerry.h, "stimulus").
    class stimulus;
        local chandle model;
        local longint in[INPUTS], out[WORDS];

        // description: of the node, optionally with stimulusSeed=S and weights=first:9,none:0.
        function new(input string description);
            model = skerry_open({"stimulus ", description});
            if (model == null) begin
                $display("stimulus: %s", skerry_error());
                $fatal(1);
            end
            if (skerry_inputs(model) != 3 || skerry_outputs(model) != 4) begin
                $display("stimulus: not a node with one channel, without probes: %s", description);
                $fatal(1);
            end
        endfunction

        // Returns what the node receives in this slot. sent: what it sent in the slot before; ignored in the first
        // slot.
        function void next(input words_t sent, output words_t received);
            in[0] = sent.route;
            in[1] = sent.cell_word;
            in[2] = sent.feedback;
            if (skerry_step(model, in, out) != 0) begin
                $display("stimulus: %s", skerry_error());
                $fatal(1);
            end
            received = '{route: out[1], cell_word: out[2], feedback: out[3]};
        endfunction

        // Starts the next sequence at slot 0, after a reset of the node.
        function void reset();
            automatic longint slot[MOST_WORDS];
            slot[0] = 0;
            if (skerry_set(model, "slot", slot, 1) != 0) $fatal(1);
        endfunction

        function void close();
            if (skerry_close(model) != 0) $fatal(1);
        endfunction
    endclass

    // Follows an adapter or element of Stardust (c/skerry.h, "stardust-follower").
    class device_scoreboard;
        longint slot;
        longint findings;          // so far
        string  failure;           // why the follower has stopped; "" if it has not
        int     links;
        int     room;              // maximum number of messages in a row

        local chandle model;
        local int     sides[2];    // indexes of the first words received and sent
        local longint in[MOST_WORDS], out[WORDS];

        function new(input string description, input int messages = 64);
            model = skerry_open($sformatf("%s messages=%0d", description, messages));
            if (model == null) begin
                $display("scoreboard: no follower: %s", skerry_error());
                $fatal(1);
            end
            room = messages;
            links = ((skerry_inputs(model) - 1) / 2 - 1 - room) / LINK_WORDS;
            sides[0] = 1;
            sides[1] = 2 + LINK_WORDS * links + room;
            if (skerry_inputs(model) != 2 * sides[1] - 1 || skerry_inputs(model) > MOST_WORDS
                || skerry_outputs(model) != FOLLOWS) begin
                $display("scoreboard: not a follower of a device, or one with too many links: %s", description);
                $fatal(1);
            end
            slot = 0;
            findings = 0;
            failure = "";
            clear();
        endfunction

        local function void clear();
            for (int i = 0; i < 2 * sides[1] - 1; i++) in[i] = 0;
        endfunction

        local function void write(input int at, input int link, input link_words_t words);
            in[at + LINK_WORDS * link] = words.first;
            in[at + LINK_WORDS * link + 1] = words.second;
            in[at + LINK_WORDS * link + 2] = words.flags;
            in[at + LINK_WORDS * link + 3] = words.low;
            in[at + LINK_WORDS * link + 4] = words.high;
        endfunction

        local function void add(input int at, input longint message);
            automatic int count = at + LINK_WORDS * links;
            in[count]++;
            in[count + int'(in[count])] = message;
        endfunction

        // Words that arrive on a link, and words that the device sends on it.
        function void write_received(input int link, input link_words_t words);
            write(sides[0], link, words);
        endfunction

        function void write_sent(input int link, input link_words_t words);
            write(sides[1], link, words);
        endfunction

        // A request or credit; a slot has at most as many as a row has room for.
        function void write_received_message(input longint message);
            add(sides[0], message);
        endfunction

        function void write_sent_message(input longint message);
            add(sides[1], message);
        endfunction

        function void end_slot();
            in[0] = slot;
            if (failure == "") begin
                if (skerry_step_long(model, in, out) == 0) findings = out[0];
                else begin
                    failure = $sformatf("slot %0d: %s", slot, skerry_error());
                    findings++;
                end
            end
            slot++;
            clear();
        endfunction

        // Returns the findings, one per line, the first cause first.
        function string text();
            return skerry_findings(model);
        endfunction

        function void close();
            if (skerry_close(model) != 0) $fatal(1);
        endfunction
    endclass

    // Headers of a device with a description (c/skerry.h, "header file=..."): fields by name, bytes as they are stored.
    class header_codec;
        int           bytes;           // of the header, and of the payload that its CRC covers
        int           payload_bytes;
        longint       fields[MOST_FIELDS];
        byte unsigned header[MOST_HEADER];
        byte unsigned payload[MOST_PAYLOAD];
        int           state;           // of the header decoded last: 0 a cell, 1 a dummy, 2 nothing

        local chandle model;

        function new(input string file, input int payload_of_crc = 0);
            model = skerry_open($sformatf("header file=%s payload=%0d", file, payload_of_crc));
            if (model == null) begin
                $display("header: no description: %s", skerry_error());
                $fatal(1);
            end
            bytes = 0;
            payload_bytes = 0;
            state = 0;
            if (skerry_header_size(model, bytes, payload_bytes) > MOST_FIELDS || bytes > MOST_HEADER
                || payload_bytes > MOST_PAYLOAD) begin
                $display("header: %s has too many fields or bytes", file);
                $fatal(1);
            end
        endfunction

        // Returns the number of a field; stops the simulation if there is no such field.
        function int field(input string name);
            automatic int bits = 0;
            automatic int number = skerry_header_field(model, name, bits);
            if (number < 0) begin
                $display("header: %s: %s", name, skerry_error());
                $fatal(1);
            end
            return number;
        endfunction

        // Encodes `fields` to `header`, with constants and CRC.
        function void encode();
            if (skerry_header_encode(model, fields, payload, header) != 0) begin
                $display("header: %s", skerry_error());
                $fatal(1);
            end
        endfunction

        // Decodes `header` to `fields` and `state`; returns the number of faults: wrong constants and CRCs.
        function int decode();
            return skerry_header_decode(model, header, payload, fields, state);
        endfunction

        function void close();
            if (skerry_close(model) != 0) $fatal(1);
        endfunction
    endclass
endpackage

`endif
