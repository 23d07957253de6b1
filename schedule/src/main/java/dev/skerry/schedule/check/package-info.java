/** What constructors check of their arguments. */
package dev.skerry.schedule.check;
