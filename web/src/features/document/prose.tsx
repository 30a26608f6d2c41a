import type { Root } from "mdast";
import { type ComponentProps, memo, type ReactNode, useLayoutEffect, useMemo } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import { Link } from "wouter";
import { readNoteAddress } from "../../../../src/shared/markdown/note-links.ts";
import { FileInText } from "../files/in-text.tsx";
import { parseFileReference, readPictureWords } from "../files/reference.ts";
import { markOffsets, sourceOffset } from "./clicked-offset.ts";
import { blockOf, type Point, selectedWord, textBefore, useClickedPoints } from "./clicked-place.ts";
import { Code } from "./code.tsx";
import { recordIdFromPath } from "./commitments/link.ts";
import { RecordLink } from "./commitments/record-link.tsx";
import { headingHash } from "./linked/follow.ts";
import { NoteAnchor } from "./linked/note-anchor.tsx";
import { headingFromHash, isOwnPicture, resolveLink } from "./links.ts";
import {
  continueNumbers,
  isSameChunk,
  numberFootnotes,
  onlyFootnotes,
  placeInText,
  plainText,
  readLongText,
  sourcePlace,
  type TextChunk,
  textPlace,
} from "./long-text.ts";
import { RENDERING_PLUGINS, SYNTAX_PLUGINS } from "./markdown-plugins.ts";
import { Quote } from "./obsidian/callout.tsx";
import { parseMarkdown } from "./parse-markdown.ts";
import styles from "./prose.module.css";
import { type HeadingEntry, placeHeadings } from "./prose-headings.ts";
import { ListItem, TaskCheckbox } from "./tasks.tsx";
import { estimatedHeight, useFormatting } from "./use-formatting.ts";

/** Prefix of the anchors that the renderer creates for footnotes. */
const OWN_ANCHOR = "#user-content-";

const anchorFor = (href: string) =>
  href.startsWith(OWN_ANCHOR) ? href : headingHash(headingFromHash(href)) || "#";

const external = { target: "_blank", rel: "noopener noreferrer nofollow" };

const withoutScheme = (url: string) => url.replace(/^(?:https?:\/\/|mailto:)/, "").replace(/\/$/, "");

/** The URL to print after a link to another site; undefined if the link's text is the URL. */
const printedUrl = (href: string, children: ReactNode): string | undefined =>
  typeof children === "string" && withoutScheme(children) === withoutScheme(href)
    ? undefined
    : href.replace(/^mailto:/, "");

function ScreenLink({ href, children }: { href: string; children: ReactNode }) {
  const number = recordIdFromPath(href);
  if (number === undefined) return <Link href={href}>{children}</Link>;
  return (
    <RecordLink href={href} number={number}>
      {children}
    </RecordLink>
  );
}

type NoteProps = { "data-target"?: string; "data-heading"?: string; "data-words"?: string };

/** The document to which a link leads, if it leads to one by its name. */
function noteOf(href: string, props: NoteProps) {
  const { "data-target": target, "data-heading": heading, "data-words": words } = props;
  if (target !== undefined) return { target, heading, hasWords: words !== undefined };
  const note = readNoteAddress(href);
  return note && { target: note.target, heading: note.heading, hasWords: true };
}

function Anchor({ href = "", children, node: _, ...props }: ComponentProps<"a"> & ExtraProps & NoteProps) {
  const file = parseFileReference(href);
  if (file) {
    return (
      <FileInText reference={file} isPicture={false} words={typeof children === "string" ? children : ""}>
        {children}
      </FileInText>
    );
  }
  const address = resolveLink(href, location.origin);
  const note = address.kind === "refused" ? noteOf(href, props) : undefined;
  if (note) {
    return (
      <NoteAnchor target={note.target} heading={note.heading}>
        {note.hasWords ? children : undefined}
      </NoteAnchor>
    );
  }
  if (address.kind === "refused") return <span>{children}</span>;
  if (address.kind === "screen") return <ScreenLink href={address.href}>{children}</ScreenLink>;
  if (address.kind === "anchor") {
    return (
      <a {...props} href={anchorFor(href)}>
        {children}
      </a>
    );
  }
  if (address.kind === "here") return <a href={address.href}>{children}</a>;
  return (
    <a href={address.href} {...external} data-leads-to={printedUrl(address.href, children)}>
      {children}
    </a>
  );
}

/** Shows files of the account and pictures of this service. A picture of another site, which would learn who reads, is a link. */
function Picture({ src = "", ...words }: { src?: string | Blob | undefined; alt?: string | undefined }) {
  const file = parseFileReference(String(src));
  const { words: alt, width } = readPictureWords(words.alt ?? "");
  if (file) return <FileInText reference={file} isPicture words={alt} shownWidth={width} />;
  const address = resolveLink(String(src), location.origin);
  if (isOwnPicture(address)) return <img src={address.href} alt={alt} style={{ width }} />;
  if (address.kind !== "elsewhere")
    return (
      <span className={styles.picture} data-picture>
        Picture: {alt}
      </span>
    );
  return (
    <a href={address.href} {...external} className={styles.picture} data-picture>
      Picture: {alt || new URL(address.href).host}
    </a>
  );
}

/** Wide content that scrolls and can be focused for that. A group, because a text may have too many for landmarks. */
const ScrollArea = ({ name, ...props }: { name: string; dir?: "auto"; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: not a group of form fields
  // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable (WCAG 2.1.1)
  <div {...props} role="group" className={styles.wide} aria-label={name} tabIndex={0} />
);

const COMPONENTS: Components = {
  a: Anchor,
  img: Picture,
  pre: ({ children, node: _, ...props }) => (
    <ScrollArea name="Code">
      <pre {...props}>{children}</pre>
    </ScrollArea>
  ),
  table: ({ children, id }) => (
    <ScrollArea name="Table" dir="auto">
      <table id={id}>{children}</table>
    </ScrollArea>
  ),
  blockquote: Quote,
  code: Code,
  li: ListItem,
  input: TaskCheckbox,
};

/** The syntax trees of the formatted chunks: a click in them need not parse their text again. */
const trees = new WeakMap<TextChunk, Root>();

/** A remark plugin. What follows changes the tree. */
const keepTree = (chunk: TextChunk) => () => (root: Root) => {
  trees.set(chunk, structuredClone(root));
};

/** The heading of the footnotes: the levels of the text begin below the title. */
const REHYPE_OPTIONS = { footnoteLabelTagName: "h1" };

const FormattedChunk = ({ chunk }: { chunk: TextChunk }) => (
  <ReactMarkdown
    remarkPlugins={[...SYNTAX_PLUGINS, keepTree(chunk), ...RENDERING_PLUGINS, numberFootnotes(chunk)]}
    rehypePlugins={[
      () => placeInText(chunk),
      [placeHeadings, chunk],
      markOffsets,
      () => continueNumbers(chunk),
      () => onlyFootnotes(chunk),
    ]}
    remarkRehypeOptions={REHYPE_OPTIONS}
    components={COMPONENTS}
    urlTransform={(url) => url}
  >
    {chunk.source}
  </ReactMarkdown>
);

type ChunkProps = {
  chunk: TextChunk;
  text: string;
  isFormatted: boolean;
  /** Whether it is one of many: then the browser draws it only near the screen. */
  isPart: boolean;
};

/** Some blocks. Until they are formatted their text is there for searching, and for screen readers, but not seen. */
const ShownChunk = memo(
  function ShownChunk({ chunk, text, isFormatted, isPart }: ChunkProps) {
    const own = text.slice(chunk.from, chunk.to);
    const kind = chunk.continued?.kind;
    const isSpaced = kind === "list" && /\n\s*\n$/.test(text.slice(Math.max(0, chunk.from - 20), chunk.from));
    const height = isPart ? { containIntrinsicBlockSize: `auto ${estimatedHeight(own)}px` } : undefined;
    return (
      <div
        className={isPart ? `${styles.chunk} ${styles.part}` : styles.chunk}
        style={height}
        data-chunk={chunk.from}
        data-continues={isSpaced ? undefined : kind}
      >
        {chunk.isTooDeep || !isFormatted ? (
          <p className={chunk.isTooDeep ? styles.source : styles.unformatted} data-at={chunk.from}>
            {chunk.isTooDeep ? own : plainText(chunk)}
          </p>
        ) : (
          <FormattedChunk chunk={chunk} />
        )}
      </div>
    );
  },
  (before, after) =>
    before.isFormatted === after.isFormatted &&
    before.isPart === after.isPart &&
    isSameChunk(before.chunk, after.chunk),
);

/**
 * The offset in the text of a place on the screen; undefined if it is not in the text.
 *
 * @param letter the first one of a word that begins there, perhaps behind marks
 */
function placeOf(
  text: string,
  chunks: readonly TextChunk[],
  point: Point | "end" | undefined,
  letter = "",
): number | undefined {
  if (point === "end" || !point) return point && text.length;
  const block = blockOf(point);
  const from = Number(block?.dataset.at);
  const chunk = chunks.findLast((one) => one.from <= from && one.from < one.to) ?? chunks[0];
  const before = block && textBefore(block, point);
  if (before === undefined || !chunk) return undefined;
  // It is shown as it is written.
  if (chunk.isTooDeep) return from + before.length;
  const source = { text: chunk.source, root: trees.get(chunk) ?? parseMarkdown(chunk.source) };
  const offset = sourceOffset(source, sourcePlace(chunk, from), before + letter) - letter.length;
  return Math.min(textPlace(chunk, offset), text.length);
}

type Props = {
  text: string;
  title: string;
  /** Called with the offset of a clicked place, and the start of a word that was double-clicked. */
  onPlace?: ((place: number, start?: number) => void) | undefined;
  onHeadings?: ((headings: readonly HeadingEntry[]) => void) | undefined;
};

/** Rendered Markdown. HTML in it is shown as text, and `links.ts` decides which URLs become links. */
export default function Prose({ text, title, onPlace, onHeadings }: Props) {
  const read = useMemo(() => readLongText(text, title), [text, title]);
  const { chunks, headings } = read;
  const placeAt = (point: Point | "end", letter?: string) => placeOf(text, chunks, point, letter);
  const { root, isFormatted } = useFormatting(read, placeAt);
  useLayoutEffect(() => onHeadings?.(headings), [headings, onHeadings]);
  useClickedPoints(root, (point) => {
    const place = placeAt(point);
    if (place !== undefined) onPlace?.(place);
  });
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a text, whose places can be clicked
    <div
      ref={root}
      className={styles.prose}
      // While the first click opens the editor, the second may still reach this text.
      onDoubleClick={({ nativeEvent }) => {
        const word = onPlace && selectedWord(nativeEvent);
        const place = word && placeAt(word.end);
        if (word && place !== undefined) onPlace?.(place, placeAt(word.start, word.letter));
      }}
    >
      {chunks.map((chunk, index) => (
        <ShownChunk
          // biome-ignore lint/suspicious/noArrayIndexKey: a chunk that has changed keeps its focus
          key={index}
          chunk={chunk}
          text={text}
          isFormatted={isFormatted(index)}
          isPart={chunks.length > 1}
        />
      ))}
    </div>
  );
}
