import { EditorView } from "@codemirror/view";

// The theme of Markdown in the editor. It matches prose.module.css, the styles of rendered Markdown.

/** Nesting depth up to which lists and quotations are indented. */
export const MAX_NESTING = 6;

type Rules = Record<string, Record<string, string>>;

const DEPTHS = Array.from({ length: MAX_NESTING }, (_, index) => index + 1);

const indentation = (depth: number) => `${1.5 * depth}em`;

/** Lists: the marker has a box before the text, and wrapped lines are aligned with the text. */
const lists: Rules = Object.assign(
  {},
  ...DEPTHS.map((depth) => ({
    [`.live-item-${depth}`]: { paddingInlineStart: indentation(depth), textIndent: `-${indentation(depth)}` },
    [`.live-in-${depth}`]: { paddingInlineStart: indentation(depth) },
    [`.live-indent-${depth}`]: { display: "inline-block", minWidth: indentation(depth - 1), textIndent: "0" },
  })),
);

const quotes: Rules = Object.assign(
  {},
  ...DEPTHS.map((depth) => ({
    [`.live-quote-${depth}`]: {
      color: "var(--quiet)",
      paddingInlineStart: `calc(${depth} * var(--space-4))`,
      "--bars": Array.from({ length: depth }, (_, index) =>
        // Each bar covers part of the previous one.
        index === 0
          ? "inset 3px 0 var(--control)"
          : `inset calc(${index} * var(--space-4)) 0 var(--ground), inset calc(${index} * var(--space-4) + 3px) 0 var(--control)`,
      ).join(", "),
      boxShadow: "var(--bars)",
    },
    ...Object.fromEntries(
      DEPTHS.map((inner) => [
        `.live-quote-${depth}:is(.live-item-${inner}, .live-in-${inner})`,
        { paddingInlineStart: `calc(${depth} * var(--space-4) + ${indentation(inner)})` },
      ]),
    ),
  })),
);

/** Callouts: like quotations, with colours and a title. */
const CALLOUTS: Record<string, [tone: string, ground: string]> = {
  blue: ["--blue", "--blue-ground"],
  green: ["--accent", "--accent-ground"],
  yellow: ["--warn", "--warn-ground"],
  red: ["--danger", "--danger-ground"],
  violet: ["--violet", "--violet-ground"],
  grey: ["--quiet", "--sunken"],
};
const callouts: Rules = Object.fromEntries(
  Object.entries(CALLOUTS).flatMap(([colour, [tone, ground]]) => [
    [
      `.live-callout.live-callout-${colour}`,
      {
        color: "var(--text)",
        // Translucent, because the selection is drawn below the lines.
        background: `color-mix(in srgb, var(${ground}) 70%, transparent)`,
        "--bars": `inset 3px 0 var(${tone})`,
      },
    ],
    [`.live-callout-title.live-callout-${colour}`, { color: `var(${tone})` }],
  ]),
);

/** In whole pixels: translucent backgrounds would overlap where two lines share a pixel. */
const code = { fontFamily: "var(--mono)", fontSize: "var(--size-s)", lineHeight: "round(1.6em, 1px)" };
/** Translucent, because the selection is drawn below the lines. */
const SHADE = "color-mix(in srgb, var(--text) 6%, transparent)";

export const liveTheme = EditorView.theme({
  // Absolutely positioned, so that it allows no line break, and as high as the line, so that clicks find the right character.
  ".live-hidden": { position: "absolute", width: "0", height: "1lh", overflow: "hidden", whiteSpace: "pre" },
  // A row of a table that is wider scrolls alone; it does not widen the text.
  ".cm-content": { minWidth: "0" },
  // The height also applies to lines whose text is hidden. `contain` limits layout to the changed line.
  ".cm-line": { minHeight: "1lh", contain: "layout style" },
  // As between rendered blocks, so that the text stays in its place when it is clicked.
  ".live-gap": { lineHeight: "var(--space-4)" },
  ".live-heading-gap": { lineHeight: "var(--space-6)" },
  ".cm-line:not(.live-gap) + .cm-line[class*='live-item-']": { paddingBlockStart: "var(--space-1)" },
  ".live-heading": { fontWeight: "600", lineHeight: "1.3" },
  ".live-h1": { fontSize: "var(--size-xl)" },
  ".live-h2": { fontSize: "var(--size-l)" },
  ".live-link": { color: "var(--accent)", textDecoration: "underline", textUnderlineOffset: "0.15em" },
  ".live-missing": { textDecorationStyle: "dashed" },
  ".live-code": { padding: "0.1em 0.3em", borderRadius: "0.25rem", background: SHADE, fontSize: "0.85em" },
  ".live-front": { ...code, color: "var(--quiet)" },
  ".live-block": { ...code, paddingInline: "var(--space-4)", background: SHADE },
  // Prevents the reduced font size from applying twice.
  ".live-code *, .live-block *": { fontSize: "inherit" },
  ".live-first": {
    paddingBlockStart: "var(--space-2)",
    borderStartStartRadius: "var(--radius)",
    borderStartEndRadius: "var(--radius)",
  },
  ".live-last": {
    paddingBlockEnd: "var(--space-2)",
    borderEndStartRadius: "var(--radius)",
    borderEndEndRadius: "var(--radius)",
  },
  ...lists,
  ...quotes,
  ...callouts,
  ".live-callout-title": { fontWeight: "600" },
  // Not in the colour of quotations.
  ".live-callout > span:not(.live-link):not(.live-mark)": { color: "inherit" },
  ".live-callout-sign svg": {
    width: "1em",
    height: "1em",
    marginInlineEnd: "var(--space-2)",
    verticalAlign: "-0.1em",
    fill: "none",
    stroke: "currentColor",
    strokeWidth: "2",
    strokeLinecap: "round",
    strokeLinejoin: "round",
  },
  ".live-marked": { padding: "0.05em 0.15em", borderRadius: "0.2em", background: "var(--mark)" },
  ".live-comment": { color: "var(--quiet)" },
  ".live-mark": {
    boxSizing: "border-box",
    display: "inline-block",
    minWidth: "1.5em",
    textIndent: "0",
    color: "var(--quiet)",
  },
  ".live-dash": { paddingInlineStart: "0.45em" },
  ".live-bullet": { fontSize: "0", minWidth: "calc(1.5 * 1.0625rem)" },
  ".live-bullet::before": { content: '"•"', fontSize: "1.0625rem", paddingInlineStart: "0.45em" },
  ".live-number": { fontVariantNumeric: "tabular-nums", textAlign: "end" },
  ".live-box": {
    width: "0.95em",
    height: "0.95em",
    margin: "0 0.3em 0 0",
    verticalAlign: "-0.1em",
    accentColor: "var(--accent)",
  },
  ".live-rule": {
    background: "linear-gradient(var(--control), var(--control)) no-repeat 0 50% / 6rem 1px",
  },
  ".live-table": {
    fontFamily: "var(--mono)",
    fontSize: "0.85em",
    lineHeight: "1.5",
    paddingBlock: "0.25em",
    fontVariantNumeric: "tabular-nums",
    // Cells of a column have the same width in each row, because they shrink by the same share.
    display: "flex",
    boxSizing: "border-box",
    width: "min-content",
    minWidth: "100%",
    boxShadow: "var(--bars, 0 0 transparent), inset 0 -1px var(--line)",
  },
  ".live-table-head": {
    fontWeight: "600",
    boxShadow: "var(--bars, 0 0 transparent), inset 0 -1px var(--control)",
  },
  ".live-table-rule": {
    display: "block",
    paddingBlock: "0",
    lineHeight: "0.8",
    fontSize: "0.6em",
    boxShadow: "var(--bars, none)",
  },
  ".live-table > *": { flex: "none" },
  // Wrapped lines are aligned with the first one, which begins with a space.
  ".live-table > .live-cell": {
    flexShrink: "1",
    boxSizing: "border-box",
    paddingInlineStart: "1ch",
    textIndent: "-1ch",
  },
  ".live-pipe, .live-pipe *": { color: "transparent", fontWeight: "400" },
  ".live-pipe-shown": { color: "var(--quiet)", fontWeight: "400" },
});
