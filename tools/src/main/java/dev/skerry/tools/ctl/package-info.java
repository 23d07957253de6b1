/**
 * Control of a running dataplane over a Unix socket. {@link dev.skerry.tools.ctl.CtlCommand} sends an order, and a
 * {@link dev.skerry.tools.ctl.ControlSocket} parses it as an {@link dev.skerry.tools.ctl.Order} for its dispatcher. An
 * order is a line of text. The answer is a line, {@code ok} or {@code error} with the reason, followed after {@code ok}
 * by the requested data.
 */
package dev.skerry.tools.ctl;
