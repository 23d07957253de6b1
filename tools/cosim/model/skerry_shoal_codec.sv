// Top of the three modules of Shoal's codec for Verilator.
module skerry_shoal_codec #(
    parameter int NODES   = 64,
    parameter int CLASSES = 3
) (
    input  wire         clk,
    input  wire [9:0]   destination_in,
    input  wire [9:0]   source_in,
    input  wire [1:0]   class_in,
    input  wire [19:0]  sequence_in,
    input  wire [10:0]  feedback_in,
    input  wire [2:0]   flags_in,
    input  wire [511:0] cell_in,
    output wire [511:0] encoded_out,
    output wire [511:0] relayed_out,
    output wire [3:0]   fault_out,
    output wire [9:0]   destination_out,
    output wire [9:0]   source_out,
    output wire [1:0]   class_out,
    output wire [19:0]  sequence_out,
    output wire [10:0]  feedback_out,
    output wire [2:0]   flags_out,
    output wire [2:0]   valid_out
);
    skerry_shoal_encode #(.CLASSES(CLASSES)) encode (
        .clk(clk), .valid_in(1'b1), .destination_in(destination_in), .source_in(source_in), .class_in(class_in),
        .sequence_in(sequence_in), .feedback_in(feedback_in), .flags_in(flags_in), .payload_in(cell_in[447:0]),
        .valid_out(valid_out[0]), .cell_out(encoded_out));
    skerry_shoal_decode #(.NODES(NODES), .CLASSES(CLASSES)) decode (
        .clk(clk), .valid_in(1'b1), .cell_in(cell_in), .valid_out(valid_out[1]), .fault_out(fault_out),
        .destination_out(destination_out), .source_out(source_out), .class_out(class_out), .sequence_out(sequence_out),
        .feedback_out(feedback_out), .flags_out(flags_out));
    skerry_shoal_relay relay (
        .clk(clk), .valid_in(1'b1), .cell_in(cell_in), .feedback_in(feedback_in), .lcd_in(flags_in[0]),
        .valid_out(valid_out[2]), .cell_out(relayed_out));
endmodule
