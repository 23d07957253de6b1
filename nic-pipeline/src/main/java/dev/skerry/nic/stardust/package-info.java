/**
 * Stardust (docs/spec/stardust.md): Fabric Adapters with credits and reassembly, Fabric Elements that forward cells,
 * and {@link dev.skerry.nic.stardust.StardustEngine} and {@link dev.skerry.nic.stardust.StardustThreads}, which step
 * them.
 *
 * <p>In the order a cell meets them: {@code PacedHosts} or a flow's start fill the queues of {@code AdapterIngress},
 * {@code
 * Control} and {@code ControlIntake} carry their requests to an {@code EgressScheduler} and its credits back, {@code
 * Bursts} cuts what a credit releases into cells of two words ({@code StardustCell}), {@code ForwardingTable} says
 * which
 * link each takes, {@code LinkForwarder} with {@code LinkQueues} moves it over {@code Pipes} from device to device,
 * {@code
 * Egress} puts it back in order and hands whole packets to {@code HostPorts}. Hosts that speak TCP ({@code RenoHosts}
 * with {@code RenoSender} and {@code RenoReceiver}) decide as they go what packets there are, so these stand in {@code
 * SentPackets}. Where things fail, {@code StardustReach} sends and hears reachability messages, {@code ReachTable} is
 * what a device makes of them, and {@code Wires} loses cells.
 *
 * <p>A {@code StardustBank} has the devices of one worker of lock step; with threads, one element or some adapters. A
 * {@code StardustAgent} goes on with it as far as its {@link dev.skerry.dataplane.circuit.SlotGate} lets it, to an
 * {@code RunEnd} that all find by themselves.
 */
package dev.skerry.nic.stardust;
