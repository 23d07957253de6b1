package dev.skerry.dataplane.memory;

import java.lang.reflect.AccessibleObject;

/** What belongs to the state of a model, and how its fields are reached. */
public interface StateAccess {
    /** Whether an object never changes and is the same in an equal model. */
    boolean isConstant(Object value);

    /**
     * Makes a field or constructor accessible. Only code of the module that declares it may, unless the module opens
     * its packages: a module with state implements this method by the same statement, and opens nothing.
     */
    default void open(final AccessibleObject member) {
        member.setAccessible(true);
    }
}
