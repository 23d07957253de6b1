/** PIEO: the reference model and the fast form beside a tree map and a linear list. */
package dev.skerry.bench.queue;
