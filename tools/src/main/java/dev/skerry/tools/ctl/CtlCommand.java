package dev.skerry.tools.ctl;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.skerry.dataplane.memory.PrivateFiles;
import dev.skerry.tools.ctl.Order.OrderText;
import dev.skerry.tools.input.Choices;
import dev.skerry.tools.input.InputException;
import dev.skerry.tools.input.ToolCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.net.ExtendedSocketOptions;

/** {@code skerry ctl}: tells a running dataplane what to do. */
@Command(
    name = "ctl",
    description = {
        "Tells a dataplane that runs with live --ctl what to do, and prints what it answers.",
        "",
        "Orders:",
        "  ports                        lists the ports",
        "  add NODE=PORT                opens a port at a node that live keeps a place for (--port NODE=none)",
        "  remove NODE                  closes a port; what is under way to it is dropped and counted",
        "  drain NODE [SECONDS]         takes no more packets from a port and sends none to it, waits for those under "
            + "way (10 s)",
        "  resume NODE                  serves it again",
        "  map FROM:TO[,FROM:TO...]     sends all packets of a port to one node; FROM:address: by address again",
        "  mac ADDRESS NODE             says which node an address is at; mac ADDRESS forget: to be learned anew",
        "  rate NODE RATE               changes the rate of a generator",
        "  fault WHAT                   node 3 down, link 1 2 up, corrupt 0.001: as in a script of faults, if live has "
            + "--faults",
        "  tap NODE [in|out] [one=N] [count=N] [bytes=N]",
        "                               copies packets of a port to standard output as a capture, until Ctrl-C; one in "
            + "N,",
        "                               so many in all, so many bytes of each",
        "  untap NODE                   ends that from elsewhere",
        "  counters [NODE]              what was counted since the start or the last reset",
        "  reload                       reads the settings again, @FILE and tables, as the signal HUP does",
        "  reset                        lets counters begin at 0; the report, stat and Prometheus go on",
        ""
    },
    footer = {
        "",
        "Example, a dataplane with a place for a third port, which gets one later:",
        "  ./skerry live --ctl --port 0=tap:sk0 --port 3=tap:sk3 --port 5=none &",
        "  ./skerry ctl add 5=tap:sk5",
        "  ./skerry ctl tap 5 count=100 > five.pcap"
    })
public final class CtlCommand extends ToolCommand {
    private static final int WRONG = 2;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MOST_LINE = 1 << 16;

    @Option(names = {"--socket", "--ctl"}, paramLabel = "PATH",
        description = "Where live listens, as its --ctl says (default: the one that runs).")
    Path path;

    @Option(names = "--dir", paramLabel = "DIR", description = "The folder of the counters, as live's --dir says.")
    Path folder;

    @Parameters(paramLabel = "ORDER", arity = "1..*", description = "The order and its words.")
    List<String> words;

    @Override
    public Integer call() throws IOException {
        final Order order = OrderText.parse(String.join(" ", words));
        final Path to = path != null ? path : find(Choices.userFolder("--dir", folder));
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            try {
                channel.connect(UnixDomainSocketAddress.of(to));
            } catch (final IOException e) {
                throw new InputException("--socket", to.toString(), "nobody listens there",
                    "start live with --ctl, or give the path that it was given");
            }
            // An order may contain the secret of a port: only the same user or root may read it.
            final UserPrincipal listener = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
            Choices.refuseIf(!PrivateFiles.isTrusted(listener), "--socket", to, "user " + listener.getName()
                + " listens there", "send orders as this user, or give the path of a dataplane of your own");
            channel.write(ByteBuffer.wrap((String.join(" ", words) + "\n").getBytes(UTF_8)));
            final String first = line(channel);
            final PrintWriter out = out();
            if (!first.equals("ok")) {
                err().println(first.isEmpty() ? "skerry: ctl: " + to
                    + ": the dataplane has ended, start it again" : printable(first.replaceFirst("^error ", "")));
                return WRONG;
            }
            if (order instanceof Order.Tap) {
                copy(channel, Channels.newChannel(System.out));
                System.out.flush();
            } else {
                final ByteArrayOutputStream answer = new ByteArrayOutputStream();
                copy(channel, Channels.newChannel(answer));
                out.print(printable(answer.toString(UTF_8)));
            }
            out.flush();
            return 0;
        }
    }

    /** The socket of the only dataplane that listens. */
    private static Path find(final Path folder) throws IOException {
        final List<Path> sockets;
        try (Stream<Path> files = Files.isDirectory(folder) ? Files.list(folder) : Stream.empty()) {
            sockets = files.filter(file -> file.getFileName().toString().endsWith(ControlSocket.SUFFIX))
                .filter(CtlCommand::answers).sorted().toList();
        }
        Choices.refuseIf(sockets.isEmpty(), "ctl", folder, "no dataplane listens there", "start live with --ctl");
        Choices.refuseIf(sockets.size() > 1, "ctl", folder, "several dataplanes listen there: "
            + sockets.stream().map(file -> file.getFileName().toString()).collect(Collectors.joining(", ")),
            "choose one with --socket");
        return sockets.getFirst();
    }

    /** What another process answers must not work on a terminal. */
    private static String printable(final String text) {
        return text.replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", "?");
    }

    private static boolean answers(final Path socket) {
        try {
            return ControlSocket.isListenedAt(socket);
        } catch (final IOException e) {
            return false;
        }
    }

    /** The first line; empty if there is none. */
    private static String line(final SocketChannel channel) throws IOException {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        final ByteBuffer one = ByteBuffer.allocate(1);
        while (text.size() < MOST_LINE && channel.read(one.clear()) > 0 && one.get(0) != '\n') {
            text.write(one.get(0));
        }
        return text.toString(UTF_8);
    }

    private static void copy(final SocketChannel from, final WritableByteChannel to) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        while (from.read(buffer.clear()) >= 0) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                to.write(buffer);
            }
            // A capture goes on for as long as somebody takes it.
            if (System.out.checkError()) {
                return;
            }
        }
    }
}
