/**
 * What the cache lines of an engine cost on the machine it runs on: a probe over memory as large as the engine's, so
 * that a speed can be given as a multiple of the lower bound that these lines set.
 */
package dev.skerry.tools.roofline;
