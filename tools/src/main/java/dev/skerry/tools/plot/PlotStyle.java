package dev.skerry.tools.plot;

/** Colours of plots for light and dark screens and for paper, and the style sheet of pictures without scripts. */
public final class PlotStyle {
    /** Colours of lines, {@code --s0} and so on; a further line begins again. */
    static final int COLOURS = 10;

    private static final String LIGHT = "--paper: #fff; --ink: #1b2430; --soft: #5b6776; --rule: #dfe4ea; "
        + "--s0: #0b62b5; --s1: #c2410c; --s2: #0f7f5c; --s3: #7a4fb5; --s4: #9d174d; --s5: #57534e; --s6: #0e7490; "
        + "--s7: #a16207; --s8: #4d7c0f; --s9: #be123c;";
    private static final String DARK = "--paper: #12171d; --ink: #e4e9ef; --soft: #98a4b3; --rule: #2b333d; "
        + "--s0: #62aef7; --s1: #f59358; --s2: #4fc79b; --s3: #b79af0; --s4: #f48fb9; --s5: #b5ada6; --s6: #5fd0e6; "
        + "--s7: #e0b84f; --s8: #a9cf5d; --s9: #ff8a9a;";

    private static final String PICTURE = """
        .picture text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif;
          fill: var(--soft); font-variant-numeric: tabular-nums; }
        .picture text.title { font-size: 13px; font-weight: 600; fill: var(--ink); }
        .picture text.name { fill: var(--ink); }
        .picture .grid line { stroke: var(--rule); stroke-width: 1; }
        .picture .axis line { stroke: var(--soft); stroke-width: 1; }
        .picture .line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
        .picture .bound .line { stroke-dasharray: 6 5; stroke-width: 1.6; }
        .picture .mark, .picture .bar { fill: var(--c); }
        .picture .published .mark { fill: var(--paper); stroke: var(--c); stroke-width: 1.6; }
        .picture .stroke { stroke: var(--ink); stroke-width: 2.5; }
        .picture .interval { fill: none; stroke: var(--c); stroke-width: 1.4; }
        .picture .bar ~ .interval { stroke: var(--ink); }
        .picture .s0 { --c: var(--s0); } .picture .s1 { --c: var(--s1); } .picture .s2 { --c: var(--s2); }
        .picture .s3 { --c: var(--s3); } .picture .s4 { --c: var(--s4); } .picture .s5 { --c: var(--s5); }
        .picture .s6 { --c: var(--s6); } .picture .s7 { --c: var(--s7); } .picture .s8 { --c: var(--s8); }
        .picture .s9 { --c: var(--s9); } .picture .ink { --c: var(--soft); }
        """;

    /** Style of a page's plots: without the characters that XML escapes. */
    public static final String PAGE = ":root { color-scheme: light dark; " + LIGHT + " }\n"
        + "@media (prefers-color-scheme: dark) { :root { " + DARK + " } }\n"
        + "@media print { :root { " + LIGHT + " } }\n" + PICTURE + """
        figure { margin: 1rem 0; position: relative; }
        figure svg { display: block; width: 100%; height: auto; }
        figure .live { position: relative; overflow: hidden; outline-offset: 2px; }
        figure .live svg { width: auto; }
        figure .cursor { position: absolute; width: 1px; background: var(--soft); pointer-events: none; }
        figure output { display: block; min-height: 1.5em; font-size: 0.8rem; color: var(--soft);
          font-variant-numeric: tabular-nums; }
        figure .tools { display: flex; flex-wrap: wrap; gap: 0.35rem; margin: 0.25rem 0; }
        figure button { font: inherit; font-size: 0.78rem; padding: 0.1rem 0.55rem; color: var(--ink);
          background: var(--paper); border: 1px solid var(--rule); border-radius: 5px; cursor: pointer; }
        figure button:hover { border-color: var(--soft); }
        figure details { font-size: 0.85rem; color: var(--soft); }
        figure [hidden] { display: none; }
        @media print { figure .live, figure output, figure .tools, figure details { display: none !important; }
          figure .static[hidden] { display: block; } figure { break-inside: avoid; margin: 0.4rem 0; } }
        """;

    /** Style of a picture that is a file of its own. */
    static final String FILE = ":root { " + LIGHT + " }\n.paper { fill: var(--paper); }\n" + PICTURE;

    private PlotStyle() {
    }
}
