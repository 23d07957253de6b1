/**
 * The command line: {@link dev.skerry.tools.command.Skerry} is the main class, and a command is one class. It reads
 * options, calls the packages below and prints what they return. {@code live}, {@code stat} and {@code cosim} keep
 * their command beside what it drives; every other command is here. Nothing imports this package.
 */
package dev.skerry.tools.command;
