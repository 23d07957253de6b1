// A Shale NIC with two phases (docs/spec/shale.md §2 to §5): hop-by-hop tokens, spraying to the shortest queue, the
// lowest link among equally short queues, and one endless local flow.
//
//   slot_in   begins a slot
//   tx        what the node sends in the slot: valid until it is accepted
//   rx        what arrives in the slot: ready until it is delivered, which ends the slot
//
// Words are those of the Java model (Route, Cell): a route names the bucket <d, n> at the next node, is all ones for a
// dummy and one less for nothing; feedback carries two tokens of 32 bits. The state machine takes six clocks per slot if
// it does not have to wait for its neighbours.
//
//   queue[l]      cells for link l in order of arrival; the first one with a token leaves
//   spent[l][b]   tokens of bucket b spent on link l and not returned
//   owed[l]       tokens to return on link l, in order
`default_nettype none

module skerry_shale_node #(
    parameter int RADIX            = 4,
    parameter int NODE             = 0,
    parameter int TOKENS           = 1,
    parameter int FIRST_HOP_TOKENS = 1,
    parameter int PROPAGATION      = 1,
    parameter int FLOW             = 0,    // index of the local flow
    parameter int DESTINATION      = 1,    // its destination
    parameter int QUEUE_CELLS      = 64,
    parameter int OWED_TOKENS      = 64,   // a power of two
    // Derived, do not override.
    parameter int NODES            = RADIX * RADIX,
    parameter int PEERS            = RADIX - 1,
    parameter int LINKS            = 2 * PEERS,
    parameter int BUCKETS          = 2 * NODES,
    parameter int LINK_BITS        = $clog2(LINKS),
    parameter int OWED_BITS        = $clog2(OWED_TOKENS)
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     slot_in,

    output logic                    tx_valid,
    input  wire                     tx_ready,
    output logic [63:0]             tx_route,
    output logic [63:0]             tx_cell,
    output logic [63:0]             tx_feedback,

    input  wire                     rx_valid,
    output wire                     rx_ready,
    input  wire  [63:0]             rx_route,
    input  wire  [63:0]             rx_cell,
    input  wire  [63:0]             rx_feedback,

    output logic [LINKS-1:0][15:0]  length_out,
    output logic [LINKS-1:0][15:0]  spent_out,
    output logic [LINKS-1:0][15:0]  owed_out,
    output logic                    overflow_out
);
    typedef enum logic [2:0] {IDLE, CHOOSE, RETURN, SEND, RECEIVE, STORE} state_t;

    localparam logic [63:0] DUMMY    = '1;
    localparam logic [31:0] NO_TOKEN = '1;

    state_t                     state;
    logic [40:0]                slot;
    logic [31:0]                link;          // of the cell sent, a position in the epoch
    logic [31:0]                from;          // of the arriving cell, in its sender's epoch
    logic [31:0]                waited;        // slots that passed before something can arrive
    logic [31:0]                number;        // sequence number of the local flow's next cell

    // A waiting cell: the token that it needs at the next node unless that is its destination, the token that is
    // returned when it leaves, and the link on which that token returns.
    typedef struct packed {
        logic [22:0]          sent_slot;
        logic                 last;
        logic [22:0]          takes;
        logic [22:0]          gives;
        logic [LINK_BITS-1:0] gives_on;
        logic [63:0]          cell_word;
    } entry_t;

    typedef entry_t [QUEUE_CELLS-1:0] queue_t;

    queue_t                     queue       [0:LINKS-1];
    logic [31:0]                length      [0:LINKS-1];
    logic [7:0]                 spent       [0:LINKS-1][0:BUCKETS-1];
    logic [22:0]                owed        [0:LINKS-1][0:OWED_TOKENS-1];   // a ring buffer that starts at oldest
    logic [OWED_BITS-1:0]       oldest      [0:LINKS-1];
    logic [31:0]                owes        [0:LINKS-1];
    logic [63:0]                in_route, in_cell, in_feedback;

    function automatic int digit(input int node, input int phase);
        return (phase == 0) ? node % RADIX : node / RADIX;
    endfunction

    // The node at the other end of a link.
    function automatic int peer(input int position);
        automatic int phase = position / PEERS;
        automatic int weight = (phase == 0) ? 1 : RADIX;
        automatic int old = digit(NODE, phase);
        return NODE + ((old + position % PEERS + 1) % RADIX - old) * weight;
    endfunction

    // The link on which the receiver of link k sends back, in the same phase.
    function automatic int back(input int position);
`ifdef PLANTED_LINK_BACK
        return position;
`else
        return position / PEERS * PEERS + PEERS - 1 - position % PEERS;
`endif
    endfunction

    function automatic int next(input int position);
        return (position + 1 == LINKS) ? 0 : position + 1;
    endfunction

    // The counter of a token: a destination has one for each number of spraying hops.
    function automatic int bucket(input logic [22:0] token);
        return 2 * int'(token[22:3]) + int'(token[2:0]);
    endfunction

    // ---- What leaves ----

    wire [22:0] own_token  = 23'(DESTINATION * 8 + 1);
    wire        own_direct = peer(int'(link)) == DESTINATION;
    wire        own_may    = own_direct || int'(spent[link][bucket(own_token)]) < FIRST_HOP_TOKENS;
    logic       found;
    int         chosen;

    always_comb begin
        found = 1'b0;
        chosen = 0;
        for (int i = 0; i < QUEUE_CELLS; i++)
            if (i < int'(length[link])
                && (queue[link][i].last || int'(spent[link][bucket(queue[link][i].takes)]) < TOKENS)
`ifdef PLANTED_LAST_FIRST
                ) begin
`else
                && !found) begin
`endif
                found = 1'b1;
                chosen = i;
            end
    end

    entry_t leaving;
    queue_t left;          // the queue without the leaving cell
    assign leaving = queue[link][chosen];

    always_comb begin
        left = queue[link];
        for (int i = 0; i < QUEUE_CELLS - 1; i++)
            if (i >= chosen) left[i] = queue[link][i + 1];
    end

    function automatic logic [31:0] owed_token(input logic [LINK_BITS-1:0] on, input int n);
        return (int'(owes[on]) > n) ? 32'(owed[on][oldest[on] + OWED_BITS'(n)]) : NO_TOKEN;
    endfunction

    // ---- Where an arrival goes ----

    wire [31:0] in_destination = {12'd0, in_route[22:3]};
    wire        is_cell        = in_route[63:3] != '1;
    wire        is_home        = in_destination == NODE;
    int         phase, other, to;
    logic       last;

    always_comb begin
        phase = int'(from) / PEERS;
        other = 1 - phase;
        to = 0;
        last = 1'b0;
        if (in_route[0]) begin
            // A spraying hop goes to the shortest queue of the next phase.
            to = other * PEERS;
            for (int k = 1; k < PEERS; k++)
`ifdef PLANTED_HIGHEST_TIE
                if (length[other * PEERS + k] <= length[to]) to = other * PEERS + k;
`else
                if (length[other * PEERS + k] < length[to]) to = other * PEERS + k;
`endif
            last = peer(to) == int'(in_destination);
        end else begin
            // A direct hop goes to the next phase in which node and destination differ.
            if (digit(NODE, other) == digit(int'(in_destination), other)) other = phase;
            to = other * PEERS + (digit(int'(in_destination), other) - digit(NODE, other) + RADIX) % RADIX - 1;
            last = peer(to) == int'(in_destination);
        end
    end

    entry_t joining;
    assign joining = '{sent_slot: in_route[63:41], last: last, takes: {in_route[22:3], 3'd0}, gives: in_route[22:0],
        gives_on: LINK_BITS'(back(int'(from))), cell_word: in_cell};

    assign rx_ready = state == RECEIVE;

    always_comb
        for (int l = 0; l < LINKS; l++) begin
            length_out[l] = 16'(length[l]);
            owed_out[l] = 16'(owes[l]);
            spent_out[l] = '0;
            for (int b = 0; b < BUCKETS; b++) spent_out[l] = spent_out[l] + 16'(spent[l][b]);
        end

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= IDLE;
            slot <= '0;
            link <= '0;
            from <= '0;
            waited <= '0;
            number <= '0;
            tx_valid <= 1'b0;
            overflow_out <= 1'b0;
            for (int l = 0; l < LINKS; l++) begin
                length[l] <= '0;
                owes[l] <= '0;
                oldest[l] <= '0;
                for (int b = 0; b < BUCKETS; b++) spent[l][b] <= '0;
            end
        end else begin
            case (state)
                IDLE: if (slot_in) state <= CHOOSE;
                CHOOSE: begin
                    tx_route <= DUMMY;
                    tx_cell <= '0;
                    if (found) begin
                        tx_route <= {leaving.sent_slot, 18'd0, leaving.takes};
                        tx_cell <= leaving.cell_word;
                        queue[link] <= left;
                        length[link] <= length[link] - 1;
                        owed[leaving.gives_on][oldest[leaving.gives_on] + OWED_BITS'(owes[leaving.gives_on])]
                            <= leaving.gives;
                        owes[leaving.gives_on] <= owes[leaving.gives_on] + 1;
                        if (owes[leaving.gives_on] + 1 == OWED_TOKENS) overflow_out <= 1'b1;
`ifdef PLANTED_FINAL_PAYS
                        spent[link][bucket(leaving.takes)] <=
                            spent[link][bucket(leaving.takes)] + 1;
`else
                        if (!leaving.last)
                            spent[link][bucket(leaving.takes)] <=
                                spent[link][bucket(leaving.takes)] + 1;
`endif
                    end else if (own_may) begin
                        tx_route <= {slot[22:0], 18'd0, own_token};
                        tx_cell <= {32'(FLOW), number};
                        number <= number + 1;
                        if (!own_direct) spent[link][bucket(own_token)] <= spent[link][bucket(own_token)] + 1;
                    end
                    state <= RETURN;
                end
                RETURN: begin
                    tx_feedback <= {owed_token(LINK_BITS'(link), 1), owed_token(LINK_BITS'(link), 0)};
`ifdef PLANTED_TOKEN_TWICE
                    oldest[link] <= oldest[link] + ((owes[link] > 2) ? 2 : (owes[link] == 2) ? 1 : '0);
                    owes[link] <= owes[link] - ((owes[link] > 2) ? 2 : (owes[link] == 2) ? 1 : owes[link]);
`else
                    oldest[link] <= oldest[link] + ((owes[link] > 1) ? OWED_BITS'(2) : OWED_BITS'(owes[link]));
                    owes[link] <= (owes[link] > 1) ? owes[link] - 2 : '0;
`endif
                    tx_valid <= 1'b1;
                    state <= SEND;
                end
                SEND: if (tx_ready) begin
                    tx_valid <= 1'b0;
                    state <= RECEIVE;
                end
                RECEIVE: if (rx_valid) begin
                    in_route <= rx_route;
                    in_cell <= rx_cell;
                    in_feedback <= rx_feedback;
                    state <= STORE;
                end
                default: begin
                    if (waited == PROPAGATION) begin
                        if (is_cell && !is_home) begin
                            queue[to][length[to]] <= joining;
                            length[to] <= length[to] + 1;
                            if (length[to] + 1 == QUEUE_CELLS) overflow_out <= 1'b1;
                        end
                        for (int b = 0; b < BUCKETS; b++)
                            spent[back(int'(from))][b] <= spent[back(int'(from))][b]
                                - 8'(in_feedback[31:0] != NO_TOKEN && bucket(in_feedback[22:0]) == b)
                                - 8'(in_feedback[63:32] != NO_TOKEN && bucket(in_feedback[54:32]) == b);
                        from <= 32'(next(int'(from)));
                    end else begin
                        waited <= waited + 1;
                    end
                    link <= 32'(next(int'(link)));
                    slot <= slot + 1;
                    state <= IDLE;
                end
            endcase
        end
    end
endmodule

`default_nettype wire
