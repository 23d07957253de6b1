/**
 * What all fabrics have in common where a node of another design is followed: every legal choice of it is
 * taken over, every breach of a law is a finding, and the model goes on (docs/rtl.md).
 */
package dev.skerry.nic.follow;
