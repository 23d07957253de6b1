/**
 * How cells cross Fabric Elements (docs/spec/stardust.md §4). {@code LinkForwarder} takes cells off {@code Pipes},
 * queues each in front of the link it takes ({@code LinkQueues}) and sends one per link and slot; {@code Pauses} hold
 * links back where queues must not overflow.
 */
package dev.skerry.nic.stardust.element;
