package dev.skerry.nic.engine;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * {@code mvn verify} runs every {@link #value}th row of the parameterised tests so marked, from the first on;
 * {@code -Dskerry.test.rows=all} runs all of them, as in {@code .ci/long tests}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(Sampled.Rows.class)
@SuppressWarnings("exports")
public @interface Sampled {
    /** Rows of which one runs. */
    int value() default 3;

    /** Skips the other rows. */
    final class Rows implements ExecutionCondition {
        private static final String INVOCATION = "[test-template-invocation:#";

        /** Made by JUnit. */
        Rows() {
        }

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(final ExtensionContext context) {
            final String id = context.getUniqueId();
            final int at = id.lastIndexOf(INVOCATION);
            if (at < 0 || "all".equals(System.getProperty("skerry.test.rows"))) {
                return ConditionEvaluationResult.enabled("not a row, or all of them");
            }
            final int row = Integer.parseInt(id.substring(at + INVOCATION.length(), id.indexOf(']', at)));
            final Sampled of = context.getRequiredTestMethod().isAnnotationPresent(Sampled.class)
                ? context.getRequiredTestMethod().getAnnotation(Sampled.class)
                : context.getRequiredTestClass().getAnnotation(Sampled.class);
            return (row - 1) % of.value() == 0 ? ConditionEvaluationResult.enabled("")
                : ConditionEvaluationResult.disabled("runs with -Dskerry.test.rows=all");
        }
    }
}
