/** The commands about the papers: {@code figures} and {@code resources}. Nothing imports this package. */
package dev.skerry.tools.papers;
