/**
 * The resources and limits of Stardust, Shoal and a Shale end host by the formulas of the papers, without runs and
 * random numbers. {@link dev.skerry.tools.resources.NetworkPlan} counts devices and links,
 * {@link dev.skerry.tools.resources.CostModel} their cost and power; the other classes have one subject each.
 * {@link dev.skerry.tools.resources.ResourceTables} arranges all results in
 * {@link dev.skerry.tools.report.ResourceTable}s.
 */
package dev.skerry.tools.resources;
