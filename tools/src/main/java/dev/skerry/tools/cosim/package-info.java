/**
 * Co-simulation of hardware with the Java models: the interface for C, C++ and SystemVerilog, and {@code skerry cosim}.
 *
 * <p>A {@link dev.skerry.tools.cosim.Twin} is a model with rows of 64-bit words as inputs and outputs. A {@link
 * dev.skerry.tools.cosim.Description} creates one from a line of text. C calls it through {@link
 * dev.skerry.tools.cosim.ModelHandle} (tools/cosim/c/skerry.h documents the rows). In the other direction, {@link
 * dev.skerry.tools.cosim.CosimCommand} loads a verilated model (tools/cosim/model/skerry_model.h), feeds both models
 * the same rows and shrinks a sequence on which they differ.
 */
package dev.skerry.tools.cosim;
