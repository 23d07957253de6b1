package dev.skerry.tools.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** Traces and results of the authors' simulators and hardware, among the resources of these tests. */
final class OracleFiles {
    private OracleFiles() {
    }

    /** A file by its folder and name. */
    static Path path(final String name) {
        try {
            return Path.of(OracleFiles.class.getResource("/oracle/" + name).toURI());
        } catch (final URISyntaxException e) {
            throw new IllegalStateException(name, e);
        }
    }

    static JsonNode json(final String name) throws IOException {
        return new ObjectMapper().readTree(path(name + ".json").toFile());
    }

    /** Lines of a file that is packed by gzip. */
    static List<String> lines(final String name) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            new GZIPInputStream(Files.newInputStream(path(name))), StandardCharsets.UTF_8))) {
            return reader.lines().toList();
        }
    }
}
