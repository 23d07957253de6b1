/**
 * Cost of an engine's cache lines on the machine it runs on. A probe touches memory as large as the engine's. No engine
 * with these lines can be faster, so its speed is reported as a multiple of this bound.
 */
package dev.skerry.tools.roofline;
