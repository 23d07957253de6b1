// Top of the three modules of Shale's codec for Verilator: headers of 16 bytes, with failure tokens.
module skerry_shale_codec #(
    parameter int NODES  = 4096,
    parameter int PHASES = 6
) (
    input  wire         clk,
    input  wire [19:0]  source_in,
    input  wire [19:0]  destination_in,
    input  wire [2:0]   sprays_in,
    input  wire [25:0]  sequence_in,
    input  wire [24:0]  token1_in,
    input  wire [24:0]  token2_in,
    input  wire [127:0] header_in,
    output wire [127:0] encoded_out,
    output wire [127:0] relayed_out,
    output wire [3:0]   fault_out,
    output wire [19:0]  source_out,
    output wire [19:0]  destination_out,
    output wire [2:0]   sprays_out,
    output wire [25:0]  sequence_out,
    output wire [24:0]  token1_out,
    output wire [24:0]  token2_out,
    output wire [2:0]   valid_out
);
    skerry_shale_encode #(.ID_BITS(20), .SPRAY_BITS(3), .SEQ_BITS(26), .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) encode (
        .clk(clk), .valid_in(1'b1), .source_in(source_in), .destination_in(destination_in), .sprays_in(sprays_in),
        .sequence_in(sequence_in),
        .kind1_in(token1_in[24:23]), .token1_in(token1_in[22:3]), .index1_in(token1_in[2:0]),
        .kind2_in(token2_in[24:23]), .token2_in(token2_in[22:3]), .index2_in(token2_in[2:0]),
        .valid_out(valid_out[0]), .header_out(encoded_out));
    skerry_shale_decode #(.NODES(NODES), .PHASES(PHASES), .FAILURES(1), .ID_BITS(20), .SPRAY_BITS(3), .SEQ_BITS(26),
        .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) decode (
        .clk(clk), .valid_in(1'b1), .header_in(header_in), .valid_out(valid_out[1]), .fault_out(fault_out),
        .source_out(source_out), .destination_out(destination_out), .sprays_out(sprays_out), .sequence_out(sequence_out),
        .kind1_out(token1_out[24:23]), .token1_out(token1_out[22:3]), .index1_out(token1_out[2:0]),
        .kind2_out(token2_out[24:23]), .token2_out(token2_out[22:3]), .index2_out(token2_out[2:0]));
    skerry_shale_relay #(.ID_BITS(20), .SPRAY_BITS(3), .SEQ_BITS(26), .INDEX_BITS(3), .KINDS(1), .RESERVED(1)) relay (
        .clk(clk), .valid_in(1'b1), .header_in(header_in), .sprays_in(sprays_in),
        .kind1_in(token1_in[24:23]), .token1_in(token1_in[22:3]), .index1_in(token1_in[2:0]),
        .kind2_in(token2_in[24:23]), .token2_in(token2_in[22:3]), .index2_in(token2_in[2:0]),
        .valid_out(valid_out[2]), .header_out(relayed_out));
endmodule
