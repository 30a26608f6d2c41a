import { syntaxTree } from "@codemirror/language";
import type { EditorState, Extension, Range } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import type { SyntaxNodeRef } from "@lezer/common";
import { fileContentUrl, thumbnailUrl } from "../../../api/files.ts";
import { getPendingFiles } from "../../../state/pending-files.ts";
import { cachedFile } from "../../files/file-queries.ts";
import {
  type FileReference,
  maxPictureWidth,
  parseFileReference,
  readPictureWords,
} from "../../files/reference.ts";

// Shows the account's pictures in the editor: in place of their Markdown, and after it while the cursor is in that.

const WAITING = "Waiting to upload";
const ELSEWHERE = "Only on the device where it was added";

type Source = { src?: string; note?: string; isOwn?: true; size?: { width: number; height: number } };

function pictureSource({ id, key }: FileReference): Source {
  if (id !== undefined) {
    const { thumbnails, width, height } = cachedFile(id) ?? {};
    const src = thumbnails?.includes(1000) ? thumbnailUrl(id, 1000) : fileContentUrl(id);
    return { src, ...(width && height && { size: { width, height } }) };
  }
  const here = getPendingFiles().find((file) => file.key === key);
  if (!here) return { note: ELSEWHERE };
  const note = here.refused ? "Not uploaded" : WAITING;
  return { src: URL.createObjectURL(here.bytes), note, isOwn: true };
}

class Picture extends WidgetType {
  private readonly href: string;
  private readonly words: string;

  constructor(href: string, words: string) {
    super();
    this.href = href;
    this.words = words;
  }

  override eq(other: Picture): boolean {
    return other.href === this.href && other.words === this.words;
  }

  override get estimatedHeight(): number {
    return 240;
  }

  override toDOM(view: EditorView): HTMLElement {
    const { ownerDocument: page } = view.dom;
    const box = Object.assign(page.createElement("span"), { className: "live-picture" });
    const reference = parseFileReference(this.href);
    const { src, note, isOwn, size } = reference ? pictureSource(reference) : {};
    const { words: alt, width } = readPictureWords(this.words);
    const words = alt || "Picture";
    if (src) {
      const picture = Object.assign(page.createElement("img"), { alt: words, src, ...size });
      if (width) picture.style.width = `${width}px`;
      // It has its height before it is loaded, so that what is below it stays in its place.
      if (size) box.style.maxWidth = maxPictureWidth(size);
      const measure = () => view.requestMeasure();
      picture.addEventListener("load", () => {
        box.style.maxWidth = maxPictureWidth({ width: picture.naturalWidth, height: picture.naturalHeight });
        measure();
      });
      picture.addEventListener("error", () => {
        picture.replaceWith(`${words}: can’t be shown`);
        measure();
      });
      if (isOwn) box.dataset.address = src;
      box.append(picture);
    }
    if (note) box.append(Object.assign(page.createElement("small"), { textContent: note }));
    return box;
  }

  override destroy({ dataset: { address } }: HTMLElement): void {
    if (address) URL.revokeObjectURL(address);
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** The widget for a picture in the text, if it is one of the account's files. */
function pictureAt(state: EditorState, { node }: SyntaxNodeRef): Picture | undefined {
  const address = node.getChild("URL");
  const [opening, closing] = node.getChildren("LinkMark");
  if (!address || !opening || !closing) return undefined;
  const href = state.sliceDoc(address.from, address.to);
  return parseFileReference(href) && new Picture(href, state.sliceDoc(opening.to, closing.from));
}

const isCursorIn = ({ selection }: EditorState, { from, to }: SyntaxNodeRef) =>
  selection.ranges.some((range) => range.from <= to && range.to >= from);

function draw({ state, visibleRanges, hasFocus }: EditorView): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to } of visibleRanges) {
    syntaxTree(state).iterate({
      from,
      to,
      enter: (node) => {
        if (node.name !== "Image") return;
        const widget = pictureAt(state, node);
        if (!widget) return;
        if (hasFocus && isCursorIn(state, node))
          ranges.push(Decoration.widget({ widget, side: 1 }).range(node.to));
        else ranges.push(Decoration.replace({ widget }).range(node.from, node.to));
      },
    });
  }
  return Decoration.set(ranges, true);
}

const pictures = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = draw(view);
    }

    update({ view, docChanged, viewportChanged, selectionSet, focusChanged, startState, state }: ViewUpdate) {
      const isParsed = syntaxTree(startState) !== syntaxTree(state);
      if (docChanged || viewportChanged || selectionSet || focusChanged || isParsed)
        this.decorations = draw(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

const theme = EditorView.theme({
  ".live-picture": {
    position: "relative",
    display: "inline-block",
    maxWidth: "100%",
    lineHeight: "0",
    verticalAlign: "bottom",
    cursor: "default",
  },
  ".live-picture img": {
    maxWidth: "100%",
    maxHeight: "36rem",
    height: "auto",
    borderRadius: "var(--radius)",
    background: "var(--sunken)",
  },
  ".live-picture img:has(+ small)": { opacity: "0.75" },
  ".live-picture small": {
    padding: "0 var(--space-2)",
    borderRadius: "999px",
    background: "var(--surface)",
    color: "var(--text)",
    font: "var(--size-s) / 1.6 var(--sans)",
  },
  ".live-picture img + small": {
    position: "absolute",
    insetBlockEnd: "var(--space-2)",
    insetInlineStart: "var(--space-2)",
  },
});

export const filePictures: Extension = [pictures, theme];
