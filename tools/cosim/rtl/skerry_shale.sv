// Encodes, decodes and relays Shale's cell headers (docs/spec/shale.md §4). The most significant bit is that of the
// first byte:
//
//   {source, destination, remaining sprays, sequence, token 1, token 2, reserved, CRC (8)}
//   token: {kind (2), destination, index}, all zero for none; without KINDS {destination, index}, all ones for none
//
//   layout   ID_BITS  SPRAY_BITS  SEQ_BITS  INDEX_BITS  KINDS  RESERVED   bits
//   L12         15         2         22         2         0       0         96
//   L12F        15         2         18         2         1       0         96
//   L16         20         3         26         3         1       1        128
//
// Tokens at the ports always have a kind: 0 none, 1 token, 2 invalidation, 3 re-validation. Each module accepts one
// header per clock and answers in the next. Fault numbers are the ordinals of the Java enum HeaderFault.
`default_nettype none

// Encodes a token from its fields. Combinational.
module skerry_shale_token #(
    parameter int ID_BITS    = 15,
    parameter int INDEX_BITS = 2,
    parameter int KINDS      = 1,
    parameter int BITS       = 2 * KINDS + ID_BITS + INDEX_BITS
) (
    input  wire [1:0]            kind,
    input  wire [ID_BITS-1:0]    destination,
    input  wire [INDEX_BITS-1:0] index,
    output wire [BITS-1:0]       token
);
    generate
        if (KINDS != 0) begin : with_kind
            assign token = kind == 2'd0 ? '0 : {kind, destination, index};
        end else begin : without_kind
            assign token = kind == 2'd0 ? '1 : {destination, index};
        end
    endgenerate
endmodule

// Encodes a header. A dummy has its sender as source and destination.
module skerry_shale_encode #(
    parameter int ID_BITS    = 15,
    parameter int SPRAY_BITS = 2,
    parameter int SEQ_BITS   = 22,
    parameter int INDEX_BITS = 2,
    parameter int KINDS      = 0,
    parameter int RESERVED   = 0,
    parameter int TOKEN_BITS = 2 * KINDS + ID_BITS + INDEX_BITS,
    parameter int CODED      = 2 * ID_BITS + SPRAY_BITS + SEQ_BITS + 2 * TOKEN_BITS,
    parameter int BITS       = CODED + RESERVED + 8
) (
    input  wire                  clk,
    input  wire                  valid_in,
    input  wire [ID_BITS-1:0]    source_in,
    input  wire [ID_BITS-1:0]    destination_in,
    input  wire [SPRAY_BITS-1:0] sprays_in,
    input  wire [SEQ_BITS-1:0]   sequence_in,
    input  wire [1:0]            kind1_in,
    input  wire [ID_BITS-1:0]    token1_in,
    input  wire [INDEX_BITS-1:0] index1_in,
    input  wire [1:0]            kind2_in,
    input  wire [ID_BITS-1:0]    token2_in,
    input  wire [INDEX_BITS-1:0] index2_in,
    output logic                 valid_out,
    output logic [BITS-1:0]      header_out
);
    wire [TOKEN_BITS-1:0] token1, token2;
    wire [7:0]            crc;
    wire [CODED-1:0]      coded = {source_in, destination_in, sprays_in, sequence_in, token1, token2};

    skerry_shale_token #(.ID_BITS(ID_BITS), .INDEX_BITS(INDEX_BITS), .KINDS(KINDS)) first (
        .kind(kind1_in), .destination(token1_in), .index(index1_in), .token(token1));
    skerry_shale_token #(.ID_BITS(ID_BITS), .INDEX_BITS(INDEX_BITS), .KINDS(KINDS)) second (
        .kind(kind2_in), .destination(token2_in), .index(index2_in), .token(token2));
    skerry_crc8 #(.BITS(CODED), .INIT(8'hFF)) check (.message(coded), .crc(crc));

    always_ff @(posedge clk) begin
        valid_out <= valid_in;
        header_out <= {coded, {(BITS - CODED){1'b0}}} | BITS'(crc);
    end
endmodule

// Decodes and validates a header. The fields are output even if they are invalid.
module skerry_shale_decode #(
    parameter int NODES      = 1 << 15,
    parameter int PHASES     = 4,
    parameter int FAILURES   = 0,
    parameter int ID_BITS    = 15,
    parameter int SPRAY_BITS = 2,
    parameter int SEQ_BITS   = 22,
    parameter int INDEX_BITS = 2,
    parameter int KINDS      = 0,
    parameter int RESERVED   = 0,
    parameter int TOKEN_BITS = 2 * KINDS + ID_BITS + INDEX_BITS,
    parameter int CODED      = 2 * ID_BITS + SPRAY_BITS + SEQ_BITS + 2 * TOKEN_BITS,
    parameter int BITS       = CODED + RESERVED + 8
) (
    input  wire                   clk,
    input  wire                   valid_in,
    input  wire [BITS-1:0]        header_in,
    output logic                  valid_out,
    output logic [3:0]            fault_out,
    output logic [ID_BITS-1:0]    source_out,
    output logic [ID_BITS-1:0]    destination_out,
    output logic [SPRAY_BITS-1:0] sprays_out,
    output logic [SEQ_BITS-1:0]   sequence_out,
    output logic [1:0]            kind1_out,
    output logic [ID_BITS-1:0]    token1_out,
    output logic [INDEX_BITS-1:0] index1_out,
    output logic [1:0]            kind2_out,
    output logic [ID_BITS-1:0]    token2_out,
    output logic [INDEX_BITS-1:0] index2_out
);
    localparam logic [3:0] NONE = 4'd0, CRC = 4'd2, RESERVED_BIT = 4'd3, SOURCE = 4'd4, DESTINATION = 4'd5,
                           SPRAYS = 4'd6, UNKNOWN_KIND = 4'd7, NONE_TOKEN_NOT_ZERO = 4'd8;
    localparam logic [1:0] LAST_KIND = (FAILURES != 0) ? 2'd3 : 2'd1;
    localparam int BUCKET_BITS = ID_BITS + INDEX_BITS;

    wire [CODED-1:0]       coded  = header_in[BITS-1 -: CODED];
    wire [7:0]             crc;
    wire [ID_BITS-1:0]     source, destination;
    wire [SPRAY_BITS-1:0]  sprays;
    wire [SEQ_BITS-1:0]    number;
    wire [TOKEN_BITS-1:0]  token1, token2;
    wire [1:0]             kind1, kind2;
    wire [BUCKET_BITS-1:0] bucket1, bucket2;
    wire                   reserved_set;

    assign {source, destination, sprays, number, token1, token2} = coded;

    skerry_crc8 #(.BITS(CODED), .INIT(8'hFF)) check (.message(coded), .crc(crc));

    generate
        if (RESERVED != 0) begin : with_reserved
            assign reserved_set = header_in[8];
        end else begin : without_reserved
            assign reserved_set = 1'b0;
        end
        if (KINDS != 0) begin : with_kind
            assign {kind1, bucket1} = token1;
            assign {kind2, bucket2} = token2;
        end else begin : without_kind
            assign kind1 = {1'b0, token1 != '1};
            assign kind2 = {1'b0, token2 != '1};
            assign bucket1 = kind1 == 2'd0 ? '0 : token1;
            assign bucket2 = kind2 == 2'd0 ? '0 : token2;
        end
    endgenerate

    always_ff @(posedge clk) begin
        valid_out <= valid_in;
        source_out <= source;
        destination_out <= destination;
        sprays_out <= sprays;
        sequence_out <= number;
        kind1_out <= kind1;
        {token1_out, index1_out} <= bucket1;
        kind2_out <= kind2;
        {token2_out, index2_out} <= bucket2;
        if (crc != header_in[7:0]) fault_out <= CRC;
        else if (reserved_set) fault_out <= RESERVED_BIT;
        else if (32'(source) >= NODES) fault_out <= SOURCE;
        else if (32'(destination) >= NODES) fault_out <= DESTINATION;
        else if (32'(sprays) >= PHASES) fault_out <= SPRAYS;
        else if (kind1 > LAST_KIND || kind2 > LAST_KIND) fault_out <= UNKNOWN_KIND;
        else if ((kind1 == 2'd0 && bucket1 != '0) || (kind2 == 2'd0 && bucket2 != '0)) fault_out <= NONE_TOKEN_NOT_ZERO;
        else fault_out <= NONE;
    end
endmodule

// Updates the fields that a hop changes: the remaining sprays, both tokens and the CRC.
module skerry_shale_relay #(
    parameter int ID_BITS    = 15,
    parameter int SPRAY_BITS = 2,
    parameter int SEQ_BITS   = 22,
    parameter int INDEX_BITS = 2,
    parameter int KINDS      = 0,
    parameter int RESERVED   = 0,
    parameter int TOKEN_BITS = 2 * KINDS + ID_BITS + INDEX_BITS,
    parameter int CODED      = 2 * ID_BITS + SPRAY_BITS + SEQ_BITS + 2 * TOKEN_BITS,
    parameter int BITS       = CODED + RESERVED + 8
) (
    input  wire                  clk,
    input  wire                  valid_in,
    // verilator lint_off UNUSEDSIGNAL
    input  wire [BITS-1:0]       header_in,     // its sprays, tokens and CRC are replaced
    // verilator lint_on UNUSEDSIGNAL
    input  wire [SPRAY_BITS-1:0] sprays_in,
    input  wire [1:0]            kind1_in,
    input  wire [ID_BITS-1:0]    token1_in,
    input  wire [INDEX_BITS-1:0] index1_in,
    input  wire [1:0]            kind2_in,
    input  wire [ID_BITS-1:0]    token2_in,
    input  wire [INDEX_BITS-1:0] index2_in,
    output wire                  valid_out,
    output wire [BITS-1:0]       header_out
);
    skerry_shale_encode #(
        .ID_BITS(ID_BITS), .SPRAY_BITS(SPRAY_BITS), .SEQ_BITS(SEQ_BITS), .INDEX_BITS(INDEX_BITS), .KINDS(KINDS),
        .RESERVED(RESERVED)
    ) encode (
        .clk(clk), .valid_in(valid_in),
        .source_in(header_in[BITS-1 -: ID_BITS]), .destination_in(header_in[BITS-1-ID_BITS -: ID_BITS]),
        .sprays_in(sprays_in), .sequence_in(header_in[BITS-1-2*ID_BITS-SPRAY_BITS -: SEQ_BITS]),
        .kind1_in(kind1_in), .token1_in(token1_in), .index1_in(index1_in),
        .kind2_in(kind2_in), .token2_in(token2_in), .index2_in(index2_in),
        .valid_out(valid_out), .header_out(header_out));
endmodule

`default_nettype wire
