/**
 * Workloads: flow traces and seeded generators.
 */
package dev.skerry.tools.traffic;
