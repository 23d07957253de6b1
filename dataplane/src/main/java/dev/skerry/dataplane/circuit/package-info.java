/**
 * The slot clock that workers share, and the links cells travel on.
 */
package dev.skerry.dataplane.circuit;
