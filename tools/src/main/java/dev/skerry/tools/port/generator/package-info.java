/**
 * A packet generator that measures, as a port. {@link dev.skerry.tools.port.generator.GeneratorSettings} configure a
 * {@link dev.skerry.tools.port.generator.GeneratorPort}.
 *
 * <p>Every packet is Ethernet, IPv4 and UDP with correct checksums. It carries flow, sequence number, time and a check
 * of its own in the layout of {@code ProbeLayout}. To send, {@code Pacer} says when the next packet is due, {@code
 * SizeSource} draws its size, and {@code ProbeWriter} writes it. To receive, {@code ProbeReader} checks the packet, and
 * one {@code FlowMeter} per flow counts it for a {@link dev.skerry.tools.port.generator.GeneratorReport}. The clock and
 * the seed are arguments, so equal settings give equal packets.
 */
package dev.skerry.tools.port.generator;
