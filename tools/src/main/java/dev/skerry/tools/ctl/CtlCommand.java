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

/** {@code skerry ctl}: sends an order to a running dataplane. */
@Command(
    name = "ctl",
    description = {
        "Sends an order to a running dataplane (live --ctl) and prints the answer.",
        "",
        "Orders:",
        "  ports                     lists the ports",
        "  add NODE=PORT             opens a port at a node started with --port NODE=none",
        "  remove NODE               closes a port; packets in flight to it are dropped and counted",
        "  drain NODE [SECONDS]      stops traffic from and to a port, waits (10 s) for packets in flight",
        "  resume NODE               ends the drain of a port",
        "  map FROM:TO[,FROM:TO...]  sends all packets of a port to one port; FROM:address restores MAC forwarding",
        "  mac ADDRESS NODE          sets the port of an address; mac ADDRESS forget removes it",
        "  rate NODE RATE            changes the rate of a generator",
        "  fault WHAT                injects a fault, as in a script without the slot: node 3 down,",
        "                            link 1 2 up, corrupt 0.001; needs live --faults",
        "  tap NODE [in|out] [one=N] [count=N] [bytes=N] [filter=EXPRESSION]",
        "                            copies packets of a port to standard output as a capture, until",
        "                            Ctrl-C: one in N, at most N packets, the first N bytes of each,",
        "                            only those that match a filter as of tcpdump (needs libpcap)",
        "  untap NODE                ends a tap that another process has started",
        "  counters [NODE]           prints the counters since the start or the last reset",
        "  reload                    reads the settings (@FILE) and tables again, as the signal HUP does",
        "  reset                     restarts the counters at 0; the report, stat and Prometheus keep theirs",
        ""
    },
    footer = {
        "",
        "Example, a dataplane with a node reserved for a third port, which is added later:",
        "  ./skerry live --ctl --port 0=tap:sk0 --port 3=tap:sk3 --port 5=none &",
        "  ./skerry ctl add 5=tap:sk5",
        "  ./skerry ctl tap 5 count=100 > five.pcap"
    })
public final class CtlCommand extends ToolCommand {
    private static final int WRONG = 2;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int MOST_LINE = 1 << 16;

    @Option(names = {"--socket", "--ctl"}, paramLabel = "PATH",
        description = "Socket of live, as given to its --ctl (default: that of the running dataplane).")
    Path path;

    @Option(names = "--dir", paramLabel = "DIR", description = "Folder of the counters, as given to --dir of live.")
    Path folder;

    @Parameters(paramLabel = "ORDER", arity = "1..*", description = "Order and its arguments.")
    List<String> words;

    @Override
    public Integer call() throws IOException {
        final Order order = OrderText.parse(String.join(" ", words));
        final Path to = path != null ? path : find(Choices.userFolder("--dir", folder));
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            try {
                channel.connect(UnixDomainSocketAddress.of(to));
            } catch (final IOException e) {
                throw new InputException("--socket", to.toString(), "no dataplane listens there",
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

    /** Returns the socket of the only listening dataplane. */
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

    /** Replaces control characters, so that the answer of another process cannot control the terminal. */
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

    /** Returns the first line of the answer; empty if there is none. */
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
            // A capture continues as long as its output is read.
            if (System.out.checkError()) {
                return;
            }
        }
    }
}
