/**
 * The command line.
 */
package dev.skerry.tools;
