/**
 * What a Stardust fabric takes and gives, as closed formulas of the paper's appendices: no run, no random numbers.
 *
 * <p>{@link dev.skerry.tools.resources.NetworkPlan} counts devices and links, {@link
 * dev.skerry.tools.resources.CostModel} what they cost, {@link dev.skerry.tools.resources.CostModel.AreaPart} the
 * silicon. {@link dev.skerry.tools.resources.Parallelism} and {@link dev.skerry.tools.resources.CycleModel} are what
 * packing saves, {@link dev.skerry.tools.resources.Buffers} memory and credits, {@link
 * dev.skerry.tools.resources.QueueModel} the queue before a link, {@link dev.skerry.tools.resources.HealingModel} how
 * long the fabric takes to learn of a failure. {@link dev.skerry.tools.resources.ResourceTables} lays all of it out in
 * {@link dev.skerry.tools.report.ResourceTable}s.
 */
package dev.skerry.tools.resources;
