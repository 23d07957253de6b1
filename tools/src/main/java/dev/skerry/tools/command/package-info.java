/**
 * The command line. {@link dev.skerry.tools.command.Skerry} is the main class; each command is a class that parses
 * options, calls other packages and prints the results. Commands of larger subjects, such as {@code live}, {@code
 * sweep} and {@code cosim}, are in the packages of these subjects. Apart from tests, no other package imports this one.
 */
package dev.skerry.tools.command;
