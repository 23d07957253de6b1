// Assertions for a Shale node with hop-by-hop tokens: schedule, order, tokens and conservation (docs/spec/shale.md §2, §3,
// §5). `skerry sva` writes a bind file that sets the parameters from the description of the device:
//
//   sent_valid       high for one clock in each slot: the words that the device sends (docs/words.md)
//   received_valid   high for one other clock in each slot: the words that it receives; before sent_valid if the device
//                    receives first
//   registers_valid  high while the registers show the state after a complete slot; 0 if the device has no such registers
//
// A device may choose any of several equally short links and hold back its local cells. A cell whose link is unknown has
// several bits in `may`; a link is removed when the cell could have left on it and the device sent something else. The cell
// word may contain whatever identifies a cell in the header of the device, and `sent_slot` is ignored.
`default_nettype none

module skerry_shale_laws #(
    parameter int RADIX            = 3,
    parameter int PHASES           = 2,
    parameter int NODE             = 0,
    parameter int TOKENS           = 1,
    parameter int FIRST_HOP_TOKENS = 1,
    parameter int PROPAGATION      = 1,
    parameter bit RECEIVE_FIRST    = 1'b0,
    parameter int TOKENS_A_SLOT    = 2,
    parameter int OWED_LATENCY     = 0,
    parameter int SCAN_DEPTH       = 2147483647,
    parameter bit SHORTEST         = 1'b1,     // spraying hops take the shortest queue
    parameter bit LOWEST           = 1'b0,     // the lowest of equally short queues
    parameter int CELLS            = 256,      // capacity of the tables below
    parameter int OWED             = 256,
    // Derived, do not override.
    parameter int PEERS            = RADIX - 1,
    parameter int LINKS            = PHASES * PEERS
) (
    input wire                     clk,
    input wire                     rst,
    input wire                     sent_valid,
    input wire [63:0]              sent_route,
    input wire [63:0]              sent_cell,
    input wire [63:0]              sent_feedback,
    input wire                     received_valid,
    input wire [63:0]              received_route,
    input wire [63:0]              received_cell,
    input wire [63:0]              received_feedback,
    input wire                     registers_valid,
    input wire [LINKS-1:0][15:0]   queue_length,
    input wire [LINKS-1:0][15:0]   queue_outstanding,
    input wire [LINKS-1:0][15:0]   queue_owed
);
    /* verilator lint_off UNUSEDSIGNAL */
    localparam int NODES = RADIX ** PHASES, BUCKETS = NODES * PHASES;
    localparam logic [31:0] NO_TOKEN = '1;
    localparam logic [63:0] DUMMY = '1, NOTHING = ~64'd1;

    typedef logic [22:0] bucket_t;              // destination, spraying hops left
    typedef logic [LINKS-1:0] links_t;

    typedef struct packed {
        logic [63:0] cell_word;
        bucket_t     bucket;                    // in which it arrived; that of the token it returns
        int          back;                      // link on which the token returns
        links_t      may;
    } held_t;

    typedef struct packed {
        bucket_t     bucket;
        logic [40:0] slot;                      // first slot in which it may be sent
    } owed_t;

    held_t [CELLS-1:0] held, kept;              // in order of arrival; the same without the cell that leaves
    int          holds;
    owed_t       owed  [0:LINKS-1][0:OWED-1];   // a ring buffer that starts at the oldest
    int          owes  [0:LINKS-1], oldest [0:LINKS-1], outstanding [0:LINKS-1];
    logic [LINKS-1:0][BUCKETS-1:0][8:0] spent;  // tokens outstanding
    logic [40:0] sent_slot, received_slot;
    int          link, arrival;                 // positions in the epochs of the device and of the sender

    // ---- Schedule and routes ----

    typedef logic [LINKS-1:0][31:0] by_link_t;
    typedef logic [PHASES-1:0][NODES-1:0][31:0] directs_t;

    function automatic int digit(input int node, input int phase);
        return node / RADIX ** phase % RADIX;
    endfunction

    function automatic by_link_t peers();
        for (int l = 0; l < LINKS; l++) begin
            automatic int old = digit(NODE, l / PEERS);
            peers[l] = NODE + ((old + l % PEERS + 1) % RADIX - old) * RADIX ** (l / PEERS);
        end
    endfunction

    // The link on which the receiver of a link sends back.
    function automatic by_link_t backs();
        for (int l = 0; l < LINKS; l++) backs[l] = l / PEERS * PEERS + PEERS - 1 - l % PEERS;
    endfunction

    // The link of a direct hop, by the phase in which the cell arrived and its destination.
    function automatic directs_t directs();
        directs = '0;
        for (int p = 0; p < PHASES; p++)
            for (int d = 0; d < NODES; d++)
                for (int o = PHASES; o >= 1; o--) begin
                    automatic int phase = (p + o) % PHASES, turn = (digit(d, phase) + RADIX - digit(NODE, phase)) % RADIX;
                    if (turn != 0) directs[p][d] = phase * PEERS + turn - 1;
                end
    endfunction

    localparam by_link_t PEER = peers(), BACK = backs();
    localparam directs_t DIRECT = directs();

    function automatic int destination(input bucket_t of);
        return int'(of[22:3]);
    endfunction

    // The bucket at the next node.
    function automatic bucket_t next(input bucket_t of);
        return of[2:0] == 0 ? of : of - 1'b1;
    endfunction

    function automatic bit exists(input bucket_t of);
        return destination(of) < NODES && int'(of[2:0]) < PHASES;
    endfunction

    function automatic int number(input bucket_t of);
        return destination(of) * PHASES + int'(of[2:0]);
    endfunction

    // Whether a cell that will be in a bucket at the next node has a token, or needs none.
    function automatic bit may_go(input int on, input bucket_t takes);
        return int'(PEER[on]) == destination(takes)
            || int'(spent[on][number(takes)]) < (int'(takes[2:0]) == PHASES - 1 ? FIRST_HOP_TOKENS : TOKENS);
    endfunction

    // Minimum and maximum possible length of a queue.
    function automatic int least(input int of);
        least = 0;
        for (int i = 0; i < holds; i++) least += int'(held[i].may == links_t'(1) << of);
    endfunction

    function automatic int most(input int of);
        most = 0;
        for (int i = 0; i < holds; i++) most += int'(held[i].may[of]);
    endfunction

    // The links on which a cell that arrives may leave.
    function automatic links_t routes(input bucket_t of);
        automatic int phase = arrival / PEERS, shortest = CELLS;
        routes = '0;
        if (of[2:0] == 0) routes[DIRECT[phase][destination(of)]] = 1'b1;
        else begin
            phase = (phase + 1) % PHASES;
            for (int l = phase * PEERS; l < (phase + 1) * PEERS; l++) if (most(l) < shortest) shortest = most(l);
            for (int l = (phase + 1) * PEERS - 1; l >= phase * PEERS; l--)
                if (!SHORTEST || least(l) <= shortest) begin
                    if (LOWEST) routes = '0;
                    routes[l] = 1'b1;
                end
        end
    endfunction

    // ---- What is sent ----

    wire bucket_t sent_bucket = sent_route[22:0];
    wire          sent_some   = sent_valid && !sent_route[63];
    wire          speaks      = sent_some || sent_valid && sent_route == DUMMY;
    wire          is_local    = sent_some && int'(sent_bucket[2:0]) == PHASES - 1;
    wire          is_forward  = sent_some && !is_local;
    int           leaving, ahead;
    held_t        leaves;
    logic         is_held, is_passed, is_legal, is_next, is_foreign, has_token;
    logic [CELLS-1:0] passed;                   // cells that could have left on the link before what is sent
    logic [63:0]  tokens;                       // tokens that must be sent
    int           rides;

    always_comb begin
        leaving = holds;
        passed = '0;
        is_passed = 1'b0;
        ahead = 0;
        if (sent_valid) begin
            for (int i = holds - 1; i >= 0; i--) if (is_forward && held[i].cell_word == sent_cell) leaving = i;
            for (int i = 0; i < leaving; i++)
                if (held[i].may[link]) begin
                    passed[i] = ahead < SCAN_DEPTH && may_go(link, next(held[i].bucket));
                    is_passed |= passed[i] && held[i].may == links_t'(1) << link;
                    ahead++;
                end
        end
        has_token = !sent_some || exists(sent_bucket) && may_go(link, sent_bucket);
        is_held = leaving < holds;
        leaves = is_held ? held[leaving] : '0;
        is_legal = leaves.may[link];
        is_next = sent_bucket == next(leaves.bucket);
        is_foreign = exists(sent_bucket) && destination(sent_bucket) != NODE;
        kept = held;
        for (int i = 0; i < holds; i++)
            if (i >= leaving) kept[i] = held[i + 1 < CELLS ? i + 1 : i];
            else if (passed[i] && held[i].may != links_t'(1) << link) kept[i].may[link] = 1'b0;
        tokens = '1;
        rides = 0;
        for (int n = 0; n < TOKENS_A_SLOT; n++)
            if (n < owes[link]) begin
                if (owed[link][(oldest[link] + n) % OWED].slot <= sent_slot) begin
                    tokens[32 * n +: 32] = {9'd0, owed[link][(oldest[link] + n) % OWED].bucket};
                    rides = n + 1;
                end
            end else if (n == owes[link] && is_held && leaves.back == link && OWED_LATENCY == 0) begin
                tokens[32 * n +: 32] = {9'd0, leaves.bucket};
                rides = n + 1;
            end
    end

    // ---- What is received ----

    wire bucket_t received_bucket = received_route[22:0];
    wire          joins           = received_valid && !received_route[63] && destination(received_bucket) != NODE;
    int           back_link;
    logic         is_due, returns, has_room;
    int           came;
    logic [BUCKETS-1:0][8:0] left;              // tokens outstanding without those that returned

    always_comb begin
        back_link = int'(BACK[arrival]);
        is_due = received_slot >= 41'(PROPAGATION);
        has_room = holds < CELLS && owes[back_link] < OWED;
        returns = 1'b1;
        came = 0;
        left = spent[back_link];
        for (int n = 0; n < 2; n++)
            if (received_valid && received_feedback[32 * n +: 32] != NO_TOKEN) begin
                if (exists(received_feedback[32 * n +: 23]) && left[number(received_feedback[32 * n +: 23])] != 0) begin
                    left[number(received_feedback[32 * n +: 23])]--;
                    came++;
                end else returns = 1'b0;
            end
    end

    // ---- Registers ----

    links_t       length_fits, outstanding_fits, owed_fits;
    int           misfit;                       // the first link with another value
    wire  [40:0]  last_slot = sent_slot - 1'b1;

    always_comb begin
        length_fits = '1;
        outstanding_fits = '1;
        owed_fits = '1;
        if (registers_valid)
            for (int l = 0; l < LINKS; l++) begin
                length_fits[l] = int'(queue_length[l]) >= least(l) && int'(queue_length[l]) <= most(l);
                outstanding_fits[l] = int'(queue_outstanding[l]) == outstanding[l];
                owed_fits[l] = int'(queue_owed[l]) == owes[l];
            end
        misfit = 0;
        for (int l = LINKS - 1; l >= 0; l--) if (!length_fits[l] || !outstanding_fits[l] || !owed_fits[l]) misfit = l;
    end

    // ---- State updates ----

    always_ff @(posedge clk)
        if (rst) begin
            holds <= 0;
            spent <= '0;
            link <= 0;
            arrival <= 0;
            sent_slot <= '0;
            received_slot <= '0;
            for (int l = 0; l < LINKS; l++) begin
                oldest[l] <= 0;
                owes[l] <= 0;
                outstanding[l] <= 0;
            end
        end else if (sent_valid) begin
            held <= kept;
            holds <= holds - int'(is_held);
            if (is_held) owed[leaves.back][(oldest[leaves.back] + owes[leaves.back]) % OWED]
                <= '{bucket: leaves.bucket, slot: sent_slot + 41'(OWED_LATENCY)};
            for (int l = 0; l < LINKS; l++) owes[l] <= owes[l] + int'(is_held && leaves.back == l) - (l == link ? rides : 0);
            oldest[link] <= (oldest[link] + rides) % OWED;
            if (sent_some && exists(sent_bucket) && int'(PEER[link]) != destination(sent_bucket)) begin
                spent[link][number(sent_bucket)] <= spent[link][number(sent_bucket)] + 1'b1;
                outstanding[link] <= outstanding[link] + 1;
            end
            sent_slot <= sent_slot + 1'b1;
            link <= link == LINKS - 1 ? 0 : link + 1;
        end else if (received_valid) begin
            if (joins && has_room) begin
                held[holds] <= '{cell_word: received_cell, bucket: received_bucket, back: back_link,
                    may: routes(received_bucket)};
                holds <= holds + 1;
            end
            spent[back_link] <= left;
            outstanding[back_link] <= outstanding[back_link] - came;
            if (is_due) arrival <= arrival == LINKS - 1 ? 0 : arrival + 1;
            received_slot <= received_slot + 1'b1;
        end

    // ---- Laws ----

    default clocking @(posedge clk); endclocking

    // Names begin with the law of a follower; the message ends with what the law requires.
`define SKERRY_LAW(name, condition, holds_then, at_slot, at_link, text) \
    name: assert property (disable iff (rst) condition |-> holds_then) \
        else $error("%s: slot %0d node %0d link %0d: %s", `"name`", $sampled(at_slot), NODE, $sampled(at_link), text);
`define SKERRY_SENT(name, condition, holds_then, text) `SKERRY_LAW(name, condition, holds_then, sent_slot, link, text)
`define SKERRY_RECEIVED(name, condition, holds_then, text) \
    `SKERRY_LAW(name, condition, holds_then, received_slot, back_link, text)
`define SKERRY_REGISTER(name, holds_then, text) `SKERRY_LAW(name, registers_valid, holds_then, last_slot, misfit, text)

    `SKERRY_SENT(schedule_sends_once, sent_valid, !received_valid && sent_slot + 41'(RECEIVE_FIRST) == received_slot,
        "the device sends once in each slot")
    `SKERRY_SENT(schedule_is_not_silent, sent_valid, speaks, "a device without cells sends dummies")
    `SKERRY_SENT(route_of_local_cells, is_local, is_foreign, "a local cell goes to another node")
    `SKERRY_SENT(route_by_a_legal_link, is_forward && is_held, is_legal,
        "a forwarded cell leaves on a link that its destination and spraying hops allow")
    `SKERRY_SENT(route_to_the_next_bucket, is_forward && is_held, is_next,
        "a forwarded cell keeps its destination and has a spraying hop less")
    `SKERRY_SENT(conservation_of_cells, is_forward, is_held, "a forwarded cell has arrived and has not left before")
    `SKERRY_SENT(order_of_arrival, speaks && (!is_forward || is_held && is_legal), !is_passed,
        "the first cell of the link that has a token leaves")
    `SKERRY_SENT(token_is_left, sent_some, has_token, "a cell leaves only with a token for its next bucket")
    `SKERRY_SENT(token_rides, speaks, sent_feedback == tokens, "the oldest owed tokens ride, and no others")

    `SKERRY_RECEIVED(schedule_receives_once, received_valid, sent_slot == received_slot + 41'(!RECEIVE_FIRST),
        "the device receives once in each slot")
    `SKERRY_RECEIVED(schedule_begins, received_valid && !is_due, received_route == NOTHING,
        "nothing arrives before the propagation delay is over")
    `SKERRY_RECEIVED(token_was_spent, received_valid, returns, "a neighbour returns only tokens that the device has spent")
    `SKERRY_RECEIVED(room_of_these_tables, joins, has_room, "raise CELLS or OWED of the assertions")

    `SKERRY_REGISTER(register_length, length_fits == '1, "the register has the length of the queue")
    `SKERRY_REGISTER(register_outstanding, outstanding_fits == '1, "the register has the tokens outstanding")
    `SKERRY_REGISTER(register_owed, owed_fits == '1, "the register has the tokens owed")
`undef SKERRY_REGISTER
`undef SKERRY_RECEIVED
`undef SKERRY_SENT
`undef SKERRY_LAW
    /* verilator lint_on UNUSEDSIGNAL */
endmodule

`default_nettype wire
