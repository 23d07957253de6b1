/** What constructors check of their arguments, and laws of runs. */
package dev.skerry.schedule.check;
