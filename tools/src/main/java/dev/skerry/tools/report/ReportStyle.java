package dev.skerry.tools.report;

/** The style sheet of a {@link Page}: light, dark and print from one set of colours; the reader's own fonts. */
final class ReportStyle {
    /** Without the characters that XML escapes. */
    static final String CSS = """
        :root { --panel: #f6f8fa; --warn: #9a3412; --warn-panel: #fff1e6; }
        @media (prefers-color-scheme: dark) { :root { --panel: #1a2129; --warn: #ffb27a; --warn-panel: #33211a; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
        main { max-width: 64rem; margin: 0 auto; padding: 2.5rem 1.5rem 4rem; }
        h1 { font-size: 1.75rem; line-height: 1.25; margin: 0; font-weight: 650; letter-spacing: -0.01em; }
        h2 { font-size: 1.15rem; margin: 0 0 0.25rem; font-weight: 650; }
        p { margin: 0.25rem 0 0.75rem; }
        caption { text-align: left; padding: 0.4rem 0; }
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
        .scroll { overflow-x: auto; background: linear-gradient(to right, var(--paper) 40%, transparent) 0 0,
          linear-gradient(to left, var(--paper) 40%, transparent) 100% 0,
          linear-gradient(to right, var(--rule), transparent) 0 0,
          linear-gradient(to left, var(--rule), transparent) 100% 0;
          background-size: 2.5rem 100%, 2.5rem 100%, 1.2rem 100%, 1.2rem 100%; background-repeat: no-repeat;
          background-attachment: local, local, scroll, scroll; }
        .scroll.wide::before { content: "Scroll sideways to see all columns \\2192"; position: sticky; left: 0;
          display: block; width: max-content; max-width: 100%; color: var(--soft); font-size: 0.8rem; }
        .scroll + p { margin-top: 0.75rem; }
        .none { margin: 1rem 0; padding: 2rem 1rem; border: 1px dashed var(--rule); border-radius: 6px;
          text-align: center; color: var(--soft); }
        table { border-collapse: collapse; width: 100%; font-size: 0.87rem; font-variant-numeric: tabular-nums; }
        th, td { padding: 0.28rem 0.4rem; text-align: right; white-space: nowrap;
          border-bottom: 1px solid var(--rule); }
        th { color: var(--soft); font-weight: 500; }
        th:first-child, td:first-child { text-align: left; padding-left: 0; }
        td:first-child { white-space: pre-wrap; }
        th:last-child, td:last-child { padding-right: 0; }
        tr.total td { font-weight: 600; }
        table.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere; }
        table.facts th { text-align: left; white-space: normal; width: 13rem; }
        footer { margin-top: 3rem; font-size: 0.8rem; }
        @media print {
          :root { --panel: #fff; --warn: #7c2d12; --warn-panel: #fff; }
          body { font-size: 10pt; }
          main { max-width: none; padding: 0; }
          .scroll, dl.tiles, pre, tr { break-inside: avoid; }
          h2, section p { break-after: avoid; }
          .pair { grid-template-columns: 1fr 1fr; gap: 0 1.5rem; }
          th, td { padding-top: 0.1rem; padding-bottom: 0.1rem; }
          table.facts th { width: 9rem; }
          .scroll { overflow: visible; background: none; }
          .scroll.wide::before { content: none; }
          section { margin-top: 1rem; padding-top: 0.7rem; }
        }
        @page { margin: 16mm; }
        """;

    private ReportStyle() {
    }
}
