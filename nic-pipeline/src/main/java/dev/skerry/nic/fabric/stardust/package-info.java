/**
 * Stardust (spec/stardust): Fabric Adapters with credits and reassembly, Fabric Elements that forward cells, and {@link
 * dev.skerry.nic.fabric.stardust.StardustEngine}, which steps them.
 *
 * <p>In the order a cell meets them: {@code PacedHosts} or a flow's start fill the queues of {@code Ingress}, {@code
 * Control} carries their requests to an {@code EgressScheduler} and its credits back, {@code Bursts} cuts what a credit
 * releases into cells of two words ({@code StardustCell}), {@code Forwarding} says which link each takes, {@code
 * Devices} with {@code LinkQueues} moves it over {@code Pipes} from device to device, {@code Egress} puts it back in
 * order and hands whole packets to {@code HostPorts}. A {@code StardustBank} has the devices of one worker. Where
 * things fail, {@code StardustReach} sends and hears reachability messages, {@code ReachTable} is what a device makes
 * of them, and {@code Wires} loses cells.
 */
package dev.skerry.nic.fabric.stardust;
