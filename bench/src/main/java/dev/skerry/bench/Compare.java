package dev.skerry.bench;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a benchmark class compares: {@code skerry bench} reads it to say how much faster ours is than the baselines. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface Compare {
    /** The question in one line. */
    String question();

    /** The parameter whose values are compared; empty if the methods of the class are. */
    String by() default "";

    /** Ours. */
    String ours();

    /** What ours is compared with; the ratio shown is to the fastest of them that was run. */
    String[] baselines();

    /** The counter to read instead of the score, which then counts calls; empty if the score itself is meant. */
    String counter() default "";
}
