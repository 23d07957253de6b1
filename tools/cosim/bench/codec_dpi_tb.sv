// Compares skerry_shoal and skerry_shale with the Java codecs, every field and bit: encodes random cells, decodes them,
// some damaged, and relays them; the described headers (header_codec) have to agree. An operation runs each of the six modules once.   +operations=N +seed=N
`timescale 1ns/1ps
`include "sv/skerry_scoreboard.svh"

module codec_dpi_tb;
    localparam int NODES        = 1000;
    localparam int SHALE_NODES  = 1000000;
    localparam int SHALE_PHASES = 5;

    // One import for both codecs, with Shoal's longer rows; Shale uses the first nine words.
    import "DPI-C" function chandle skerry_open(input string description);
    import "DPI-C" function int skerry_step(input chandle model, input longint in[15], output longint out[15]);
    import "DPI-C" function int skerry_close(input chandle model);
    import "DPI-C" function string skerry_error();
    import "DPI-C" function real bench_seconds();

    logic clk = 1'b0;
    always #1 clk = ~clk;

    logic [9:0]   destination, source;
    logic [1:0]   class_in;
    logic [19:0]  number;
    logic [10:0]  feedback;
    logic [2:0]   flags;
    logic [447:0] payload;
    logic [511:0] cell_in;
    logic [10:0]  relay_feedback;
    wire  [511:0] encoded, relayed;
    wire  [3:0]   fault;
    wire  [9:0]   destination_out, source_out;
    wire  [1:0]   class_out;
    wire  [19:0]  number_out;
    wire  [10:0]  feedback_out;
    wire  [2:0]   flags_out;
    wire  [2:0]   shoal_valid;

    skerry_shoal_encode #(.CLASSES(3)) shoal_encode (
        .clk(clk), .valid_in(1'b1), .destination_in(destination), .source_in(source), .class_in(class_in),
        .sequence_in(number), .feedback_in(feedback), .flags_in(flags), .payload_in(payload),
        .valid_out(shoal_valid[0]), .cell_out(encoded));
    skerry_shoal_decode #(.NODES(NODES), .CLASSES(3)) shoal_decode (
        .clk(clk), .valid_in(1'b1), .cell_in(cell_in), .valid_out(shoal_valid[1]), .fault_out(fault),
        .destination_out(destination_out), .source_out(source_out), .class_out(class_out), .sequence_out(number_out),
        .feedback_out(feedback_out), .flags_out(flags_out));
    skerry_shoal_relay shoal_relay (
        .clk(clk), .valid_in(1'b1), .cell_in(cell_in), .feedback_in(relay_feedback), .lcd_in(flags[0]),
        .valid_out(shoal_valid[2]), .cell_out(relayed));

    logic [19:0]  from, to, token1, token2;
    logic [2:0]   sprays, index1, index2;
    logic [1:0]   kind1, kind2;
    logic [25:0]  count;
    logic [127:0] header_in;
    wire  [127:0] header, header_relayed;
    wire  [3:0]   header_fault;
    wire  [19:0]  from_out, to_out, token1_out, token2_out;
    wire  [2:0]   sprays_out, index1_out, index2_out;
    wire  [1:0]   kind1_out, kind2_out;
    wire  [25:0]  count_out;
    wire  [2:0]   shale_valid;

    skerry_shale_encode #(.ID_BITS(20), .SPRAY_BITS(3), .SEQ_BITS(26), .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) shale_encode (
        .clk(clk), .valid_in(1'b1), .source_in(from), .destination_in(to), .sprays_in(sprays), .sequence_in(count),
        .kind1_in(kind1), .token1_in(token1), .index1_in(index1), .kind2_in(kind2), .token2_in(token2), .index2_in(index2),
        .valid_out(shale_valid[0]), .header_out(header));
    skerry_shale_decode #(.NODES(SHALE_NODES), .PHASES(SHALE_PHASES), .FAILURES(1), .ID_BITS(20), .SPRAY_BITS(3),
        .SEQ_BITS(26), .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) shale_decode (
        .clk(clk), .valid_in(1'b1), .header_in(header_in), .valid_out(shale_valid[1]), .fault_out(header_fault),
        .source_out(from_out), .destination_out(to_out), .sprays_out(sprays_out), .sequence_out(count_out),
        .kind1_out(kind1_out), .token1_out(token1_out), .index1_out(index1_out),
        .kind2_out(kind2_out), .token2_out(token2_out), .index2_out(index2_out));
    skerry_shale_relay #(.ID_BITS(20), .SPRAY_BITS(3), .SEQ_BITS(26), .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) shale_relay (
        .clk(clk), .valid_in(1'b1), .header_in(header_in), .sprays_in(sprays),
        .kind1_in(kind1), .token1_in(token1), .index1_in(index1), .kind2_in(kind2), .token2_in(token2), .index2_in(index2),
        .valid_out(shale_valid[2]), .header_out(header_relayed));

    skerry::header_codec described;
    int        described_faults;
    chandle    shoal, shale;
    longint    in[15], want[15];
    longint    operations, made, faults[16];
    int        seed, steps;
    real       began, took;
    bit [63:0] state;

    function automatic bit [63:0] random();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        random = state;
    endfunction

    task automatic equal(input longint got, input longint wanted, input string what);
        if (got != wanted) begin
            $display("codec: operation %0d (seed %0d): %s: model %h, RTL %h", made, seed, what, wanted, got);
            $fatal(1);
        end
    endtask

    task automatic step(input chandle model);
        steps++;
        if (skerry_step(model, in, want) != 0) begin
            $display("codec: operation %0d (seed %0d): %s", made, seed, skerry_error());
            $fatal(1);
        end
    endtask

    task automatic shoal_row(input longint op, input longint use_feedback, input longint use_flags);
        in[0] = op;
        in[1] = longint'(destination);
        in[2] = longint'(source);
        in[3] = longint'(class_in);
        in[4] = longint'(number);
        in[5] = use_feedback;
        in[6] = use_flags;
        for (int w = 0; w < 8; w++)
            in[7 + w] = op == 0 ? (w == 0 ? 0 : payload[64 * (7 - w) +: 64]) : cell_in[64 * (7 - w) +: 64];
    endtask

    task automatic shale_row(input longint op);
        in[0] = op;
        in[1] = longint'(from);
        in[2] = longint'(to);
        in[3] = longint'(sprays);
        in[4] = longint'(count);
        in[5] = kind1 == 0 ? 0 : longint'({kind1, token1, index1});
        in[6] = kind2 == 0 ? 0 : longint'({kind2, token2, index2});
        in[7] = header_in[127:64];
        in[8] = header_in[63:0];
    endtask

    // The header from the RTL must equal the one that the description of L16 encodes from the same fields.
    task automatic compare_described();
        described.fields[described.field("source")] = longint'(from);
        described.fields[described.field("destination")] = longint'(to);
        described.fields[described.field("sprays")] = longint'(sprays);
        described.fields[described.field("sequence")] = longint'(count);
        described.fields[described.field("token1-kind")] = longint'(kind1);
        described.fields[described.field("token1-destination")] = kind1 == 0 ? 0 : longint'(token1);
        described.fields[described.field("token1-index")] = kind1 == 0 ? 0 : longint'(index1);
        described.fields[described.field("token2-kind")] = longint'(kind2);
        described.fields[described.field("token2-destination")] = kind2 == 0 ? 0 : longint'(token2);
        described.fields[described.field("token2-index")] = kind2 == 0 ? 0 : longint'(index2);
        described.encode();
        for (int b = 0; b < described.bytes; b++)
            equal(longint'(header[8 * (15 - b) +: 8]), longint'(described.header[b]), "byte of the described header");
        described.header[made % 15] ^= 8'h10;
        described_faults = described.decode();
        equal(longint'(described_faults), 1, "faults of a damaged header");
    endtask

    initial begin
        if (!$value$plusargs("operations=%d", operations)) operations = 1000000;
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        state = 64'h9E3779B97F4A7C15 ^ 64'(seed);
        shoal = skerry_open($sformatf("shoal nodes=%0d classes=3", NODES));
        shale = skerry_open($sformatf("shale layout=L16 nodes=%0d phases=%0d failures=1", SHALE_NODES, SHALE_PHASES));
        if (shoal == null || shale == null) begin
            $display("codec: no model: %s", skerry_error());
            $fatal(1);
        end
        described = new("L16");
        began = bench_seconds();
        for (made = 1; made <= operations; made++) begin
            bit [63:0] r;
            bit [63:0] s;
            bit [63:0] t;
            r = random();
            s = random();
            t = random();
            destination = 10'(r[15:0] % NODES);
            source = r[63:61] == 3'd0 ? destination : 10'(r[31:16] % NODES);
            class_in = 2'(r[35:32] % 3);
            number = r[55:36];
            feedback = 11'(s[15:0] % (2 * NODES - 1));
            relay_feedback = 11'(s[31:16] % (2 * NODES - 1));
            flags = s[34:32];
            payload = {7{s ^ t}} ^ {t, 256'b0, r, 64'b0};
            from = 20'(r[31:0] % SHALE_NODES);
            to = 20'(s[31:0] % SHALE_NODES);
            sprays = 3'(t[7:0] % SHALE_PHASES);
            count = t[40:15];
            kind1 = t[42:41];
            kind2 = t[44:43];
            token1 = 20'(t[63:32] % SHALE_NODES);
            token2 = 20'(r[63:32] % SHALE_NODES);
            index1 = 3'(s[47:40] % SHALE_PHASES);
            index2 = 3'(s[55:48] % SHALE_PHASES);
            @(negedge clk);
            shoal_row(0, longint'(feedback), longint'(flags));
            step(shoal);
            for (int w = 0; w < 8; w++) equal(encoded[64 * (7 - w) +: 64], want[7 + w], "Shoal cell written");
            shale_row(0);
            step(shale);
            equal(header[127:64], want[7], "Shale header written");
            equal(header[63:0], want[8], "Shale header written");
            if (made <= 2000) compare_described();
            // Decode it unchanged, with a flipped bit, or with another header and its valid CRC.
            cell_in = encoded;
            header_in = header;
            if (s[63:62] == 2'd0) begin
                cell_in[t[8:0]] = ~cell_in[t[8:0]];
                header_in[t[6:0]] = ~header_in[t[6:0]];
            end
            @(negedge clk);
            shoal_row(2, longint'(relay_feedback), longint'(flags[0]));
            step(shoal);
            for (int w = 0; w < 8; w++) equal(relayed[64 * (7 - w) +: 64], want[7 + w], "Shoal cell relayed");
            in[0] = 1;
            step(shoal);
            equal(longint'(fault), want[0], "Shoal fault");
            equal(longint'(destination_out), want[1], "Shoal destination");
            equal(longint'(source_out), want[2], "Shoal source");
            equal(longint'(class_out), want[3], "Shoal class");
            equal(longint'(number_out), want[4], "Shoal sequence");
            equal(longint'(feedback_out), want[5], "Shoal feedback");
            equal(longint'(flags_out), want[6], "Shoal flags");
            faults[fault]++;
            shale_row(2);
            step(shale);
            equal(header_relayed[127:64], want[7], "Shale header relayed");
            equal(header_relayed[63:0], want[8], "Shale header relayed");
            in[0] = 1;
            step(shale);
            equal(longint'(header_fault), want[0], "Shale fault");
            equal(longint'(from_out), want[1], "Shale source");
            equal(longint'(to_out), want[2], "Shale destination");
            equal(longint'(sprays_out), want[3], "Shale sprays");
            equal(longint'(count_out), want[4], "Shale sequence");
            equal(longint'({kind1_out, token1_out, index1_out}), want[5], "Shale token 1");
            equal(longint'({kind2_out, token2_out, index2_out}), want[6], "Shale token 2");
            faults[header_fault]++;
        end
        took = bench_seconds() - began;
        if (faults[0] == 0 || faults[2] == 0) begin
            $display("codec: too few cases: no valid cell or no damaged one");
            $fatal(1);
        end
        $display("codec: %0d operations of six steps, all equal (%0d cells damaged), %0.0f operations/s, %0.0f steps/s",
            operations, faults[2], operations / took, steps / took);
        described.close();
        if (skerry_close(shoal) != 0 || skerry_close(shale) != 0) $fatal(1);
        $finish;
    end
endmodule
