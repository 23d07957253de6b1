/**
 * The command line: {@link dev.skerry.tools.command.Skerry} is the main class, and each command is a class that reads
 * options, calls other packages and prints the results. The commands {@code live}, {@code stat} and {@code cosim} are
 * in the packages that they drive. No other package imports this one.
 */
package dev.skerry.tools.command;
