// Replays a trace of all ports (+trace=FILE) in skerry_pieo. Compares every port, the clocks and the number of sublists
// in use after every operation. Plain SystemVerilog for both Icarus and Verilator. Lines of the trace:
//   E id rank time | D now 0 0 | F id sublist 0, then: enqueued_in_sublist id rank time moved_id moved_to clocks used
`timescale 1ns/1ps

module pieo_replay_tb;
    parameter int LIST_SIZE = 64;

    logic        clk = 1'b0;
    logic        rst = 1'b1;
    wire         ready, full, refused, done, found, absent;
    logic        enqueue = 1'b0, dequeue = 1'b0, dequeue_f = 1'b0;
    logic [5:0]  id;
    logic [15:0] rank, send_time;
    logic [4:0]  sublist;
    wire  [5:0]  id_out;
    wire  [15:0] rank_out, time_out;
    wire  [4:0]  in_sublist, moved_to;
    wire  [6:0]  moved_id;

    always #1 clk = ~clk;

    skerry_pieo #(.LIST_SIZE(LIST_SIZE)) dut (
        .clk(clk), .rst(rst), .ready_out(ready), .full_out(full),
        .enqueue_in(enqueue), .dequeue_in(dequeue), .dequeue_f_in(dequeue_f),
        .id_in(id), .rank_in(rank), .time_in(send_time), .sublist_in(sublist), .refused_out(refused),
        .done_out(done), .found_out(found), .absent_out(absent),
        .id_out(id_out), .rank_out(rank_out), .time_out(time_out),
        .enqueued_in_sublist_out(in_sublist), .moved_id_out(moved_id), .moved_to_sublist_out(moved_to));

    reg [8*256-1:0] trace;
    reg [8*8-1:0]   kind;
    integer file, fields, lines, clocks;
    integer arg [0:2];
    integer want [0:7];
    integer got [0:7];
    integer i;
    reg     equal;

    initial begin
        if (!$value$plusargs("trace=%s", trace)) begin
            $display("pieo_replay_tb: +trace=FILE is missing");
            $stop;
        end
        file = $fopen(trace, "r");
        if (file == 0) begin
            $display("pieo_replay_tb: cannot read the trace");
            $stop;
        end
        repeat (3) @(negedge clk);
        rst = 1'b0;
        lines = 0;
        equal = 1'b1;
        fields = $fscanf(file, "%s %d %d %d %d %d %d %d %d %d %d %d\n", kind, arg[0], arg[1], arg[2],
            want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7]);
        while (fields == 12 && equal) begin
            lines = lines + 1;
            enqueue = kind[7:0] == "E";
            dequeue = kind[7:0] == "D";
            dequeue_f = kind[7:0] == "F";
            id = arg[0][5:0];
            rank = arg[1][15:0];
            send_time = enqueue ? arg[2][15:0] : arg[0][15:0];
            sublist = arg[1][4:0];
            @(negedge clk);
            enqueue = 1'b0;
            dequeue = 1'b0;
            dequeue_f = 1'b0;
            clocks = 2;
            while (!done && clocks < 100) begin
                @(negedge clk);
                clocks = clocks + 1;
            end
            got[0] = in_sublist;
            got[1] = id_out;
            got[2] = rank_out;
            got[3] = time_out;
            got[4] = moved_id;
            got[5] = moved_to;
            got[6] = clocks;
            @(negedge clk);
            got[7] = dut.used;
            for (i = 0; i < 8; i = i + 1)
                if (got[i] !== want[i]) equal = 1'b0;
            if (!equal)
                $display("line %0d differs: want %0d %0d %0d %0d %0d %0d %0d %0d, got %0d %0d %0d %0d %0d %0d %0d %0d",
                    lines, want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7],
                    got[0], got[1], got[2], got[3], got[4], got[5], got[6], got[7]);
            fields = $fscanf(file, "%s %d %d %d %d %d %d %d %d %d %d %d\n", kind, arg[0], arg[1], arg[2],
                want[0], want[1], want[2], want[3], want[4], want[5], want[6], want[7]);
        end
        if (equal && lines > 0) $display("%0d operations, all equal", lines);
        $finish;
    end
endmodule
