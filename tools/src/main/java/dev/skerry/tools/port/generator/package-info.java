/**
 * A packet generator that measures, as a port: {@link dev.skerry.tools.port.generator.GeneratorPort}, told what to do
 * by {@link dev.skerry.tools.port.generator.GeneratorSettings}.
 *
 * <p>Every packet is Ethernet, IPv4 and UDP with right check sums, and carries flow, sequence number, time and a check
 * of its own; {@code ProbeLayout} says where. {@code Pacer} says when the next is due, {@code SizeSource} how long it
 * is, {@code FlowTemplates} what it has in common with the others of its flow, and {@code ProbeWriter} writes it.
 * {@code ProbeReader} checks what comes back, and a {@code FlowMeter} a flow keeps account of it: a
 * {@link dev.skerry.tools.port.generator.GeneratorReport}. Time is a clock that is passed in and chance a seed, so the
 * same settings give the same packets.
 */
package dev.skerry.tools.port.generator;
