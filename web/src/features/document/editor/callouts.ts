import { Decoration, WidgetType } from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import { CALLOUT_START, type CalloutKind, calloutKind } from "../obsidian/callout-kinds.ts";
import { indentOf } from "./containers.ts";
import { type DrawContext, drawnLines, hide, lineDecoration } from "./decorations.ts";

// Callouts in the editor, as in ../obsidian/callout.tsx.

const SVG = "http://www.w3.org/2000/svg";

/** The icon of a callout, and its name if it has no title. */
class CalloutSign extends WidgetType {
  private readonly kind: CalloutKind;
  private readonly isTitled: boolean;

  constructor(kind: CalloutKind, isTitled: boolean) {
    super();
    this.kind = kind;
    this.isTitled = isTitled;
  }

  override eq({ kind, isTitled }: CalloutSign): boolean {
    return kind.name === this.kind.name && isTitled === this.isTitled;
  }

  override toDOM(): HTMLElement {
    const sign = Object.assign(document.createElement("span"), { className: "live-callout-sign" });
    const icon = document.createElementNS(SVG, "svg");
    icon.setAttribute("viewBox", "0 0 24 24");
    icon.setAttribute("aria-hidden", "true");
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", this.kind.icon);
    icon.append(path);
    sign.append(icon, this.isTitled ? "" : this.kind.name);
    return sign;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** Draws a quotation as a callout if it begins like one. Returns whether it does. */
export function drawCallout(drawing: DrawContext, node: SyntaxNodeRef): boolean {
  const { state } = drawing;
  const line = state.doc.lineAt(node.from);
  const before = /^>?\s*/.exec(state.sliceDoc(node.from, line.to))?.[0].length ?? 0;
  const from = node.from + before;
  const words = state.sliceDoc(from, line.to);
  const [mark, written = ""] = CALLOUT_START.exec(words) ?? [];
  if (mark === undefined) return false;
  const kind = calloutKind(written);
  const look = `--tone: var(--${kind.colour}); --tint: var(--${kind.colour}-tint); ${indentOf(state, node)}`;
  for (const { from: at, to } of drawnLines(drawing, node)) {
    drawing.add(lineDecoration("callout", look), at);
    if (at === line.from) drawing.add(lineDecoration("callout-title"), at);
    if (to >= node.to) drawing.add(lineDecoration("callout-last"), at);
  }
  if (line.from < drawing.from || drawing.isCursorAt(line.from)) return true;
  const widget = new CalloutSign(kind, words.slice(mark.length).trim() !== "");
  drawing.add(Decoration.widget({ widget, side: 1 }), from);
  hide(drawing, from, from + mark.length);
  return true;
}
