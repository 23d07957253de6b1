package dev.skerry.tools.plot;

import java.io.StringWriter;
import java.util.List;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a page that is both HTML and well-formed XML; the JDK's stream writer escapes text and closes elements.
 * Attributes are given as name, value, name, value. One thread.
 */
public final class Markup {
    private final StringWriter text = new StringWriter(1 << 16);
    private final XMLStreamWriter out;

    /** Creates an empty page. */
    public Markup() {
        try {
            out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A part of the page; writing to a string cannot fail. */
    @FunctionalInterface
    private interface Part {
        void write() throws XMLStreamException;
    }

    private Markup add(final Part part) {
        try {
            part.write();
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds the document type of HTML 5. */
    public Markup doctype() {
        return add(() -> {
            out.writeDTD("<!DOCTYPE html>");
            out.writeCharacters("\n");
        });
    }

    /** Opens an element, to be closed. */
    public Markup open(final String name, final String... attributes) {
        return add(() -> {
            out.writeStartElement(name);
            attributes(attributes);
        });
    }

    /** Closes the most recently opened element. */
    public Markup close() {
        return add(out::writeEndElement);
    }

    /** Adds an element that is empty in HTML or SVG. */
    public Markup empty(final String name, final String... attributes) {
        return add(() -> {
            out.writeEmptyElement(name);
            attributes(attributes);
        });
    }

    /** Adds characters, escaped. */
    public Markup text(final String characters) {
        return add(() -> out.writeCharacters(characters));
    }

    /** Adds an element that holds only characters. */
    public Markup element(final String name, final String characters, final String... attributes) {
        return open(name, attributes).text(characters).close();
    }

    /** Adds the row of heads of a table. */
    public Markup heads(final List<String> heads) {
        open("thead").open("tr");
        heads.forEach(head -> element("th", head, "scope", "col"));
        return close().close();
    }

    /** Adds a program that a browser runs; it must contain neither {@code ]]>} nor the end of its element. */
    public Markup script(final String program) {
        return open("script").add(() -> {
            // HTML sees comments here; XML sees a section of plain characters.
            out.writeCharacters("//");
            out.writeCData("\n" + program + "\n//");
        }).close();
    }

    /** Returns the page; all elements must be closed. */
    public String finish() {
        add(() -> {
            out.writeEndDocument();
            out.close();
        });
        return text + "\n";
    }

    private void attributes(final String... attributes) throws XMLStreamException {
        for (int i = 0; i < attributes.length; i += 2) {
            out.writeAttribute(attributes[i], attributes[i + 1]);
        }
    }
}
