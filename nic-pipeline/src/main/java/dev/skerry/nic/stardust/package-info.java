/**
 * Stardust (docs/spec/stardust.md): Fabric Adapters with credits and reassembly, Fabric Elements that forward cells,
 * and {@link dev.skerry.nic.stardust.StardustEngine} and {@link dev.skerry.nic.stardust.StardustThreads}, which step
 * them.
 *
 * <p>Read the packages in the order a cell meets them: {@code fabric} describes a fabric, {@code host} makes packets,
 * {@code adapter} queues them until a credit releases them and cuts them into cells, {@code element} finds the links
 * that lead to an adapter and moves cells from link to link, and {@code adapter} and {@code host} take them out. {@code
 * switched} is the network of packet switches that the paper compares Stardust with.
 *
 * <p>Here they are put together. A {@code StardustBank} has the devices of one worker of lock step; with threads, one
 * element or some adapters; it hears control messages and puts the cells that credits release on links. {@code
 * StardustRun} builds banks and what they share ({@code StardustShared}), finds the end of a run and sums it up. A
 * {@code StardustAgent} goes on with its bank as far as its {@link dev.skerry.dataplane.circuit.SlotGate} lets it.
 */
package dev.skerry.nic.stardust;
