package dev.skerry.bench;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The comparison of a benchmark class: {@code skerry bench} reads it to print how much faster our variant is than the
 * baselines.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Compare {
    /** The question of the benchmark in one line. */
    String question();

    /** What the result counts, in the singular; the table prints its time, CPU time and bytes for each one. */
    String unit();

    /** The parameter whose values are compared; empty if the methods of the class are compared. */
    String by() default "";

    /** Our variant. */
    String ours();

    /** The variants compared with ours; the printed ratio is to the fastest of them that was run. */
    String[] baselines();

    /** The counter of units, if the score counts calls and some calls do nothing; empty if each call is a unit. */
    String counter() default "";
}
