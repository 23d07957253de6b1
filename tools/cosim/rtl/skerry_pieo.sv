// PIEO scheduler: inserts by rank, extracts the element of lowest rank whose send time has come
// (docs/spec/shale.md §6).
//
// Up to LIST_SIZE elements are stored in 2M sublists of M = ceil(sqrt(LIST_SIZE)) elements. A pointer array in
// registers keeps the sublists in order of rank. Of two neighbouring sublists in use at least one is full, so 2M
// sublists hold any M*M elements, and an operation touches only two sublists: the one it selects and one neighbour.
//
//   pointer array, entry 0 .. 2M-1        sublist memories, one word per sublist, two ports, read in one clock
//   +---------+-----+------+------+       +-----------+-----------+-----+-------------+
//   | sublist | num | rank | time |       | element 0 | element 1 | ... | element M-1 |  {id, rank, time}, by rank
//   +---------+-----+------+------+       +-----------+-----------+-----+-------------+
//   entries 0 .. used-1 in order of       | time 0    | time 1    | ... | time M-1    |  send times, ascending
//   rank, then the free ones              +-----------+-----------+-----+-------------+
//
// An operation is accepted in a clock with ready_out and one of the three requests; enqueue_in has priority over
// dequeue_in, and dequeue_in over dequeue_f_in. It takes four clocks, SELECT, FETCH, POSITION, WRITE; done_out is high
// in the last. A dequeue without an eligible element ends in FETCH. An invalid request is refused: refused_out is high
// in the same clock and the state does not change. Only an id that is absent from its sublist is detected later, in
// POSITION. The ports below done_out are valid with it; all ones of a port mean "none".
//
// Ranks and times of all ones mean "none" and are refused. Outputs name the sublists of inserted and moved elements, so
// that the user can track them; dequeue_f_in needs the sublist.
//
// Combinational blocks are always @*, because Icarus 11 makes always_comb sensitive to the locals of the functions it
// calls, and the block then never settles.
//
// PLANTED_* are defects for tests to find; a design does not define them.
`default_nettype none

module skerry_pieo #(
    parameter int LIST_SIZE = 64,
    parameter int ID_BITS   = 6,
    parameter int RANK_BITS = 16,
    parameter int TIME_BITS = 16,
    // Derived, do not override. ceil(sqrt(LIST_SIZE)) for up to 65,536 elements.
    parameter int M         = ceil_sqrt(LIST_SIZE),
    parameter int SUB_BITS  = $clog2(2 * M)
) (
    input  wire                  clk,
    input  wire                  rst,
    output wire                  ready_out,
    output wire                  full_out,

    input  wire                  enqueue_in,
    input  wire                  dequeue_in,
    input  wire                  dequeue_f_in,
    input  wire [ID_BITS-1:0]    id_in,
    input  wire [RANK_BITS-1:0]  rank_in,
    input  wire [TIME_BITS-1:0]  time_in,        // send time of an enqueue, current time of a dequeue
    input  wire [SUB_BITS:0]     sublist_in,     // sublist of the element for dequeue_f_in
    output wire                  refused_out,

    output wire                  done_out,
    output wire                  found_out,      // a dequeue extracted an element
    output wire                  absent_out,     // dequeue_f: the element is absent
    output wire [ID_BITS-1:0]    id_out,
    output wire [RANK_BITS-1:0]  rank_out,
    output wire [TIME_BITS-1:0]  time_out,
    output wire [SUB_BITS:0]     enqueued_in_sublist_out,
    output wire [ID_BITS:0]      moved_id_out,
    output wire [SUB_BITS:0]     moved_to_sublist_out
);
    function automatic int ceil_sqrt(input int n);
        ceil_sqrt = 1;
        while (ceil_sqrt * ceil_sqrt < n) ceil_sqrt = ceil_sqrt + 1;
    endfunction

    localparam int SUBS      = 2 * M;
    localparam int EB        = ID_BITS + RANK_BITS + TIME_BITS;
    localparam int NUM_BITS  = $clog2(M + 1);
    localparam int HELD_BITS = $clog2(LIST_SIZE + 1);
    localparam int POS_BITS  = (M > 1) ? $clog2(M) : 1;

    localparam logic [EB-1:0]        VACANT  = {{ID_BITS{1'b0}}, {(RANK_BITS + TIME_BITS){1'b1}}};
    localparam logic [TIME_BITS-1:0] NO_TIME = '1;
    localparam logic [RANK_BITS-1:0] NO_RANK = '1;

    localparam logic [1:0] SELECT   = 2'd0;
    localparam logic [1:0] FETCH    = 2'd1;
    localparam logic [1:0] POSITION = 2'd2;
    localparam logic [1:0] WRITE    = 2'd3;

    localparam logic [1:0] ENQUEUE   = 2'd0;
    localparam logic [1:0] DEQUEUE   = 2'd1;
    localparam logic [1:0] DEQUEUE_F = 2'd2;

    // Pointer array, one register per field.
    logic [SUBS-1:0][SUB_BITS-1:0]  ptr_sub;
    logic [SUBS-1:0][NUM_BITS-1:0]  ptr_num;
    logic [SUBS-1:0][RANK_BITS-1:0] ptr_rank;
    logic [SUBS-1:0][TIME_BITS-1:0] ptr_time;
    logic [SUB_BITS:0]              used;
    logic [HELD_BITS-1:0]           held;

    // Sublist memories and the words read last: port a for the selected sublist, b for its neighbour.
    logic [M-1:0][EB-1:0]        elements [0:SUBS-1];
    logic [M-1:0][TIME_BITS-1:0] times    [0:SUBS-1];
    logic [M-1:0][EB-1:0]        a_elements, b_elements;
    logic [M-1:0][TIME_BITS-1:0] a_times, b_times;

    // The current operation.
    logic [1:0]           state;
    logic [1:0]           op;
    logic [EB-1:0]        f;
    logic [TIME_BITS-1:0] now;
    logic [SUB_BITS-1:0]  a_at, b_at;      // entries of the pointer array
    logic [SUB_BITS-1:0]  a_sub, b_sub;    // their sublists
    logic [NUM_BITS-1:0]  b_num;
    logic                 spill;           // enqueue into a full sublist: an element becomes the head of b
    logic                 take_free;       // b is the first free entry and moves to a_at + 1
    logic                 refill;          // dequeue from a full sublist: b supplies an element
    logic                 b_right;         // b follows a
    logic                 nothing;         // dequeue: no sublist has an eligible element
    logic [POS_BITS:0]    position;        // in a: place of the inserted or extracted element; M: after all
    logic                 present;

    // verilator lint_off UNUSEDSIGNAL
    // Each of these functions uses one field of an element.
    function automatic logic [EB-1:0] element(
        input logic [ID_BITS-1:0] id, input logic [RANK_BITS-1:0] rank, input logic [TIME_BITS-1:0] send_time);
        element = {id, rank, send_time};
    endfunction

    function automatic logic [ID_BITS-1:0] id_of(input logic [EB-1:0] e);
        id_of = e[EB-1 -: ID_BITS];
    endfunction

    function automatic logic [RANK_BITS-1:0] rank_of(input logic [EB-1:0] e);
        rank_of = e[TIME_BITS +: RANK_BITS];
    endfunction

    function automatic logic [TIME_BITS-1:0] time_of(input logic [EB-1:0] e);
        time_of = e[TIME_BITS-1:0];
    endfunction
    // verilator lint_on UNUSEDSIGNAL

    // ---- SELECT: choose the sublists from the pointer array ----

    function automatic logic is_full(input logic [NUM_BITS-1:0] num);
        is_full = num == M[NUM_BITS-1:0];
    endfunction

    logic                enqueue_ok, dequeue_ok, dequeue_f_ok;
    logic [SUB_BITS-1:0] enqueue_at, dequeue_at, f_at;
    logic                dequeue_found, f_found;
    logic [SUB_BITS-1:0] at;
    logic                at_full, right_full, left_full, right_used;
    logic [SUB_BITS-1:0] next_at, left_at, free_at;
    logic [1:0]          op_in;

    assign full_out = held == LIST_SIZE[HELD_BITS-1:0];

    always @* begin
        // The last sublist that starts with the same or a lower rank; the first sublist if there is none.
        enqueue_at = '0;
        for (int i = 1; i < SUBS; i++)
`ifdef PLANTED_TIE_ORDER
            if (ptr_rank[i] < rank_in) enqueue_at = i[SUB_BITS-1:0];
`else
            if (ptr_rank[i] <= rank_in) enqueue_at = i[SUB_BITS-1:0];
`endif
        dequeue_at = '0;
        dequeue_found = 1'b0;
        f_at = '0;
        f_found = 1'b0;
        for (int i = SUBS - 1; i >= 0; i--) begin
            if (ptr_time[i] <= time_in) begin
                dequeue_at = i[SUB_BITS-1:0];
                dequeue_found = 1'b1;
            end
            if ({1'b0, ptr_sub[i]} == sublist_in && i[SUB_BITS:0] < used) begin
                f_at = i[SUB_BITS-1:0];
                f_found = 1'b1;
            end
        end
    end

    assign op_in        = enqueue_in ? ENQUEUE : dequeue_in ? DEQUEUE : DEQUEUE_F;
`ifdef PLANTED_FULL_FLAG
    assign enqueue_ok   = rank_in != NO_RANK && time_in != NO_TIME;
`else
    assign enqueue_ok   = rank_in != NO_RANK && time_in != NO_TIME && !full_out;
`endif
    assign dequeue_ok   = time_in != NO_TIME;
    assign dequeue_f_ok = f_found;
    assign refused_out  = ready_out && (enqueue_in   ? !enqueue_ok
                                      : dequeue_in   ? !dequeue_ok
                                      : dequeue_f_in ? !dequeue_f_ok : 1'b0);

    assign at         = op_in == ENQUEUE ? enqueue_at : op_in == DEQUEUE ? dequeue_at : f_at;
    assign at_full    = is_full(ptr_num[at]);
    assign next_at    = (at == SUB_BITS'(SUBS - 1)) ? at : at + 1'b1;
    assign left_at    = (at == '0) ? at : at - 1'b1;
    assign right_full = is_full(ptr_num[next_at]);
    assign right_used = ({1'b0, at} + 1'b1) < used;
    assign left_full  = is_full(ptr_num[left_at]);
    assign free_at    = used[SUB_BITS-1:0];

    // ---- POSITION: compare with the elements of the sublist ----

    logic [POS_BITS:0] insert_at, eligible_at, id_at;
    logic              id_present;

    always @* begin
        insert_at = M[POS_BITS:0];
        eligible_at = '0;
        id_at = '0;
        id_present = 1'b0;
        for (int j = M - 1; j >= 0; j--) begin
            if (rank_of(a_elements[j]) > rank_of(f)) insert_at = j[POS_BITS:0];
            if (time_of(a_elements[j]) <= now) eligible_at = j[POS_BITS:0];
            // An element may have id 0 like a vacant slot; the time tells them apart.
            if (id_of(a_elements[j]) == id_of(f) && time_of(a_elements[j]) != NO_TIME) begin
                id_at = j[POS_BITS:0];
                id_present = 1'b1;
            end
        end
    end

    // ---- WRITE: update both sublists and the pointer array ----

    function automatic logic [M-1:0][EB-1:0] insert_element(
        input logic [M-1:0][EB-1:0] list, input logic [POS_BITS:0] where, input logic [EB-1:0] e);
        for (int j = 0; j < M; j++)
            insert_element[j] = (j[POS_BITS:0] < where) ? list[j] : (j[POS_BITS:0] == where) ? e : list[(j > 0) ? j - 1 : 0];
    endfunction

    function automatic logic [M-1:0][EB-1:0] remove_element(
        input logic [M-1:0][EB-1:0] list, input logic [POS_BITS:0] where);
        for (int j = 0; j < M; j++)
            remove_element[j] = (j[POS_BITS:0] < where) ? list[j] : (j + 1 < M) ? list[(j + 1 < M) ? j + 1 : j] : VACANT;
    endfunction

    function automatic logic [M-1:0][TIME_BITS-1:0] insert_time(
        input logic [M-1:0][TIME_BITS-1:0] list, input logic [TIME_BITS-1:0] t);
        for (int j = 0; j < M; j++)
            insert_time[j] = (list[j] <= t) ? list[j] : (j == 0 || list[(j > 0) ? j - 1 : 0] <= t) ? t : list[(j > 0) ? j - 1 : 0];
    endfunction

    function automatic logic [M-1:0][TIME_BITS-1:0] remove_time(
        input logic [M-1:0][TIME_BITS-1:0] list, input logic [TIME_BITS-1:0] t);
        // Times ascend: entries below t stay, and one t is removed.
        for (int j = 0; j < M; j++)
            remove_time[j] = (list[j] < t) ? list[j] : (j + 1 < M) ? list[(j + 1 < M) ? j + 1 : j] : NO_TIME;
    endfunction

    logic [EB-1:0]               moved, extracted;
    logic                        moving;
    logic [POS_BITS:0]           b_last;
    logic [M-1:0][EB-1:0]        a_elements_next, b_elements_next;
    logic [M-1:0][TIME_BITS-1:0] a_times_next, b_times_next;
    logic                        behind_all;     // f itself becomes the head of b
    logic [NUM_BITS-1:0]         a_num_next, b_num_next;

    assign behind_all = position == M[POS_BITS:0];
    assign extracted  = a_elements[position[POS_BITS-1:0]];
    assign b_last     = (POS_BITS + 1)'(b_num) - 1'b1;
    assign moving     = op == ENQUEUE ? spill && !behind_all : refill;
    assign moved      = op == ENQUEUE ? a_elements[M-1]
                      : b_right       ? b_elements[0]
                                      : b_elements[b_last[POS_BITS-1:0]];

    always @* begin
        a_elements_next = a_elements;
        a_times_next = a_times;
        b_elements_next = b_elements;
        b_times_next = b_times;
        a_num_next = ptr_num[a_at];
        b_num_next = b_num;
        if (op == ENQUEUE) begin
            if (!behind_all || !spill) begin
                a_elements_next = insert_element(a_elements, position, f);
                a_times_next = insert_time(spill ? remove_time(a_times, time_of(moved)) : a_times, time_of(f));
                if (!spill) a_num_next = ptr_num[a_at] + 1'b1;
            end
            if (spill) begin
                b_elements_next = insert_element(b_elements, '0, behind_all ? f : moved);
                b_times_next = insert_time(b_times, time_of(behind_all ? f : moved));
                b_num_next = b_num + 1'b1;
            end
        end else begin
            a_elements_next = remove_element(a_elements, position);
            a_times_next = remove_time(a_times, time_of(extracted));
            if (refill) begin
                a_elements_next = insert_element(a_elements_next, b_right ? (POS_BITS + 1)'(M - 1) : '0, moved);
                a_times_next = insert_time(a_times_next, time_of(moved));
                b_elements_next = remove_element(b_elements, b_right ? '0 : b_last);
                b_times_next = remove_time(b_times, time_of(moved));
                b_num_next = b_num - 1'b1;
            end else begin
                a_num_next = ptr_num[a_at] - 1'b1;
            end
        end
    end

    // New value of entry i: first the new a and b in place, then a free entry taken or returned.
    logic [SUBS-1:0][SUB_BITS-1:0]  sub_next;
    logic [SUBS-1:0][NUM_BITS-1:0]  num_next;
    logic [SUBS-1:0][RANK_BITS-1:0] rank_next;
    logic [SUBS-1:0][TIME_BITS-1:0] time_next;
    logic [SUB_BITS:0]              used_next;
    logic [SUB_BITS-1:0]            freed_at;
    logic                           freeing;
    logic                           b_written;

    assign b_written = op == ENQUEUE ? spill : refill;
    assign freeing   = op != ENQUEUE && (refill ? b_num_next == '0 : a_num_next == '0);
    assign freed_at  = refill ? b_at : a_at;

    function automatic logic [SUB_BITS:0] larger(input logic [SUB_BITS:0] x, input logic [SUB_BITS:0] y);
        larger = x > y ? x : y;
    endfunction

    always @* begin
        sub_next = ptr_sub;
        num_next = ptr_num;
        rank_next = ptr_rank;
        time_next = ptr_time;
        used_next = used;
        num_next[a_at] = a_num_next;
        rank_next[a_at] = rank_of(a_elements_next[0]);
        time_next[a_at] = a_times_next[0];
        if (b_written && !take_free) begin
            num_next[b_at] = b_num_next;
            rank_next[b_at] = rank_of(b_elements_next[0]);
            time_next[b_at] = b_times_next[0];
        end
        if (op == ENQUEUE) begin
            if (take_free) begin
                for (int i = SUBS - 1; i > 0; i--)
                    if (i[SUB_BITS:0] <= used && i[SUB_BITS-1:0] > a_at) begin
                        if (i[SUB_BITS-1:0] == a_at + 1'b1) begin
                            sub_next[i] = b_sub;
                            num_next[i] = b_num_next;
                            rank_next[i] = rank_of(b_elements_next[0]);
                            time_next[i] = b_times_next[0];
                        end else begin
                            sub_next[i] = ptr_sub[i-1];
                            num_next[i] = ptr_num[i-1];
                            rank_next[i] = ptr_rank[i-1];
                            time_next[i] = ptr_time[i-1];
                        end
                    end
                used_next = used + 1'b1;
            end else begin
                used_next = larger(used, {1'b0, spill ? b_at : a_at} + 1'b1);
            end
        end else if (freeing) begin
            for (int i = 0; i < SUBS; i++)
                if (i[SUB_BITS:0] + 1'b1 == used) begin
`ifdef PLANTED_SUBLIST_POINTER
                    sub_next[i] = ptr_sub[i];
`else
                    sub_next[i] = ptr_sub[freed_at];
`endif
                    num_next[i] = '0;
                    rank_next[i] = NO_RANK;
                    time_next[i] = NO_TIME;
                end else if (i[SUB_BITS-1:0] >= freed_at && i[SUB_BITS:0] < used && i + 1 < SUBS) begin
                    // The entry that moves down may be a, with its new values, because a_at can follow the freed entry.
                    sub_next[i] = ptr_sub[(i + 1 < SUBS) ? i + 1 : i];
                    num_next[i] = (i[SUB_BITS-1:0] + 1'b1 == a_at) ? a_num_next : ptr_num[(i + 1 < SUBS) ? i + 1 : i];
                    rank_next[i] = (i[SUB_BITS-1:0] + 1'b1 == a_at)
                        ? rank_of(a_elements_next[0]) : ptr_rank[(i + 1 < SUBS) ? i + 1 : i];
                    time_next[i] = (i[SUB_BITS-1:0] + 1'b1 == a_at)
                        ? a_times_next[0] : ptr_time[(i + 1 < SUBS) ? i + 1 : i];
                end
            used_next = used - 1'b1;
        end
    end

    // ---- Ports ----

    logic answering;
    assign answering  = state == WRITE && (op == ENQUEUE || present);
    assign ready_out  = state == SELECT && !rst;
    assign done_out   = state == WRITE || (state == FETCH && nothing);
    assign found_out  = state == WRITE && op != ENQUEUE && present;
    assign absent_out = state == WRITE && op != ENQUEUE && !present;
    assign id_out     = found_out ? id_of(extracted) : '1;
    assign rank_out   = found_out ? rank_of(extracted) : '1;
    assign time_out   = found_out ? time_of(extracted) : '1;
    assign enqueued_in_sublist_out = state == WRITE && op == ENQUEUE
        ? {1'b0, spill && behind_all ? b_sub : a_sub} : '1;
    assign moved_id_out         = answering && moving ? {1'b0, id_of(moved)} : '1;
    assign moved_to_sublist_out = answering && moving ? {1'b0, op == ENQUEUE ? b_sub : a_sub} : '1;

    // ---- Registers ----

    always_ff @(posedge clk) begin
        if (rst) begin
            state <= SELECT;
            used <= '0;
            held <= '0;
            for (int i = 0; i < SUBS; i++) begin
                ptr_sub[i] <= i[SUB_BITS-1:0];
                ptr_num[i] <= '0;
                ptr_rank[i] <= NO_RANK;
                ptr_time[i] <= NO_TIME;
            end
        end else begin
            case (state)
                SELECT: if ((enqueue_in || dequeue_in || dequeue_f_in) && !refused_out) begin
                    state <= FETCH;
                    op <= op_in;
                    f <= element(id_in, rank_in, time_in);
                    now <= time_in;
                    a_at <= at;
                    a_sub <= ptr_sub[at];
                    spill <= op_in == ENQUEUE && at_full;
                    take_free <= op_in == ENQUEUE && at_full && right_full;
                    refill <= op_in != ENQUEUE && at_full && ((right_used && !right_full) || (at != '0 && !left_full));
                    b_right <= right_used && !right_full;
                    nothing <= op_in == DEQUEUE && !dequeue_found;
                    if (op_in == ENQUEUE) begin
                        b_at <= right_full ? free_at : next_at;
                        b_sub <= right_full ? ptr_sub[free_at] : ptr_sub[next_at];
                        b_num <= right_full ? '0 : ptr_num[next_at];
                    end else begin
                        b_at <= right_used && !right_full ? next_at : left_at;
                        b_sub <= right_used && !right_full ? ptr_sub[next_at] : ptr_sub[left_at];
                        b_num <= right_used && !right_full ? ptr_num[next_at] : ptr_num[left_at];
                    end
                end
                FETCH: state <= nothing ? SELECT : POSITION;
                POSITION: begin
                    state <= WRITE;
                    position <= op == ENQUEUE ? insert_at : op == DEQUEUE ? eligible_at : id_at;
                    present <= op == DEQUEUE || id_present;
                end
                WRITE: begin
                    state <= SELECT;
                    if (op == ENQUEUE || present) begin
                        ptr_sub <= sub_next;
                        ptr_num <= num_next;
                        ptr_rank <= rank_next;
                        ptr_time <= time_next;
                        used <= used_next;
                        held <= op == ENQUEUE ? held + 1'b1 : held - 1'b1;
                    end
                end
                default: state <= SELECT;
            endcase
        end
    end

    // The memory of a free sublist is stale: reading it must return vacant slots.
    always_ff @(posedge clk) begin
        if (state == FETCH) begin
            a_elements <= ptr_num[a_at] == '0 ? {M{VACANT}} : elements[a_sub];
            a_times <= ptr_num[a_at] == '0 ? {M{NO_TIME}} : times[a_sub];
            b_elements <= b_num == '0 ? {M{VACANT}} : elements[b_sub];
            b_times <= b_num == '0 ? {M{NO_TIME}} : times[b_sub];
        end
        if (state == WRITE && (op == ENQUEUE || present) && !rst) begin
            elements[a_sub] <= a_elements_next;
            times[a_sub] <= a_times_next;
            if (b_written) begin
                elements[b_sub] <= b_elements_next;
                times[b_sub] <= b_times_next;
            end
        end
    end
endmodule

`default_nettype wire
