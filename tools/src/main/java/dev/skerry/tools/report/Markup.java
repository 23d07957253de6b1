package dev.skerry.tools.report;

import java.io.StringWriter;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/**
 * Writes a page that is both HTML and well-formed XML; the JDK's stream writer escapes and closes. One thread.
 * Attributes are given as name, value, name, value.
 */
final class Markup {
    private final StringWriter text = new StringWriter(1 << 16);
    private final XMLStreamWriter out;

    Markup() {
        try {
            out = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    Markup doctype() {
        try {
            out.writeDTD("<!DOCTYPE html>");
            out.writeCharacters("\n");
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    Markup open(final String name, final String... attributes) {
        try {
            out.writeStartElement(name);
            attributes(attributes);
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    Markup close() {
        try {
            out.writeEndElement();
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    /** An element that HTML or SVG knows to be empty. */
    Markup empty(final String name, final String... attributes) {
        try {
            out.writeEmptyElement(name);
            attributes(attributes);
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    Markup text(final String characters) {
        try {
            out.writeCharacters(characters);
            return this;
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    Markup element(final String name, final String characters, final String... attributes) {
        return open(name, attributes).text(characters).close();
    }

    /** The page so far; all elements must be closed. */
    String finish() {
        try {
            out.writeEndDocument();
            out.close();
            return text + "\n";
        } catch (final XMLStreamException e) {
            throw new IllegalStateException(e);
        }
    }

    private void attributes(final String... attributes) throws XMLStreamException {
        for (int i = 0; i < attributes.length; i += 2) {
            out.writeAttribute(attributes[i], attributes[i + 1]);
        }
    }
}
