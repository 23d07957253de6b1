// CRC-8, x^8 + x^2 + x + 1, most significant bit first, of a message of fixed length in one clock. Each bit of the CRC
// is the parity of a constant set of message bits. Combinational.
//
//   Shale: INIT 8'hFF, XOR_OUT 8'h00 (docs/spec/shale.md §4.1)
//   Shoal: INIT 8'h00, XOR_OUT 8'h55 (docs/spec/shoal.md §3.2)
`default_nettype none

module skerry_crc8 #(
    parameter int         BITS    = 56,
    parameter logic [7:0] INIT    = 8'h00,
    parameter logic [7:0] XOR_OUT = 8'h00
) (
    input  wire [BITS-1:0] message,
    output wire [7:0]      crc
);
    // Bit i of the message contributes x^(i+8) modulo the polynomial. Selects the message bits that contribute to bit
    // k.
    function automatic logic [BITS-1:0] taps(input logic [2:0] k);
        logic [7:0] worth;
        worth = 8'h07;
        for (int i = 0; i < BITS; i++) begin
            taps[i] = worth[k];
            worth = {worth[6:0], 1'b0} ^ (worth[7] ? 8'h07 : 8'h00);
        end
    endfunction

    // Starting the register with INIT equals starting it with 0 and XORing INIT into the first eight bits.
    wire [BITS-1:0] started = message ^ {INIT, {(BITS - 8){1'b0}}};

    generate
        for (genvar k = 0; k < 8; k++) begin : bit_of_check
            localparam logic [BITS-1:0] TAPS = taps(k[2:0]);
            assign crc[k] = ^(started & TAPS) ^ XOR_OUT[k];
        end
    endgenerate
endmodule

`default_nettype wire
