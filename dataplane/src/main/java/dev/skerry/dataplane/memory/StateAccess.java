package dev.skerry.dataplane.memory;

import java.lang.reflect.AccessibleObject;

/** Defines what belongs to the state of a model, and gives access to its fields. */
public interface StateAccess {
    /** Whether an object never changes and is the same in an equal model. */
    boolean isConstant(Object value);

    /**
     * Makes a field or constructor accessible. Unless a module opens its packages, only its own code may do this: a
     * module with state implements this method with the same statement, and opens nothing.
     */
    default void open(final AccessibleObject member) {
        member.setAccessible(true);
    }
}
