// Encodes, decodes and relays Shoal's cell of 64 bytes (docs/spec/shoal.md §3). Bit 511 is the most significant bit of
// the first byte.
//
//    511      502 501      492 491                470 469       459 458  457  456  455   448 447          0
//   +------------+------------+----------------------+-------------+----+----+----+---------+--------------+
//   | destination|  source    |  class, sequence     |  feedback   | sop| eop| lcd|   CRC   |   payload    |
//   +------------+------------+----------------------+-------------+----+----+----+---------+--------------+
//
// The CRC covers header and payload, in a dummy only the header. Each module accepts one cell per clock and answers in
// the next. Fault numbers are the ordinals of the Java enum HeaderFault.
`default_nettype none

// Encodes a cell: data if source and destination differ; if both are the sender, sop selects control, else dummy.
module skerry_shoal_encode #(
    parameter int CLASSES  = 1,
    parameter int SEQ_BITS = (CLASSES == 1) ? 22 : 20
) (
    input  wire                clk,
    input  wire                valid_in,
    input  wire [9:0]          destination_in,
    input  wire [9:0]          source_in,
    input  wire [1:0]          class_in,
    input  wire [SEQ_BITS-1:0] sequence_in,
    input  wire [10:0]         feedback_in,
    input  wire [2:0]          flags_in,
    input  wire [447:0]        payload_in,
    output logic               valid_out,
    output logic [511:0]       cell_out
);
    wire         data = destination_in != source_in;
    wire [21:0]  number;
    wire [55:0]  head = {destination_in, source_in, data ? number : 22'b0, feedback_in, flags_in[2],
                         data && flags_in[1], flags_in[0]};
    wire [7:0]   crc_of_all, crc_of_head;

    generate
        if (CLASSES == 1) begin : one_class
            // verilator lint_off UNUSEDSIGNAL
            wire [1:0] unused_class = class_in;
            // verilator lint_on UNUSEDSIGNAL
            assign number = sequence_in;
        end else begin : classes
            assign number = {class_in, sequence_in};
        end
    endgenerate

    skerry_crc8 #(.BITS(504), .XOR_OUT(8'h55)) of_all (.message({head, payload_in}), .crc(crc_of_all));
    skerry_crc8 #(.BITS(56), .XOR_OUT(8'h55)) of_head (.message(head), .crc(crc_of_head));

    always_ff @(posedge clk) begin
        valid_out <= valid_in;
        cell_out <= {head, data || flags_in[2] ? crc_of_all : crc_of_head, payload_in};
    end
endmodule

// Decodes and validates a cell. The fields are output even if they are invalid; the feedback is clamped to 2N - 2.
module skerry_shoal_decode #(
    parameter int NODES    = 1024,
    parameter int CLASSES  = 1,
    parameter int SEQ_BITS = (CLASSES == 1) ? 22 : 20
) (
    input  wire                 clk,
    input  wire                 valid_in,
    input  wire [511:0]         cell_in,
    output logic                valid_out,
    output logic [3:0]          fault_out,
    output logic [9:0]          destination_out,
    output logic [9:0]          source_out,
    output logic [1:0]          class_out,
    output logic [SEQ_BITS-1:0] sequence_out,
    output logic [10:0]         feedback_out,
    output logic [2:0]          flags_out
);
    localparam logic [3:0] NONE = 4'd0, CRC = 4'd2, SOURCE = 4'd4, DESTINATION = 4'd5, DUMMY_NOT_ZERO = 4'd9,
                           TRAFFIC_CLASS = 4'd10;
    localparam int MAX_FEEDBACK = 2 * NODES - 2;

    wire [55:0] head        = cell_in[511:456];
    wire [9:0]  destination = head[55:46];
    wire [9:0]  source      = head[45:36];
    wire [21:0] number      = head[35:14];
    wire [10:0] feedback    = head[13:3];
    wire [2:0]  flags       = head[2:0];
    wire        data        = destination != source;
    wire        dummy       = !data && !flags[2];
    wire [1:0]  class_of    = (CLASSES == 1) ? 2'b0 : number[21:20];
    wire [7:0]  crc_of_all, crc_of_head;

    skerry_crc8 #(.BITS(504), .XOR_OUT(8'h55)) of_all (.message({head, cell_in[447:0]}), .crc(crc_of_all));
    skerry_crc8 #(.BITS(56), .XOR_OUT(8'h55)) of_head (.message(head), .crc(crc_of_head));

`ifdef PLANTED_CRC_BIT
    wire [7:0] crc = {cell_in[455], dummy ? crc_of_head[6:0] : crc_of_all[6:0]};
`else
    wire [7:0] crc = dummy ? crc_of_head : crc_of_all;
`endif

    always_ff @(posedge clk) begin
        valid_out <= valid_in;
        destination_out <= destination;
        source_out <= source;
        class_out <= class_of;
        sequence_out <= number[SEQ_BITS-1:0];
        feedback_out <= 32'(feedback) > MAX_FEEDBACK ? MAX_FEEDBACK[10:0] : feedback;
        flags_out <= flags;
        if (crc != cell_in[455:448]) fault_out <= CRC;
        else if (32'(source) >= NODES) fault_out <= SOURCE;
        else if (32'(destination) >= NODES) fault_out <= DESTINATION;
        else if (!data && (number != '0 || flags[1])) fault_out <= DUMMY_NOT_ZERO;
        else if (data && 32'(class_of) >= CLASSES) fault_out <= TRAFFIC_CLASS;
        else fault_out <= NONE;
    end
endmodule

// Updates feedback and lcd, and the CRC only by their difference, so that damage of the payload stays detectable.
module skerry_shoal_relay (
    input  wire          clk,
    input  wire          valid_in,
    input  wire [511:0]  cell_in,
    input  wire [10:0]   feedback_in,
    input  wire          lcd_in,
    output logic         valid_out,
    output logic [511:0] cell_out
);
    wire [55:0] head    = cell_in[511:456];
    wire [55:0] changed = {head[55:14], feedback_in, head[2:1], lcd_in};
    wire [55:0] change  = changed ^ head;
    wire        dummy   = head[55:46] == head[45:36] && !head[2];
    wire [7:0]  change_of_all, change_of_head;

    skerry_crc8 #(.BITS(504)) of_all (.message({change, 448'b0}), .crc(change_of_all));
    skerry_crc8 #(.BITS(56)) of_head (.message(change), .crc(change_of_head));

    always_ff @(posedge clk) begin
        valid_out <= valid_in;
        cell_out <= {changed, cell_in[455:448] ^ (dummy ? change_of_head : change_of_all), cell_in[447:0]};
    end
endmodule

`default_nettype wire
