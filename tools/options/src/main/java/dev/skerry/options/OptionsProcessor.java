package dev.skerry.options;

import java.io.IOException;
import java.io.Writer;
import java.util.LinkedHashSet;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Writes for each class with picocli's annotations a class {@code NameSpec} whose {@code of} makes the same command as
 * picocli makes from the annotations, but without reflection, which takes a quarter of a second of each start.
 * What it does not know in an annotation is an error of the compiler.
 */
public final class OptionsProcessor extends AbstractProcessor {
    /** Creates the processor, which javac then calls. */
    public OptionsProcessor() {
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
        return Set.of("picocli.CommandLine.*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
        return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(final Set<? extends TypeElement> annotations, final RoundEnvironment round) {
        final Set<TypeElement> classes = new LinkedHashSet<>();
        for (final TypeElement annotation : annotations) {
            for (final Element annotated : round.getElementsAnnotatedWith(annotation)) {
                if (annotated instanceof final TypeElement type) {
                    classes.add(type);
                } else if (annotated.getKind() == ElementKind.FIELD) {
                    classes.add((TypeElement) annotated.getEnclosingElement());
                } else {
                    refuse(annotated, "an annotation here");
                }
            }
        }
        classes.forEach(this::write);
        return false;
    }

    private void write(final TypeElement type) {
        try {
            final String text =
                new SpecSource(type, processingEnv.getElementUtils(), processingEnv.getTypeUtils()).text();
            try (Writer file = processingEnv.getFiler().createSourceFile(SpecSource.nameOf(type), type).openWriter()) {
                file.write(text);
            }
        } catch (final UnknownOptionException e) {
            refuse(e.where(), e.getMessage());
        } catch (final IOException e) {
            processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, e.toString(), type);
        }
    }

    private void refuse(final Element where, final String what) {
        processingEnv.getMessager().printMessage(Diagnostic.Kind.ERROR, "no code is made of " + what
            + ", see OptionsProcessor", where);
    }
}
