/** Networks of packet switches as a fabric of the tools: their options, and what they make of them. */
package dev.skerry.tools.run.fattree;
