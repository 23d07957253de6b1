// A fabric of nine skerry_shale_node with the assertions of a bind file; the Java models are not called.
//   +slots=N         slots
`timescale 1ns/1ps
`include "sv/skerry_scoreboard.svh"

module node_laws_tb;
    import skerry::*;
    `include "bench/node_fabric.svh"

    initial begin
        longint slots;
        if (!$value$plusargs("slots=%d", slots)) slots = 10000;
        reset();
        for (longint s = 0; s < slots; s++) begin
            send(s);
            receive(s);
        end
        $display("laws: %0d slots, %0d cells", slots, cells);
        $finish;
    end
endmodule
