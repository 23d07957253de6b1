/**
 * How cells cross Fabric Elements (docs/spec/stardust.md §4). {@code PortArrivals} finds the ports that cells come to
 * over {@code Pipes}; {@code ElementIntake} takes them in, but for cells that {@code PortFaults} loses;
 * {@code LinkForwarder} queues each in front of its link ({@code LinkQueues}) and sends one per link and slot;
 * {@code Backpressure} and {@code Pauses} hold links back where queues must not overflow.
 */
package dev.skerry.nic.stardust.element;
