import { EditorView } from "@codemirror/view";

// The theme of Markdown in the editor. It matches prose.module.css, the styles of rendered Markdown.

/** In whole pixels: translucent backgrounds would overlap where two lines share a pixel. */
const code = { fontFamily: "var(--mono)", fontSize: "var(--size-s)", lineHeight: "round(1.6em, 1px)" };
export const liveTheme = EditorView.theme({
  // Absolutely positioned, so that it allows no line break, and as high as the line, so that clicks find the right character.
  ".live-hidden": { position: "absolute", width: "0", height: "1lh", overflow: "hidden", whiteSpace: "pre" },
  // A row of a table that is wider scrolls alone; it does not widen the text. The space behind the last word of a line needs no
  // room, as in rendered text, so that lines end at the same words.
  ".cm-content": { minWidth: "0", whiteSpace: "pre-wrap" },
  // Nor does the cursor behind that space scroll the text sideways.
  ".cm-scroller:not(:has(.live-table))": { overflow: "clip", overflowClipMargin: "var(--space-2)" },
  // The height also applies to lines whose text is hidden. `contain` limits layout to the changed line.
  ".cm-line": {
    minHeight: "1lh",
    contain: "layout style",
    // Of the items and quotations around the line, on either side.
    paddingLeft: "calc(var(--left, 0px) + var(--inset, 0px))",
    paddingRight: "calc(var(--right, 0px) + var(--inset, 0px))",
    textIndent: "var(--hang, 0)",
    background: "var(--rule, none), var(--bars, none), var(--fill, none)",
  },
  // As between rendered blocks, so that the text stays in its place when it is clicked.
  ".live-gap": { lineHeight: "var(--space-4)" },
  ".live-heading-gap": { lineHeight: "var(--space-6)" },
  ".live-quote-gap": { lineHeight: "var(--space-2)" },
  ".cm-line:not(.live-gap) + .live-begin": { borderBlockStart: "var(--space-1) solid #0000" },
  ".live-heading": { fontWeight: "600", lineHeight: "round(1.3em, 1px)" },
  ".live-h1": { fontSize: "var(--size-xl)" },
  ".live-h2": { fontSize: "var(--size-l)" },
  ".live-link": { color: "var(--accent)", textDecoration: "underline", textUnderlineOffset: "0.15em" },
  ".live-missing": { textDecorationStyle: "dashed" },
  ".live-code": {
    padding: "0.1em 0.3em",
    borderRadius: "0.25rem",
    background: "var(--shade)",
    fontSize: "0.85em",
  },
  ".live-front, .live-block": code,
  ".live-front": { color: "var(--quiet)" },
  ".live-block": { "--inset": "var(--space-4)" },
  // In an item or a quotation, the shade begins where its text does.
  ".live-block::before": {
    content: '""',
    position: "absolute",
    zIndex: "-1",
    insetBlock: "0",
    left: "var(--left, 0)",
    right: "var(--right, 0)",
    background: "var(--shade)",
  },
  // Prevents the reduced font size from applying twice.
  ".live-code *, .live-block *": { fontSize: "inherit" },
  ".live-first::before, .live-callout-title": { borderRadius: "var(--radius) var(--radius) 0 0" },
  ".live-last::before, .live-callout-last": { borderRadius: "0 0 var(--radius) var(--radius)" },
  ".live-first.live-last::before, .live-callout-title.live-callout-last": { borderRadius: "var(--radius)" },
  ".live-block.live-first": { paddingBlockStart: "var(--edge)" },
  ".live-block.live-last": { paddingBlockEnd: "var(--edge)" },
  ".live-block.live-fence:not(.live-callout-last)": { paddingBlock: "0" },
  ".live-small": { fontSize: "0.6rem", lineHeight: "var(--edge)" },
  // Lists: the marker has a box before the text, and wrapped lines are aligned with the text.
  ".live-indent, .live-quoted": { display: "inline-block", textIndent: "0", whiteSpace: "pre" },
  ".live-quoted": { width: "var(--space-4)" },
  ".live-quote, .live-comment": { color: "var(--quiet)" },
  // Callouts are quotations with colours and a title.
  ".live-callout": {
    color: "var(--text)",
    "--fill": "linear-gradient(90deg, #0000 var(--from), var(--tint) 0 calc(100% - var(--to)), #0000 0)",
    paddingInlineEnd: "var(--space-4)",
  },
  ".live-callout-title": {
    "--sign": "calc(1.15em + var(--space-2))",
    backgroundClip: "padding-box",
    paddingBlockStart: "var(--space-3)",
    color: "var(--tone)",
    font: "600 var(--size-m) / round(1.5em, 1px) var(--sans)",
  },
  // Its wrapped lines begin beside the icon.
  ".live-callout-title:not(.live-begin)": {
    paddingInlineStart: "calc(max(var(--left), var(--right)) + var(--sign))",
    textIndent: "calc(-1 * var(--sign))",
  },
  ".live-callout-title + .live-callout:not(.live-gap)": { paddingBlockStart: "var(--space-2)" },
  ".live-callout-last": { paddingBlockEnd: "var(--space-3)" },
  // Not in the colour of quotations.
  ".live-callout span:not(.live-link):not(.live-mark)": { color: "inherit" },
  ".live-callout-sign svg": {
    width: "1.15em",
    height: "1.15em",
    marginInlineEnd: "var(--space-2)",
    verticalAlign: "-0.1em",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: "2",
    strokeLinecap: "round",
    strokeLinejoin: "round",
  },
  ".live-marked": { padding: "0.05em 0.15em", borderRadius: "0.25rem", background: "var(--mark)" },
  ".live-mark": {
    boxSizing: "border-box",
    display: "inline-block",
    minWidth: "1.5em",
    textIndent: "0",
    color: "var(--quiet)",
  },
  ".live-dash": { paddingInlineStart: "0.45em" },
  ".live-bullet": { fontSize: "0", lineHeight: "0", minWidth: "1.59375rem" },
  ".live-bullet::before": { content: '"•"', fontSize: "1.0625rem", paddingInlineStart: "0.45em" },
  ".live-number": { fontVariantNumeric: "tabular-nums", textAlign: "end" },
  ".live-box": {
    width: "1.009375rem",
    height: "1.009375rem",
    margin: "0",
    marginInlineEnd: "0.425rem",
    verticalAlign: "-0.1em",
    accentColor: "var(--accent)",
  },
  ".live-rule": { "--rule": "linear-gradient(var(--control) 0 0) no-repeat 0 0 / 6rem", lineHeight: "1px" },
  ".live-table": {
    fontFamily: "var(--mono)",
    fontSize: "0.85em",
    lineHeight: "round(1.45 * var(--size-m), 1px)",
    paddingBlock: "var(--space-2) calc(var(--space-2) + 1px)",
    fontVariantNumeric: "tabular-nums",
    // Cells of a column have the same width in each row, because they shrink by the same share.
    display: "flex",
    boxSizing: "border-box",
    width: "min-content",
    minWidth: "100%",
    boxShadow: "inset 0 -1px var(--line)",
  },
  ".live-table-head": {
    fontWeight: "600",
    boxShadow: "inset 0 -1px var(--control)",
  },
  ".live-table-rule": {
    display: "block",
    paddingBlock: "0",
    lineHeight: "0.8",
    fontSize: "0.6em",
    boxShadow: "none",
  },
  // Rendered tables have no such line.
  ".live-table-rule:has(.live-pipe)": { minHeight: "0", height: "0" },
  ".live-table > *": { flex: "none" },
  // Its text begins where that of a rendered table does.
  ".live-table > :is(.live-pipe, .live-pipe-shown):first-child": { marginInlineStart: "-2ch" },
  ".cm-scroller:has(.live-table)": { margin: "0 calc(-1 * var(--space-4))", padding: "0 var(--space-4)" },
  // Wrapped lines are aligned with the first one, which begins with a space.
  ".live-table > .live-cell": {
    flexShrink: "1",
    boxSizing: "border-box",
    paddingInlineStart: "1ch",
    textIndent: "-1ch",
  },
  ".live-pipe, .live-pipe *": { color: "#0000", fontWeight: "400" },
  ".live-pipe-shown": { color: "var(--quiet)", fontWeight: "400" },
});
