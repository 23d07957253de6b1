package dev.skerry.tools.command;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies a jar with its old classes in a format that the JVM can keep in its cache: with the stack maps that Java 6
 * brought. Code, names and resources are the same.
 */
final class ClassFormats {
    private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;
    private static final int NEW_VERSION = ClassFile.JAVA_8_VERSION;

    private final ClassFile format;

    private ClassFormats(final ClassLoader loader) {
        format = ClassFile.of(ClassFile.StackMapsOption.GENERATE_STACK_MAPS,
            ClassFile.ConstantPoolSharingOption.NEW_POOL,
            ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(loader)));
    }

    /** Copies the jar of the first argument, which is on the class path, into the folder of the second. */
    public static void main(final String[] arguments) throws IOException {
        final Path from = Path.of(arguments[0]);
        final Path to = Path.of(arguments[1]).resolve(from.getFileName());
        Files.deleteIfExists(to);
        new ClassFormats(ClassFormats.class.getClassLoader()).copy(from, to);
    }

    private void copy(final Path from, final Path to) throws IOException {
        try (ZipFile in = new ZipFile(from.toFile()); OutputStream file = Files.newOutputStream(to);
            ZipOutputStream out = new ZipOutputStream(new BufferedOutputStream(file))) {
            for (final ZipEntry entry : Collections.list(in.entries())) {
                final byte[] bytes = in.getInputStream(entry).readAllBytes();
                out.putNextEntry(new ZipEntry(entry.getName()));
                out.write(entry.getName().endsWith(".class") ? renewed(bytes) : bytes);
                out.closeEntry();
            }
        }
    }

    /** The class with stack maps. */
    byte[] renewed(final byte[] bytes) {
        final ClassModel model = format.parse(bytes);
        if (model.majorVersion() >= FIRST_WITH_STACK_MAPS) {
            return bytes;
        }
        // Each element is written anew: code that is copied whole keeps its lack of stack maps.
        return format.transformClass(model, ClassTransform.transformingMethodBodies((code, element) ->
            code.with(element)).andThen((builder, element) -> {
                if (element instanceof ClassFileVersion) {
                    builder.withVersion(NEW_VERSION, 0);
                } else {
                    builder.with(element);
                }
            }));
    }
}
