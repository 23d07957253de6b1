/**
 * Hardware beside the Java models: what C, C++ and SystemVerilog call, and {@code skerry cosim}, which calls them.
 *
 * <p>A {@link dev.skerry.tools.cosim.Twin} is a model whose steps are rows of 64-bit words, the same rows in both
 * directions, and {@link dev.skerry.tools.cosim.Description} makes one from a line of text. C steps it through
 * {@link dev.skerry.tools.cosim.ModelHandle} (tools/cosim/c/skerry.h draws the rows). The other way,
 * {@link dev.skerry.tools.cosim.CosimCommand} loads a verilated model (tools/cosim/model/skerry_model.h), feeds both
 * the same rows and shrinks a sequence they differ on.
 */
package dev.skerry.tools.cosim;
