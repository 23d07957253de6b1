package dev.skerry.options;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.lang.model.element.AnnotationMirror;
import javax.lang.model.element.AnnotationValue;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.PrimitiveType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;

/** The source of the class that makes the command of one annotated class. */
final class SpecSource {
    /** How the builders of picocli call what its annotations call otherwise. */
    private static final Map<String, String> BUILDER_NAMES = Map.of("split", "splitRegex", "scope", "scopeType");
    private static final List<String> OF_OPTIONS = List.of("description", "paramLabel", "defaultValue", "required",
        "arity", "split", "scope", "hidden", "order", "fallbackValue", "index", "completionCandidates");
    private static final List<String> OF_COMMANDS = List.of("name", "version");
    private static final List<String> OF_HELP = List.of("description", "header", "footer", "sortOptions",
        "synopsisSubcommandLabel");
    private static final List<String> PLAIN = List.of("Mixin", "Unmatched");
    private static final String STANDARD = "mixinStandardHelpOptions";
    /** As picocli has them by itself; it reads them from annotations, too. */
    private static final String STANDARD_HELP = """
                spec.addMixin("mixinStandardHelpOptions", CommandSpec.create()
                    .addOption(OptionSpec.builder("-h", "--help").type(boolean.class).paramLabel("<helpRequested>")
                        .usageHelp(true).initialValue(false).description("Show this help message and exit.").build())
                    .addOption(OptionSpec.builder("-V", "--version").type(boolean.class)
                        .paramLabel("<versionRequested>").versionHelp(true).initialValue(false)
                        .description("Print version information and exit.").build()));
        """;

    private final TypeElement type;
    private final Elements elements;
    private final Types types;
    /** What is said of the command; nothing for a part of one. */
    private final Map<String, AnnotationValue> command;
    private final StringBuilder made = new StringBuilder();
    private final StringBuilder mixed = new StringBuilder();
    /** The fields of options, by which their values are got and set. */
    private final List<VariableElement> fields = new ArrayList<>();

    SpecSource(final TypeElement type, final Elements elements, final Types types) {
        this.type = type;
        this.elements = elements;
        this.types = types;
        this.command = type.getAnnotationMirrors().stream()
            .filter(one -> one.getAnnotationType().toString().equals("picocli.CommandLine.Command")).findFirst()
            .map(SpecSource::valuesOf).orElse(Map.of());
    }

    /** The full name of the class that is made for another. */
    static String nameOf(final TypeElement type) {
        return type.getQualifiedName() + "Spec";
    }

    String text() {
        if (type.getNestingKind().isNested()) {
            throw new UnknownOptionException(type, "a class in a class");
        }
        if (!types.isSameType(type.getSuperclass(), elements.getTypeElement("java.lang.Object").asType())) {
            throw new UnknownOptionException(type, "a class that extends another");
        }
        command();
        ElementFilter.fieldsIn(type.getEnclosedElements()).forEach(this::member);
        if (fields.isEmpty()) {
            throw new UnknownOptionException(type, "a class without options");
        }
        if (!command.isEmpty() && !mixed.isEmpty()) {
            throw new UnknownOptionException(type, "a command that asks for its mixee");
        }
        if (command.containsKey(STANDARD) && (boolean) command.get(STANDARD).getValue()) {
            made.append(STANDARD_HELP);
        }
        return source();
    }

    private String source() {
        return """
            package %1$s;

            import picocli.CommandLine.Model.CommandSpec;
            import picocli.CommandLine.Model.IGetter;
            import picocli.CommandLine.Model.ISetter;
            import picocli.CommandLine.Model.OptionSpec;
            import picocli.CommandLine.Model.PositionalParamSpec;
            import picocli.CommandLine.Model.UnmatchedArgsBinding;

            /** Made by the build from the annotations of {@link %2$s}: its command, and access to its fields. */
            @SuppressWarnings("exports")
            %3$sfinal class %2$sSpec implements IGetter, ISetter {
                private final %2$s holder;
                private final int field;

                private %2$sSpec(final %2$s holder, final int field) {
                    this.holder = holder;
                    this.field = field;
                }

                /**
                 * The command, or part of one, that an object stands for.
                 *
                 * @param holder whose fields get the values that are typed.
                 */
                public static CommandSpec of(final %2$s holder) {
                    final CommandSpec spec = CommandSpec.wrapWithoutInspection(holder);
            %4$s        return spec;
                }
            %5$s%6$s}
            """.formatted(elements.getPackageOf(type).getQualifiedName(), type.getSimpleName(),
            type.getModifiers().contains(Modifier.PUBLIC) ? "public " : "", made,
            command.isEmpty() ? mixing() : "", access());
    }

    private String mixing() {
        return """

                /**
                 * Makes an object part of a command.
                 *
                 * @param spec the command.
                 * @param name of the part.
                 * @param holder whose fields get the values that are typed.
                 */
                public static void mixInto(final CommandSpec spec, final String name, final %s holder) {
                    spec.addMixin(name, of(holder));
            %s    }
            """.formatted(type.getSimpleName(), mixed);
    }

    private void command() {
        command.forEach((name, value) -> {
            if (OF_COMMANDS.contains(name)) {
                line("spec." + name + "(" + code(value) + ");");
            } else if (OF_HELP.contains(name)) {
                line("spec.usageMessage()." + name + "(" + code(value) + ");");
            } else if (name.equals("subcommands")) {
                listed(value).forEach(one -> line("spec.addSubcommand(null, %sSpec.of(new %1$s()));"
                    .formatted(one.getValue())));
            } else if (!name.equals(STANDARD)) {
                throw new UnknownOptionException(type, name + " of a command");
            }
        });
    }

    private void member(final VariableElement field) {
        for (final AnnotationMirror annotation : field.getAnnotationMirrors()) {
            final TypeElement kind = (TypeElement) annotation.getAnnotationType().asElement();
            if (!kind.getQualifiedName().toString().startsWith("picocli.")) {
                continue;
            }
            if (field.getModifiers().contains(Modifier.PRIVATE)) {
                throw new UnknownOptionException(field, "a private field");
            }
            final Map<String, AnnotationValue> values = valuesOf(annotation);
            final String name = kind.getSimpleName().toString();
            if (PLAIN.contains(name) && !values.isEmpty()) {
                throw new UnknownOptionException(field, "values of @" + name);
            }
            switch (name) {
                case "Option" ->
                    option(field, "spec.addOption(OptionSpec.builder(" + code(values.remove("names")), values);
                case "Parameters" -> {
                    final boolean mayMiss = values.containsKey("arity") && code(values.get("arity")).startsWith("\"0");
                    option(field, "spec.addPositional(PositionalParamSpec.builder().required(" + !mayMiss, values);
                }
                case "Mixin" -> line("%sSpec.mixInto(spec, \"%s\", holder.%2$s);".formatted(field.asType(), field));
                case "Unmatched" -> line("spec.addUnmatchedArgsBinding("
                    + "UnmatchedArgsBinding.forStringCollectionSupplier(" + access(field) + "));");
                case "Spec" -> (values.isEmpty() ? made : mixed)
                    .append("        holder.").append(field).append(" = spec;\n");
                default -> throw new UnknownOptionException(field, "@" + name);
            }
        }
    }

    private void option(final VariableElement field, final String builder, final Map<String, AnnotationValue> values) {
        final StringBuilder text = new StringBuilder(builder + ")" + typed(field.asType()));
        if (!values.containsKey("paramLabel")) {
            text.append(".paramLabel(\"<").append(field).append(">\")");
        }
        values.forEach((name, value) -> {
            if (!OF_OPTIONS.contains(name)) {
                throw new UnknownOptionException(field, name + " of an option");
            }
            text.append("\n            .").append(BUILDER_NAMES.getOrDefault(name, name)).append('(')
                .append(name.equals("completionCandidates") ? "new " + value.getValue() + "()" : code(value))
                .append(')');
        });
        line("final " + type.getSimpleName() + "Spec " + field + " = " + access(field) + ";");
        line("%s\n            .initialValue(%s.get()).getter(%2$s).setter(%2$s).build());".formatted(text, field));
    }

    private String access(final VariableElement field) {
        fields.add(field);
        return "new " + type.getSimpleName() + "Spec(holder, " + (fields.size() - 1) + ")";
    }

    /** What a field holds: its class, and that of its elements if it is a list. */
    private String typed(final TypeMirror held) {
        final String text = ".type(" + types.erasure(held) + ".class)";
        return held instanceof final DeclaredType declared && !declared.getTypeArguments().isEmpty()
            ? text + ".auxiliaryTypes(" + declared.getTypeArguments().stream().map(one -> types.erasure(one) + ".class")
            .collect(Collectors.joining(", ")) + ")" : text;
    }

    private void line(final String text) {
        made.append("        ").append(text).append('\n');
    }

    /** The methods by which picocli gets and sets values. */
    private String access() {
        final StringBuilder got = new StringBuilder();
        final StringBuilder set = new StringBuilder();
        for (int i = 0; i < fields.size(); i++) {
            final VariableElement field = fields.get(i);
            got.append("            case ").append(i).append(" -> holder.").append(field).append(";\n");
            final TypeMirror boxed = field.asType() instanceof final PrimitiveType primitive
                ? types.boxedClass(primitive).asType() : field.asType();
            set.append("            case ").append(i).append(" -> holder.").append(field).append(" = (").append(boxed)
                .append(") value;\n");
        }
        return """

                @Override
                @SuppressWarnings("unchecked")
                public <T> T get() {
                    final Object value = switch (field) {
            %s            default -> throw new IllegalStateException("field " + field);
                    };
                    return (T) value;
                }

                @Override
                @SuppressWarnings("unchecked")
                public <T> T set(final T value) {
                    final T before = get();
                    switch (field) {
            %s            default -> throw new IllegalStateException("field " + field);
                    }
                    return before;
                }
            """.formatted(got, set);
    }

    private static Map<String, AnnotationValue> valuesOf(final AnnotationMirror annotation) {
        final Map<String, AnnotationValue> values = new LinkedHashMap<>();
        annotation.getElementValues().forEach((name, value) -> values.put(name.getSimpleName().toString(), value));
        return values;
    }

    @SuppressWarnings("unchecked")
    private static List<AnnotationValue> listed(final AnnotationValue value) {
        return value.getValue() instanceof List<?> ? (List<AnnotationValue>) value.getValue() : List.of(value);
    }

    /** A value as code; of several, arguments. */
    private static String code(final AnnotationValue value) {
        return listed(value).stream().map(one -> one.getValue() instanceof final VariableElement constant
            ? constant.asType() + "." + constant : one.toString()).collect(Collectors.joining(", "));
    }
}
