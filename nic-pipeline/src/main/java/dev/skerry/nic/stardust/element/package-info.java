/**
 * How cells cross the links between devices (docs/spec/stardust.md §4, §6). {@code StardustReach} keeps each device's
 * table of the adapters that its links lead to, {@code ForwardingTable} gives each cell one of them, in turn by {@code
 * SprayOrder}. {@code PortArrivals} finds the ports that cells come to over {@code Pipes}; {@code ElementIntake} takes
 * them in, but for cells that {@code PortFaults} loses; {@code LinkForwarder} queues each in front of its link and
 * sends one per link and slot; its {@code Backpressure} holds links back where queues must not overflow.
 */
package dev.skerry.nic.stardust.element;
