// A Shoal NIC with one channel and the plain round robin (docs/spec/shoal.md §2.1 and §4; rule exact, 2^age rule).
//
//   offer     a message for another node: accepted between slots
//   slot_in   begins a slot
//   tx        what the node sends in the slot: valid until it is accepted
//   rx        what arrives in the slot: ready until it is delivered, which ends the slot
//
// Words are those of the Java model (ShoalCell, Cell): a route has the sent slot, the source and the destination, and is
// all ones for a dummy; feedback is a report. Link l leads to node NODE + l + 1, in slot l of each epoch. The state machine
// takes five clocks per slot if it does not have to wait for its neighbours.
//
//   queue[l]        cells for link l in order of arrival, at most one of them local
//   throttle[l][k]  HELD: a cell of the flow to node k is in queue l; AWAIT: it was sent and has no report yet; FREE: the
//                   next one may join once the length of the queue is at least wait_for[l][k], which falls in each turn
//   sent[l]         destinations of the local cells sent in recent turns of link l, latest first
//   joined[l]       links whose queues the last cells from that neighbour joined, latest first
`default_nettype none

// With PLANTED, an input selects a planted bug of example/README.md.
`ifdef PLANTED
`define BUG(number) (planted == number)
`else
`define BUG(number) 1'b0
`endif

module skerry_shoal_node #(
    parameter int NODES        = 8,
    parameter int NODE         = 0,
    parameter int PROPAGATION  = 1,    // at least 1
    parameter int MESSAGES     = 4,    // maximum per destination at the same time; a power of two
    // Derived, do not override.
    parameter int LINKS        = NODES - 1,
    parameter int MESSAGE_BITS = $clog2(MESSAGES)
) (
    input  wire                     clk,
    input  wire                     rst,
    input  wire                     slot_in,
`ifdef PLANTED
    input  wire  [3:0]              planted,
`endif

    input  wire                     offer_valid,
    output wire                     offer_ready,
    input  wire  [31:0]             offer_destination,
    input  wire  [31:0]             offer_flow,
    input  wire  [31:0]             offer_cells,

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

    // Per link: cells, ready flows, destination of the local cell, place at which the next search begins, links that the
    // neighbour's last two cells joined; all ones: none.
    output logic [LINKS-1:0][15:0]  length_out,
    output logic [LINKS-1:0][15:0]  ready_out,
    output logic [LINKS-1:0][15:0]  own_out,
    output logic [LINKS-1:0][15:0]  turn_out,
    output logic [LINKS-1:0][15:0]  joined_out,
    output logic [LINKS-1:0][15:0]  joined_before_out,
    output wire  [15:0]             active_out,
    output logic                    overflow_out
);
    typedef enum logic [2:0] {IDLE, CHOOSE, SEND, RECEIVE, STORE} state_t;
    typedef enum logic [1:0] {FREE, HELD, AWAIT} throttle_t;

    localparam logic [63:0] DUMMY = '1;
    localparam logic [31:0] NONE  = '1;
    localparam int          LAST  = 4;         // latest cells, one of which a report is about
    localparam int          TURNS = LAST + 2 * PROPAGATION / LINKS + 1;

    typedef struct packed {
        logic [31:0] sent_slot;
        logic [15:0] source;
        logic [15:0] destination;
        logic [63:0] cell_word;
    } entry_t;

    typedef struct packed {
        logic [31:0] flow;
        logic [31:0] number;                   // of its next cell
        logic [31:0] cells;
    } message_t;

    state_t                     state;
    logic [31:0]                slot;
    logic [31:0]                link;          // on which the node sends; equals the slot of the epoch
    logic [31:0]                from;          // slot of the epoch in which the arriving cell was sent
    logic [31:0]                waited;        // slots that passed before something can arrive
    logic [63:0]                in_route, in_cell, in_report;

    entry_t                     queue       [0:LINKS-1][0:NODES-1];     // a ring buffer that starts at oldest
    logic [31:0]                oldest      [0:LINKS-1];
    logic [31:0]                length      [0:LINKS-1];
    logic [31:0]                ready       [0:LINKS-1];
    logic [31:0]                own         [0:LINKS-1];
    logic [31:0]                turn        [0:LINKS-1];
    throttle_t                  throttle    [0:LINKS-1][0:NODES-1];
    logic [31:0]                wait_for    [0:LINKS-1][0:NODES-1];
    logic [31:0]                sent        [0:LINKS-1][0:TURNS-1];
    logic [31:0]                joined      [0:LINKS-1][0:LAST-1];

    logic [31:0]                active      [0:LINKS-1];                // destinations in the order of the search
    logic [31:0]                actives;
    logic [31:0]                since       [0:NODES-1];                // slot in which the flow became active
    message_t                   message     [0:NODES-1][0:MESSAGES-1];  // a ring buffer that starts at first
    logic [MESSAGE_BITS-1:0]    first       [0:NODES-1];
    logic [31:0]                messages    [0:NODES-1];

    // ---- The schedule ----

    function automatic int peer(input int on);
        return (NODE + on + 1) % NODES;
    endfunction

    function automatic int link_to(input int destination);
        return (destination - NODE - 1 + NODES) % NODES;
    endfunction

    function automatic logic [31:0] next(input logic [31:0] position);
        return (position + 1 == LINKS) ? '0 : position + 1;
    endfunction

    // The slot of the epoch in which the neighbour of a link sends to this node, and the link of the node back to the
    // sender of a slot of the epoch.
    function automatic int back(input int position);
        return LINKS - 1 - position;
    endfunction

    // Number of turns of a link whose cells its neighbour had not received when it sent the arriving cell.
    function automatic int unknown(input int on);
        automatic int count = 0;
        for (int ago = 0; ago <= 2 * PROPAGATION; ago++)
            if ((back(on) + PROPAGATION + LINKS * PROPAGATION - ago) % LINKS == on) count++;
        return count;
    endfunction

    // Number of slots in which the neighbour of a link serves its queue for a node, from the slot in which it samples a
    // report to the arrival of the cell that is sent next (§4.3).
    function automatic logic [31:0] services(input int on, input int destination);
        automatic int count = 0;
        automatic int upto = back(on) + PROPAGATION + 1;
        while (upto % LINKS != on) upto++;
        for (int s = back(on); s <= upto + PROPAGATION; s++)
            if ((peer(on) + s % LINKS + 1) % NODES == destination) count++;
        return count;
    endfunction

    wire [31:0] services_of [0:LINKS-1][0:NODES-1];
    wire [31:0] unknown_of  [0:LINKS-1];

    for (genvar l = 0; l < LINKS; l++) begin : by_link
        assign unknown_of[l] = unknown(l);
        for (genvar k = 0; k < NODES; k++) begin : by_destination
            assign services_of[l][k] = services(l, k);
        end
    end

    // Index of the cell that a report is about, latest first, given the cells that joined a queue (§4.5); LAST: none.
    function automatic int about(input logic [LAST-1:0] joins);
        if (joins[0]) return 0;
        if (joins[1]) return 1;
        return (joins[2] && joins[3]) ? 3 : LAST;
    endfunction

    // ---- What leaves ----

    // Whether a flow has been active for long enough to join a queue of this length: 2^age is at least the length.
    function automatic logic is_old(input logic [31:0] from_slot, input logic [31:0] cells);
        return slot - from_slot >= $clog2(cells) * (`BUG(6) ? 1 : LINKS);
    endfunction

    logic [31:0] chosen, chosen_at, searched, released;

    always_comb begin
        automatic int at = (turn[link] < actives) ? int'(turn[link]) : 0;
        chosen = NONE;
        chosen_at = '0;
        searched = turn[link];
        released = '0;
        for (int i = 0; i < LINKS; i++)
            if (i < int'(actives)) begin
                if (throttle[link][active[at]] == FREE && length[link] >= wait_for[link][active[at]]) begin
                    if (chosen == NONE && (own[link] == NONE || `BUG(8)) && is_old(since[active[at]], length[link])) begin
                        chosen = active[at];
                        chosen_at = at;
                        searched = (at + 1 < int'(actives)) ? at + 1 : 0;
                        if (`BUG(7)) searched = at;
                    end else begin
                        released = released + 1;
                    end
                end
                at = (at + 1 < int'(actives)) ? at + 1 : 0;
            end
    end

    message_t    taken;
    logic        is_last;
    entry_t      local_cell, leaving;
    logic        leaves;
    int          told;

    always_comb begin
        taken = message[chosen][first[chosen]];
        is_last = taken.number + 1 == taken.cells;
        local_cell = '{sent_slot: slot, source: 16'(NODE), destination: 16'(chosen),
            cell_word: {taken.flow, `BUG(10) ? {22'd0, taken.number[9:0]} : taken.number}};
        leaves = length[link] != 0 || chosen != NONE;
        leaving = (length[link] == 0) ? local_cell : queue[link][oldest[link]];
        told = about({joined[link][3] != NONE, joined[link][2] != NONE, joined[link][1] != NONE, joined[link][0] != NONE});
        if (`BUG(2) && told > 0) told = LAST;
    end

    // ---- What a report is about ----

    int   on;              // the link back to the sender
    int   last;            // index in sent[on] of the last cell that the sender knew
    int   reported;        // index of the cell that the report is about
    logic [31:0] reported_to, served;

    // Whether a cell that was sent on a link joins a queue at the neighbour.
    function automatic logic joins(input int onto, input logic [31:0] destination);
        return destination != NONE && int'(destination) != peer(onto);
    endfunction

    always_comb begin
        on = back(int'(from));
        last = int'(unknown_of[on]);
        reported = about({joins(on, sent[on][last + 3]), joins(on, sent[on][last + 2]), joins(on, sent[on][last + 1]),
            joins(on, sent[on][last])});
        reported_to = (reported == LAST) ? NONE : sent[on][last + reported];
        served = `BUG(3) ? '0 : services_of[on][reported_to];
    end

    // ---- Where an arrival goes ----

    wire [31:0] in_destination = {16'd0, in_route[15:0]};
    wire        is_cell        = in_route[63:1] != '1;
    wire        is_passing     = is_cell && in_destination != NODE;
    int         to;

    always_comb to = link_to(int'(in_destination));

    assign offer_ready = state == IDLE && !slot_in;
    assign rx_ready = state == RECEIVE;
    assign active_out = 16'(actives);

    always_comb
        for (int l = 0; l < LINKS; l++) begin
            length_out[l] = 16'(length[l]);
            ready_out[l] = 16'(ready[l]);
            own_out[l] = 16'(own[l]);
            turn_out[l] = 16'(turn[l]);
            joined_out[l] = 16'(joined[l][0]);
            joined_before_out[l] = 16'(joined[l][1]);
        end

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= IDLE;
            slot <= '0;
            link <= '0;
            from <= '0;
            waited <= '0;
            actives <= '0;
            tx_valid <= 1'b0;
            overflow_out <= 1'b0;
            for (int l = 0; l < LINKS; l++) begin
                oldest[l] <= '0;
                length[l] <= '0;
                ready[l] <= '0;
                own[l] <= NONE;
                turn[l] <= '0;
                for (int k = 0; k < NODES; k++) begin
                    throttle[l][k] <= FREE;
                    wait_for[l][k] <= '0;
                end
                for (int t = 0; t < TURNS; t++) sent[l][t] <= NONE;
                for (int t = 0; t < LAST; t++) joined[l][t] <= NONE;
            end
            for (int k = 0; k < NODES; k++) begin
                first[k] <= '0;
                messages[k] <= '0;
            end
        end else begin
            case (state)
                IDLE: begin
                    if (slot_in) begin
                        state <= CHOOSE;
                    end else if (offer_valid) begin
                        message[offer_destination][first[offer_destination] + MESSAGE_BITS'(messages[offer_destination])]
                            <= '{flow: offer_flow, number: '0, cells: offer_cells};
                        messages[offer_destination] <= messages[offer_destination] + 1;
                        if (messages[offer_destination] == MESSAGES) overflow_out <= 1'b1;
                        if (messages[offer_destination] == 0) begin
                            active[actives] <= offer_destination;
                            actives <= actives + 1;
                            since[offer_destination] <= slot;
                        end
                    end
                end
                CHOOSE: begin
                    tx_route <= leaves ? {leaving.sent_slot, leaving.source, leaving.destination} : DUMMY;
                    tx_cell <= leaves ? leaving.cell_word : '0;
                    tx_feedback <= (told == LAST) ? '0
                        : {32'd0, length[joined[link][told]] + (`BUG(1) ? '0 : ready[joined[link][told]])};
                    ready[link] <= released;
                    turn[link] <= searched;
                    for (int k = 0; k < NODES; k++)
                        if (wait_for[link][k] != 0) wait_for[link][k] <= wait_for[link][k] - 1;
                    if (leaves || !`BUG(4)) begin
                        for (int t = 1; t < TURNS; t++) sent[link][t] <= sent[link][t - 1];
                        sent[link][0] <= NONE;
                    end
                    if (length[link] != 0) begin
                        // The first cell leaves, and the local one joins at the end.
                        if (!(`BUG(9) && length[link] == 4)) begin
                            oldest[link] <= (int'(oldest[link]) + 1) % NODES;
                            length[link] <= length[link] - 1;
                        end
                        if (chosen != NONE) begin
                            queue[link][(oldest[link] + length[link]) % NODES] <= local_cell;
                            length[link] <= length[link];
                            own[link] <= chosen;
                            throttle[link][chosen] <= HELD;
                        end
                    end
                    if (leaves && leaving.source == 16'(NODE)) begin
                        tx_route[63:32] <= slot;
                        sent[link][0] <= 32'(leaving.destination);
                        throttle[link][32'(leaving.destination)] <= AWAIT;
                        if (length[link] != 0) own[link] <= NONE;
                    end
                    if (chosen != NONE) begin
                        if (is_last || messages[chosen] > 1) first[chosen] <= first[chosen] + 1;
                        if (is_last) messages[chosen] <= messages[chosen] - 1;
                        else message[chosen][first[chosen] + ((messages[chosen] > 1) ? MESSAGE_BITS'(messages[chosen]) : '0)]
                            <= '{flow: taken.flow, number: taken.number + 1, cells: taken.cells};
                        if (is_last && messages[chosen] == 1) begin
                            actives <= actives - 1;
                            for (int i = 0; i < LINKS - 1; i++)
                                if (i >= int'(chosen_at)) active[i] <= active[i + 1];
                        end
                    end
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
                    in_report <= rx_feedback;
                    state <= STORE;
                end
                default: begin
                    if (waited == PROPAGATION) begin
                        // A cell at its destination joins no queue there.
                        if (sent[on][last] != NONE && !joins(on, sent[on][last])) begin
                            throttle[on][sent[on][last]] <= FREE;
                            wait_for[on][sent[on][last]] <= '0;
                        end
                        // A second report on a queue does not free a flow that awaits the first one on a later cell.
                        if (reported_to != NONE && (reported == 0 || throttle[on][reported_to] == FREE || `BUG(5))) begin
                            throttle[on][reported_to] <= FREE;
                            wait_for[on][reported_to] <= (in_report > 64'(served)) ? 32'(in_report) - served : '0;
                        end
                        for (int t = 1; t < LAST; t++) joined[on][t] <= joined[on][t - 1];
                        joined[on][0] <= is_passing ? to : NONE;
                        if (is_passing) begin
                            queue[to][(oldest[to] + length[to]) % NODES] <= '{sent_slot: in_route[63:32],
                                source: in_route[31:16], destination: in_route[15:0], cell_word: in_cell};
                            length[to] <= length[to] + 1;
                            if (length[to] == NODES) overflow_out <= 1'b1;
                        end
                        from <= next(from);
                    end else begin
                        waited <= waited + 1;
                    end
                    link <= next(link);
                    slot <= slot + 1;
                    state <= IDLE;
                end
            endcase
        end
    end
endmodule

`default_nettype wire
