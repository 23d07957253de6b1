package dev.skerry.tools.report;

/** The style sheet of a {@link Page}: light, dark and print from one set of colours; the reader's own fonts. */
final class ReportStyle {
    /** Without the characters that XML escapes. */
    static final String CSS = """
        :root { color-scheme: light dark; --paper: #fff; --ink: #1b2430; --soft: #5b6776; --rule: #dfe4ea;
          --panel: #f6f8fa; --s0: #0b62b5; --s1: #c2410c; --s2: #0f7f5c; --s3: #7a4fb5; --s4: #9d174d;
          --s5: #57534e; --warn: #9a3412; --warn-panel: #fff1e6; }
        @media (prefers-color-scheme: dark) { :root { --paper: #12171d; --ink: #e4e9ef; --soft: #98a4b3;
          --rule: #2b333d; --panel: #1a2129; --s0: #62aef7; --s1: #f59358; --s2: #4fc79b; --s3: #b79af0;
          --s4: #f48fb9; --s5: #b5ada6; --warn: #ffb27a; --warn-panel: #33211a; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
        h1 { font-size: 1.75rem; line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
        h2 { font-size: 1.15rem; margin: 0 0 0.25rem; font-weight: 650; }
        p { margin: 0.25rem 0 0.75rem; }
        .soft, figcaption, footer { color: var(--soft); }
        .eyebrow { color: var(--soft); font-size: 0.8rem; letter-spacing: 0.08em; text-transform: uppercase;
          margin: 0 0 0.35rem; }
        .partial { margin: 0 0 1.5rem; padding: 0.7rem 1rem; border-left: 4px solid var(--warn);
          background: var(--warn-panel); color: var(--warn); font-weight: 600; }
        code, pre { font: 0.85rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        pre { margin: 1.25rem 0; padding: 0.8rem 1rem; background: var(--panel); border: 1px solid var(--rule);
          border-radius: 6px; white-space: pre-wrap; overflow-wrap: anywhere; }
        pre span { display: inline-block; max-width: 100%; }
        dl.tiles { display: flex; flex-wrap: wrap; gap: 1px; margin: 1.5rem 0 0; background: var(--rule);
          border: 1px solid var(--rule); border-radius: 6px; overflow: hidden; }
        dl.tiles div { flex: 1 1 max(22%, 9.5rem); background: var(--paper); padding: 0.8rem 1rem; }
        dl.tiles dt { color: var(--soft); font-size: 0.8rem; }
        dl.tiles dd { margin: 0.1rem 0 0; font-size: 1.3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
        dl.tiles dd.small { color: var(--soft); font-size: 0.8rem; font-weight: 400; margin: 0; }
        section { margin-top: 2.75rem; padding-top: 1.25rem; border-top: 1px solid var(--rule); }
        .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); gap: 0 2.5rem; }
        .chart, .scroll { overflow-x: auto; }
        .chart { margin: 0.75rem 0; }
        .chart svg { display: block; width: 100%; height: auto; }
        .none { margin: 1rem 0; padding: 2rem 1rem; border: 1px dashed var(--rule); border-radius: 6px;
          text-align: center; color: var(--soft); }
        table { border-collapse: collapse; width: 100%; font-size: 0.87rem; font-variant-numeric: tabular-nums; }
        th, td { padding: 0.28rem 0.5rem; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--rule); }
        th { color: var(--soft); font-weight: 500; }
        th:first-child, td:first-child { text-align: left; padding-left: 0; }
        th:last-child, td:last-child { padding-right: 0; }
        tr.total td { font-weight: 600; }
        table.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
        table.facts th { text-align: left; width: 13rem; }
        footer { margin-top: 3rem; font-size: 0.8rem; }
        svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif; fill: var(--soft);
          font-variant-numeric: tabular-nums; }
        svg .legend text { fill: var(--ink); }
        .grid line { stroke: var(--rule); stroke-width: 1; }
        .axis line { stroke: var(--soft); stroke-width: 1; }
        .line { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
        .bound { stroke-dasharray: 6 5; stroke-width: 1.6; }
        .dot circle { fill: var(--paper); stroke: var(--c); stroke-width: 2; }
        .dot circle:hover { fill: var(--c); }
        .s0 { --c: var(--s0); } .s1 { --c: var(--s1); } .s2 { --c: var(--s2); } .s3 { --c: var(--s3); }
        .s4 { --c: var(--s4); } .s5 { --c: var(--s5); }
        .soft-line { --c: var(--soft); }
        @media print {
          :root { --paper: #fff; --ink: #000; --soft: #444; --rule: #ccc; --panel: #fff; --s0: #0b62b5; --s1: #c2410c;
            --s2: #0f7f5c; --s3: #7a4fb5; --s4: #9d174d; --s5: #57534e; --warn: #7c2d12; --warn-panel: #fff; }
          body { font-size: 10pt; }
          main { max-width: none; padding: 0; }
          .chart, .scroll, dl.tiles, pre, tr { break-inside: avoid; }
          h2, section p { break-after: avoid; }
          .pair { grid-template-columns: 1fr 1fr; gap: 0 1.5rem; }
          .chart svg { max-height: 5.5cm; }
          th, td { padding-top: 0.1rem; padding-bottom: 0.1rem; }
          table.facts th { width: 9rem; }
          .chart, .scroll { overflow: visible; }
          .chart svg { min-width: 0 !important; }
          section { margin-top: 1rem; padding-top: 0.7rem; }
        }
        @page { margin: 16mm; }
        """;

    private ReportStyle() {
    }
}
