package dev.skerry.tools.trace;

import dev.skerry.nic.fabric.NodeProbes.Signal;

/**
 * Writes the SystemVerilog package for a file of {@link HexWriter}: the struct of a vector, the number of vectors and
 * the time of the first.
 */
public final class SvPackage {
    private SvPackage() {
    }

    /** Name of the package of a scope. */
    public static String nameOf(final Scope scope) {
        return scope.name() + "_pkg";
    }

    /**
     * Text of the package.
     *
     * @param scope   scope of the vectors.
     * @param file    name of the file of vectors.
     * @param vectors number of vectors.
     * @param first   time of the first vector.
     * @param unit    unit of time: slots or clocks.
     */
    public static String of(final Scope scope, final String file, final long vectors, final long first,
        final String unit) {
        final StringBuilder text = new StringBuilder("// Written by skerry trace. In a test bench:\n")
            .append("//   import ").append(nameOf(scope)).append("::*;\n")
            .append("//   logic [BITS-1:0] golden [0:VECTORS-1];\n")
            .append("//   initial $readmemh(FILE, golden);\n")
            .append("//   vector_t v; assign v = golden[i]; ... v.").append(scope.signals().getFirst().name())
            .append("\n// A signal that holds none is all ones. A route of all ones is a dummy, one less is nothing.\n")
            .append("package ").append(nameOf(scope)).append(";\n")
            .append("  localparam FILE = \"").append(file).append("\";\n")
            .append("  localparam int VECTORS = ").append(vectors).append(";\n")
            .append("  localparam longint FIRST = ").append(first).append(";  // ").append(unit).append('\n')
            .append("  localparam int BITS = ").append(scope.bits()).append(";\n")
            .append("  typedef struct packed {\n");
        for (final Signal signal : scope.signals()) {
            text.append("    logic ");
            if (signal.bits() > 1) {
                text.append('[').append(signal.bits() - 1).append(":0] ");
            }
            text.append(signal.name()).append(";\n");
        }
        return text.append("  } vector_t;\nendpackage\n").toString();
    }
}
