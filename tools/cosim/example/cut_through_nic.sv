// A NIC for Shale with two phases, written from docs/spec/shale.md as an example of a device under test. It shares
// nothing with ../rtl/skerry_shale_node.sv:
//
//   cut-through      the header of a cell is routed while its payload arrives, so the cell can leave in that slot
//   late tokens      a token that is owed enters the return FIFO of its link TOKEN_LATENCY slots later
//   bounded scan     only the first SCAN cells of a queue are considered when a link sends
//   own header       64 bits, with sequence numbers of 10 bits (cut_through.header)
//
// A slot is eight clocks, one word of a cell in each: two words of header, six of payload. The NIC receives word i in
// clock i of a slot and sends word i in clock i + 4, so a cell needs half a slot inside the NIC.
//
// `bug` selects a planted bug, 0 for none; README.md lists them.
`default_nettype none

module cut_through_nic #(
    parameter int RADIX            = 3,
    parameter int NODE             = 0,
    parameter int TOKENS           = 2,
    parameter int FIRST_HOP_TOKENS = 3,
    parameter int WIRE_SLOTS       = 3,    // from the slot in which a cell is sent to the slot in which it arrives
    parameter int SCAN             = 4,
    parameter int TOKEN_LATENCY    = 2,
    parameter int QUEUE_CELLS      = 32,
    parameter int STORE_CELLS      = 64,
    parameter int OWED_TOKENS      = 64,   // a power of two
    // Derived, do not override.
    parameter int NODES            = RADIX * RADIX,
    parameter int PEERS            = RADIX - 1,
    parameter int LINKS            = 2 * PEERS,
    parameter int BUCKETS          = 2 * NODES
) (
    input  wire                          clk,
    input  wire                          rst,
    input  wire  [3:0]                   bug,
    input  wire  [31:0]                  rx,
    output logic [31:0]                  tx,
    input  wire  [NODES-1:0]             host_has,     // destinations that the host has cells for
    output logic [2:0]                   count_out,    // clock of the slot
    output logic [LINKS-1:0][7:0]        length_out,   // cells in each queue
    output logic [LINKS-1:0][7:0]        owed_out,     // tokens owed on each link, late ones included
    output logic [LINKS-1:0][BUCKETS-1:0][3:0] left_out, // tokens left
    output logic                         overflow_out,
    output logic                         acts_out      // the planted bug changes something in this clock
);
    localparam int PLACE_BITS = $clog2(STORE_CELLS), OWED_BITS = $clog2(OWED_TOKENS), LINK_BITS = $clog2(LINKS);

    typedef logic [4:0] bucket_t;               // destination, spraying hops left
    typedef logic [LINK_BITS-1:0] link_t;

    typedef struct packed {
        logic        valid, dummy;
        logic [3:0]  source, destination;
        logic        sprays;
        logic [9:0]  sequence_number;
        logic [10:0] unused;
        logic        kind1;
        bucket_t     token1;
        logic        kind2;
        bucket_t     token2;
        logic [11:0] more_unused;
        logic [7:0]  crc;
    } header_t;

    typedef struct packed {
        logic [3:0]            source;
        logic [9:0]            sequence_number;
        bucket_t               takes, gives;    // the bucket at the next node, and at this one
        logic                  last;
        link_t                 gives_on;
        logic [PLACE_BITS-1:0] place;
    } entry_t;

    typedef struct packed {
        logic    valid;
        link_t   on;
        bucket_t token;
    } late_t;

    logic [2:0]                  count;
    logic [9:0]                  slot;
    link_t                       link, from;    // links of the cell sent and, in the sender's epoch, of the cell received
    /* verilator lint_off UNUSEDSIGNAL */
    header_t                     in, out;
    /* verilator lint_on UNUSEDSIGNAL */
    entry_t [QUEUE_CELLS-1:0]    queue  [0:LINKS-1];
    logic [7:0]                  length [0:LINKS-1];
    logic [3:0]                  left   [0:LINKS-1][0:BUCKETS-1];
    bucket_t                     owed   [0:LINKS-1][0:OWED_TOKENS-1];
    logic [OWED_BITS-1:0]        oldest [0:LINKS-1], newest [0:LINKS-1];
    late_t                       late   [0:TOKEN_LATENCY];
    logic [31:0]                 store  [0:STORE_CELLS-1][0:7];
    logic [STORE_CELLS-1:0]      used;
    logic [PLACE_BITS-1:0]       in_place, out_place;
    logic [1:0]                  out_kind;      // 0 nothing or a dummy, 1 a cell of the host, 2 one from the store
    logic [9:0]                  sequence_of [0:NODES-1];
    logic [3:0]                  turn;          // destination at which the search for a host cell starts

    // ---- Schedule ----

    function automatic int digit(input int node, input int phase);
        return phase == 0 ? node % RADIX : node / RADIX;
    endfunction

    function automatic int peer(input int of);
        automatic int weight = of / PEERS == 0 ? 1 : RADIX;
        return NODE + ((digit(NODE, of / PEERS) + of % PEERS + 1) % RADIX - digit(NODE, of / PEERS)) * weight;
    endfunction

    function automatic link_t back(input link_t of);
        return link_t'(int'(of) / PEERS * PEERS + PEERS - 1 - int'(of) % PEERS);
    endfunction

    function automatic link_t after(input link_t of);
        return int'(of) == LINKS - 1 ? '0 : of + 1'b1;
    endfunction

    function automatic logic [3:0] budget(input int of_bucket);
        return of_bucket % 2 == 1 ? 4'(FIRST_HOP_TOKENS) : 4'(TOKENS);
    endfunction

    // ---- Arrival, clock 2: the header is in ----

    int                    phase, other, to;
    entry_t                joins;
    logic [PLACE_BITS-1:0] free;
    wire                   forwards = in.valid && !in.dummy && int'(in.destination) != NODE;

    always_comb begin
        phase = int'(from) / PEERS;
        other = 1 - phase;
        if (in.sprays) begin
            to = other * PEERS;
            for (int k = other * PEERS; k < (other + 1) * PEERS; k++) if (length[k] < length[to]) to = k;
        end else begin
            if (digit(NODE, other) == digit(int'(in.destination), other)) other = phase;
            to = other * PEERS + (digit(int'(in.destination), other) + RADIX - digit(NODE, other) - 1) % RADIX;
        end
        free = '0;
        for (int i = STORE_CELLS - 1; i >= 0; i--) if (!used[i]) free = PLACE_BITS'(i);
        joins = '{source: in.source, sequence_number: in.sequence_number, takes: {in.destination, 1'b0},
            gives: {in.destination, in.sprays}, last: peer(to) == int'(in.destination), gives_on: back(from), place: free};
    end

    // ---- Departure, clock 3 ----

    logic   found, offers, blocked;
    int     chosen, offered;
    entry_t leaves;
    entry_t [QUEUE_CELLS-1:0] rest;
    late_t  due;

    always_comb begin
        found = 1'b0;
        chosen = 0;
        for (int i = SCAN - 1; i >= 0; i--)
            if (i < int'(length[link]) && (queue[link][i].last || left[link][queue[link][i].takes] != 0)) begin
                found = 1'b1;
                chosen = i;
            end
        blocked = bug == 8 && found && chosen != 0;
        if (blocked) found = 1'b0;
        leaves = queue[link][chosen];
        rest = queue[link];
        for (int i = 0; i < QUEUE_CELLS - 1; i++) if (i >= chosen) rest[i] = queue[link][i + 1];
        offers = 1'b0;
        offered = 0;
        for (int i = NODES - 1; i >= 0; i--) begin
            automatic int d = (int'(turn) + i) % NODES;
            if (host_has[d] && d != NODE && (d == peer(int'(link)) || left[link][2 * d + 1] != 0)) begin
                offers = 1'b1;
                offered = d;
            end
        end
        late[0] = '{valid: found, on: leaves.gives_on, token: leaves.gives};
        due = late[TOKEN_LATENCY];
    end

    // ---- Words on the wire ----

    function automatic logic [7:0] crc_of(input logic [55:0] bits);
        automatic logic [7:0] crc = '1;
        for (int i = 55; i >= 0; i--) crc = {crc[6:0], 1'b0} ^ (crc[7] != bits[i] ? 8'h2F : 8'h00);
        return ~crc;
    endfunction

    // The sending host derives the payload of a cell from its source, destination and sequence number.
    function automatic logic [31:0] payload_of(input logic [3:0] source, input logic [3:0] destination,
        input logic [9:0] number, input logic [2:0] word);
        return {source, destination, number, 11'd0, word} * 32'h9E3779B1;
    endfunction

    wire [2:0]  word = count + 3'd4;
    wire [63:0] whole = out.valid ? {out[63:8], crc_of(out[63:8])} : '0;
    logic       flips;

    always_comb
        case (word)
            3'd0: tx = whole[63:32];
            3'd1: tx = whole[31:0];
            default:
                case (out_kind)
                    2'd0: tx = '0;
                    2'd1: tx = payload_of(4'(NODE), out.destination, out.sequence_number, word);
                    default: tx = store[out_place][word] ^ 32'(flips && word == 3'd5);
                endcase
        endcase

    // ---- Planted bugs ----

    logic [9:0] returned, first_returned, cut;
    logic       idle;
    wire        loses1 = in.kind1 && (bug == 1 && returned == 999 || bug == 5 && in.token1[0] && first_returned[5:0] == '1);
    wire        loses2 = in.kind2 && (bug == 1 && returned == 999 - 10'(in.kind1)
        || bug == 5 && in.token2[0] && first_returned[5:0] == 6'd63 - 6'(in.kind1 && in.token1[0]));
    wire        stands = bug == 2 && slot == '1;
    wire        cuts = found && forwards && leaves.place == in_place;
    wire        keeps = bug == 3 && found && length[link] == 4;
    wire        flip = bug == 4 && cuts && cut[3:0] == '1;
    wire        dies = bug == 6 && slot >= 600;
    wire        wraps = bug == 7 && !found && offers && sequence_of[offered] == '1;
    wire        loses = bug == 9 && due.valid && forwards && due.on == joins.gives_on;
    wire        stays = bug == 10 && slot >= 100 && !found && !offers;

    assign acts_out = count == 3'd2 && (loses1 || loses2 || stands)
        || count == 3'd3 && (keeps || flip || dies || wraps || blocked || loses || stays);

    always_comb begin
        count_out = count;
        for (int l = 0; l < LINKS; l++) begin
            length_out[l] = length[l];
            owed_out[l] = 8'(OWED_BITS'(newest[l] - oldest[l]));
            for (int k = 1; k <= TOKEN_LATENCY; k++) owed_out[l] += 8'(late[k].valid && int'(late[k].on) == l);
            for (int b = 0; b < BUCKETS; b++) left_out[l][b] = left[l][b];
        end
    end

    always_ff @(posedge clk)
        if (rst) begin
            count <= '0;
            slot <= '0;
            link <= '0;
            from <= link_t'((WIRE_SLOTS / LINKS + 1) * LINKS - WIRE_SLOTS);
            in <= '0;
            out <= '0;
            out_kind <= '0;
            used <= '0;
            turn <= '0;
            overflow_out <= 1'b0;
            returned <= '0;
            first_returned <= '0;
            cut <= '0;
            flips <= 1'b0;
            idle <= 1'b0;
            for (int k = 1; k <= TOKEN_LATENCY; k++) late[k] <= '0;
            for (int d = 0; d < NODES; d++) sequence_of[d] <= '0;
            for (int l = 0; l < LINKS; l++) begin
                length[l] <= '0;
                oldest[l] <= '0;
                newest[l] <= '0;
                for (int b = 0; b < BUCKETS; b++) left[l][b] <= budget(b);
            end
        end else begin
            count <= count + 1'b1;
            store[count == 3'd2 ? free : in_place][count] <= rx;
            case (count)
                3'd0: in[63:32] <= rx;
                3'd1: in[31:0] <= rx;
                3'd2: begin
                    in_place <= free;
                    if (forwards) begin
                        queue[to][length[to]] <= joins;
                        length[to] <= length[to] + 1'b1;
                        used[free] <= 1'b1;
                        if (int'(length[to]) == QUEUE_CELLS - 1 || &used) overflow_out <= 1'b1;
                    end
                    for (int b = 0; b < BUCKETS; b++) begin
                        automatic logic [3:0] more = left[back(from)][b] + 4'(in.kind1 && !loses1 && int'(in.token1) == b)
                            + 4'(in.kind2 && !loses2 && int'(in.token2) == b);
                        left[back(from)][b] <= more > budget(b) ? budget(b) : more;
                    end
                    returned <= (returned + 10'(in.kind1) + 10'(in.kind2)) % 1000;
                    first_returned <= first_returned + 10'(in.kind1 && in.token1[0]) + 10'(in.kind2 && in.token2[0]);
                    if (!stands) from <= after(from);
                end
                3'd3: begin
                    out <= '0;
                    out.valid <= !dies;
                    out.dummy <= !found && !offers;
                    out_kind <= found ? 2'd2 : {1'b0, offers};
                    out_place <= leaves.place;
                    flips <= flip;
                    cut <= cut + 10'(cuts);
                    if (found) begin
                        out.source <= leaves.source;
                        {out.destination, out.sprays} <= leaves.takes;
                        out.sequence_number <= leaves.sequence_number;
                        if (!keeps) begin
                            queue[link] <= rest;
                            length[link] <= length[link] - 1'b1;
                            used[leaves.place] <= 1'b0;
                        end
                        if (!leaves.last) left[link][leaves.takes] <= left[link][leaves.takes] - 1'b1;
                    end else if (offers) begin
                        out.source <= 4'(NODE);
                        out.destination <= 4'(offered);
                        out.sprays <= !wraps;
                        out.sequence_number <= sequence_of[offered];
                        sequence_of[offered] <= sequence_of[offered] + 1'b1;
                        turn <= offered == NODES - 1 ? '0 : 4'(offered + 1);
                        if (offered != peer(int'(link))) left[link][2 * offered + 1] <= left[link][2 * offered + 1] - 1'b1;
                    end
                    for (int k = 1; k <= TOKEN_LATENCY; k++) late[k] <= late[k - 1];
                    if (due.valid && !loses) begin
                        owed[due.on][newest[due.on]] <= due.token;
                        newest[due.on] <= newest[due.on] + 1'b1;
                        if (newest[due.on] + 1'b1 == oldest[due.on]) overflow_out <= 1'b1;
                    end
                    idle <= stays;
                end
                3'd4: begin
                    // The second word of the header, which contains two tokens, leaves in the next clock.
                    out.kind1 <= newest[link] != oldest[link];
                    out.token1 <= owed[link][oldest[link]];
                    out.kind2 <= OWED_BITS'(newest[link] - oldest[link]) > 1;
                    out.token2 <= owed[link][OWED_BITS'(oldest[link] + 1'b1)];
                    oldest[link] <= OWED_BITS'(newest[link] - oldest[link]) > 1 ? oldest[link] + OWED_BITS'(2) : newest[link];
                end
                3'd7: begin
                    slot <= slot + 1'b1;
                    if (!idle) link <= after(link);
                end
                default:;
            endcase
        end
endmodule

`default_nettype wire
