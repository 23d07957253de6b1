// The words of cut_through_nic for assertions (`skerry sva --bind cut_through_words`), bound to each NIC. A cell is
// identified by the source, destination and sequence number of its header; no flow has 1,024 cells in the network. With
// +ports the assertions do not check registers.
`default_nettype none

module cut_through_words #(
    parameter int NODE    = 0,
    parameter int LINKS   = 4,
    parameter int BUCKETS = 18,
    parameter int TOKENS = 2, FIRST_HOP_TOKENS = 3
) (
    input wire                              clk,
    input wire                              rst,
    input wire [2:0]                        count,
    input wire [63:0]                       in,        // header that arrived, complete in clock 2
    input wire [63:0]                       whole,     // header that leaves, complete in clock 5
    input wire [LINKS-1:0][7:0]             length_out,
    input wire [LINKS-1:0][7:0]             owed_out,
    input wire [LINKS-1:0][BUCKETS-1:0][3:0] left_out
);
    function automatic logic [31:0] token(input logic valid, input logic [4:0] bucket);
        return valid ? {25'd0, bucket[4:1], 2'b00, bucket[0]} : '1;
    endfunction

    function automatic logic [63:0] feedback(input logic [63:0] header);
        return header[63] ? {token(header[25], header[24:20]), token(header[31], header[30:26])} : '1;
    endfunction

    // A dummy is all ones, nothing is one less.
    function automatic logic [63:0] route(input logic [63:0] header);
        return header[63:62] == 2'b10 ? {57'd0, header[57:54], 2'b00, header[53]} : header[63] ? '1 : ~64'd1;
    endfunction

    bit registers;
    initial registers = $test$plusargs("ports") == 0;

    wire         received_valid = count == 3'd2, sent_valid = count == 3'd5, registers_valid = count == 3'd0 && registers;
    wire  [63:0] received_route = route(in), sent_route = route(whole);
    wire  [63:0] received_cell = 64'({in[61:54], in[52:43]}), sent_cell = 64'({whole[61:54], whole[52:43]});
    wire  [63:0] received_feedback = feedback(in), sent_feedback = feedback(whole);
    logic [LINKS-1:0][15:0] queue_length, queue_outstanding, queue_owed;

    always_comb
        for (int l = 0; l < LINKS; l++) begin
            queue_length[l] = 16'(length_out[l]);
            queue_owed[l] = 16'(owed_out[l]);
            queue_outstanding[l] = '0;
            for (int b = 0; b < BUCKETS; b++)
                queue_outstanding[l] += 16'(b % 2 == 1 ? FIRST_HOP_TOKENS : TOKENS) - 16'(left_out[l][b]);
        end
endmodule

bind cut_through_nic cut_through_words #(.NODE(NODE)) words (.*);

`default_nettype wire
