/**
 * Stardust (docs/spec/stardust.md): Fabric Adapters with credits and reassembly, Fabric Elements that forward cells,
 * and {@link dev.skerry.nic.stardust.StardustEngine} and {@link dev.skerry.nic.stardust.StardustThreads}, which step
 * them.
 *
 * <p>Read the packages in the order a cell meets them: {@code fabric} describes a fabric, {@code host} makes packets,
 * {@code adapter} queues them until {@code credit} releases them and cuts them into cells, {@code reach} says which
 * links lead to an adapter, {@code element} moves cells from link to link, and {@code adapter} and {@code host} take
 * them out.
 *
 * <p>Here they are put together. A {@code StardustBank} has the devices of one worker of lock step; with threads, one
 * element or some adapters; it hears control messages and puts the cells that credits release on links. {@code
 * StardustRun} builds banks and what they share ({@code StardustShared}), finds the end of a run and sums it up. A
 * {@code StardustAgent} goes on with its bank as far as its {@link dev.skerry.dataplane.circuit.SlotGate} lets it.
 */
package dev.skerry.nic.stardust;
