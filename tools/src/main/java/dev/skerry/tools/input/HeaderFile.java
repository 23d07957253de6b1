package dev.skerry.tools.input;

import dev.skerry.codec.header.HeaderDescription;
import dev.skerry.codec.header.HeaderSyntaxException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Descriptions of headers, from a file or built in. Any thread may call. */
public final class HeaderFile {
    private static final String WHAT = "header";
    private static final long MOST_BYTES = 1 << 16;

    private HeaderFile() {
    }

    /**
     * Returns the description with a name of {@link HeaderDescription#BUILT_IN}, else that of a file.
     *
     * @throws InputException if there is none, or it cannot be read.
     */
    public static HeaderDescription read(final String nameOrFile) {
        if (HeaderDescription.BUILT_IN.contains(nameOrFile)) {
            return HeaderDescription.builtIn(nameOrFile);
        }
        try {
            final Path file = Path.of(nameOrFile);
            Choices.refuseIf(Files.isRegularFile(file) && Files.size(file) > MOST_BYTES, WHAT, nameOrFile,
                "it has more than " + MOST_BYTES + " bytes", "give a description with one line per field");
            return HeaderDescription.parse(nameOrFile, new String(Files.readAllBytes(file),
                StandardCharsets.ISO_8859_1).lines().toList());
        } catch (final HeaderSyntaxException e) {
            throw new InputException(WHAT, e.where(), e.why(), e.advice());
        } catch (final NoSuchFileException | InvalidPathException e) {
            throw new InputException(WHAT, nameOrFile, "there is no such file",
                "give an existing one, or one of " + String.join(", ", HeaderDescription.BUILT_IN));
        } catch (final IOException e) {
            throw new InputException(WHAT, nameOrFile, "cannot be read (" + e.getMessage() + ")",
                "give a readable text file");
        }
    }
}
