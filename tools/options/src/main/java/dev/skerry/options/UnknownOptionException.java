package dev.skerry.options;

import javax.lang.model.element.Element;

/** Something in an annotation that no code is made of. */
final class UnknownOptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Element where;

    UnknownOptionException(final Element where, final String what) {
        super(what);
        this.where = where;
    }

    Element where() {
        return where;
    }
}
