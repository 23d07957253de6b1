// Compares skerry_pieo with the Java PIEO: random operations, with every port and the number of clocks compared after
// each. The bench tracks the sublists of elements through the ports, like a user.   +operations=N +seed=N
`timescale 1ns/1ps

module pieo_dpi_tb;
    parameter int LIST_SIZE = 64;
    parameter int ID_BITS   = 7;   // more ids than places, so that an enqueue can meet a full PIEO
    localparam int SUB_BITS = $clog2(2 * $rtoi($ceil($sqrt(1.0 * LIST_SIZE))));

    import "DPI-C" function chandle skerry_open(input string description);
    import "DPI-C" function int skerry_step(input chandle model, input longint in[5], output longint out[8]);
    import "DPI-C" function int skerry_close(input chandle model);
    import "DPI-C" function string skerry_error();
    import "DPI-C" function real bench_processor_seconds();

    logic                clk = 1'b0, rst = 1'b1;
    wire                 ready, full, refused, done, found, absent;
    logic                enqueue = 1'b0, dequeue = 1'b0, dequeue_f = 1'b0;
    logic [ID_BITS-1:0]  id = '0;
    logic [15:0]         rank = '0, send_time = '0;
    logic [SUB_BITS:0]   sublist = '0;
    wire  [ID_BITS-1:0]  id_out;
    wire  [15:0]         rank_out, time_out;
    wire  [SUB_BITS:0]   in_sublist, moved_to;
    wire  [ID_BITS:0]    moved_id;

    always #1 clk = ~clk;

    skerry_pieo #(.LIST_SIZE(LIST_SIZE), .ID_BITS(ID_BITS)) dut (
        .clk(clk), .rst(rst), .ready_out(ready), .full_out(full),
        .enqueue_in(enqueue), .dequeue_in(dequeue), .dequeue_f_in(dequeue_f),
        .id_in(id), .rank_in(rank), .time_in(send_time), .sublist_in(sublist), .refused_out(refused),
        .done_out(done), .found_out(found), .absent_out(absent),
        .id_out(id_out), .rank_out(rank_out), .time_out(time_out),
        .enqueued_in_sublist_out(in_sublist), .moved_id_out(moved_id), .moved_to_sublist_out(moved_to));

    chandle            model;
    longint            in[5], want[8], got[8];
    longint            operations, made, refusals, nothings, moves;
    int                seed, code, clocks;
    bit                growing;
    bit                held[2**ID_BITS];
    bit [SUB_BITS:0]   where[2**ID_BITS];
    real               began, took;

    // xorshift: one call per operation; each choice uses some of its bits.
    bit [63:0] state;
    function automatic bit [63:0] random();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        random = state;
    endfunction

    task automatic choose();
        bit [63:0] r;
        r = random();
        id = r[ID_BITS-1:0];
        // Half of the ranks and times come from a small range, so that ties are common.
        rank = r[63] ? {13'b0, r[22:20]} : r[35:20] - (r[35:20] == 16'hFFFF ? 16'd1 : 16'd0);
        send_time = r[62] ? {13'b0, r[42:40]} : r[55:40] - (r[55:40] == 16'hFFFF ? 16'd1 : 16'd0);
        enqueue = !held[id] && r[61:59] < (growing ? 3'd6 : 3'd3);
        dequeue_f = !enqueue && held[id] && r[58:57] == 2'd0;
        // Of simultaneous requests the enqueue wins.
        dequeue = !dequeue_f && (!enqueue || r[56]);
        sublist = where[id];
        if (full) growing = 1'b0;
        else if (nothings[3:0] == 4'd15) growing = 1'b1;
    endtask

    task automatic stop(input string why);
        $display("pieo: operation %0d (seed %0d): %s", made, seed, why);
        $display("  in  requests %0d id %0d rank %0d time %0d sublist %0d", in[0], in[1], in[2], in[3], in[4]);
        $display("  model %0d %0d %0d %0d %0d %0d %0d %0d", want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7]);
        $display("  RTL   %0d %0d %0d %0d %0d %0d %0d %0d", got[0], got[1], got[2], got[3], got[4], got[5], got[6], got[7]);
        $fatal(1);
    endtask

    initial begin
        if (!$value$plusargs("operations=%d", operations)) operations = 1000000;
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        state = 64'h9E3779B97F4A7C15 ^ 64'(seed);
        model = skerry_open($sformatf("pieo capacity=%0d idBits=%0d", LIST_SIZE, ID_BITS));
        if (model == null) begin
            $display("pieo: no model: %s", skerry_error());
            $fatal(1);
        end
        repeat (3) @(negedge clk);
        rst = 1'b0;
        growing = 1'b1;
        began = bench_processor_seconds();
        for (made = 1; made <= operations; made++) begin
            choose();
            in = '{longint'({dequeue_f, dequeue, enqueue}), longint'(id), longint'(rank), longint'(send_time), longint'(sublist)};
            if (skerry_step(model, in, want) != 0) stop(skerry_error());
            #0.5 got[0] = refused ? -1 : 1;
            clocks = refused ? 0 : 1;
            if (!refused) begin
                @(negedge clk);
                clocks = 2;
                enqueue = 1'b0;
                dequeue = 1'b0;
                dequeue_f = 1'b0;
                while (!done && clocks < 10) begin
                    @(negedge clk);
                    clocks++;
                end
                got[0] = absent ? -5 : in[0][0] || found ? 1 : 0;
            end
            got[1] = longint'(id_out);
            got[2] = longint'(rank_out);
            got[3] = longint'(time_out);
            got[4] = longint'(in_sublist);
            got[5] = longint'(moved_id);
            got[6] = longint'(moved_to);
            got[7] = longint'(clocks);
            if (got != want) stop("differs");
            if (got[0] < 0) refusals++;
            if (got[0] == 0) nothings++;
            if (in[0][0] && got[0] == 1) begin
                held[in[1][ID_BITS-1:0]] = 1'b1;
                where[in[1][ID_BITS-1:0]] = in_sublist;
            end else if (found) begin
                held[id_out] = 1'b0;
            end
            if (moved_id != '1) begin
                where[moved_id[ID_BITS-1:0]] = moved_to;
                moves++;
            end
            @(negedge clk);
        end
        took = bench_processor_seconds() - began;
        if (refusals == 0 || nothings == 0 || moves == 0) stop("too few cases: no refusal, no miss or no move");
        $display("pieo: %0d operations, all equal (%0d refused, %0d found nothing, %0d moved an element), %0.0f operations/s",
            operations, refusals, nothings, moves, operations / took);
        if (skerry_close(model) != 0) $fatal(1);
        $finish;
    end
endmodule
