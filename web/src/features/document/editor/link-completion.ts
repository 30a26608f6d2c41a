import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
  pickedCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { blankComments } from "../../../../../src/shared/markdown/comments.ts";
import { headingsOf } from "../../../../../src/shared/markdown/headings.ts";
import { linkNameKey } from "../../../../../src/shared/markdown/note-links.ts";
import { titleText } from "../../../kit/title-text.ts";
import { readDocument } from "../../../state/copies.ts";
import { findTitles, type Titled } from "../linked/find-titles.ts";
import { findDocument, titleOfTarget } from "../linked/follow.ts";
import { headingWords } from "../prose-headings.ts";
import { writingOf } from "../writing.ts";
import { cellText } from "./insert-markdown.ts";
import { enclosingNode } from "./lists.ts";
import { tableAt } from "./table.ts";

// Offers documents after `[[`, and headings after `#` there.

/** What opens the list. Words after `|` are free, and `[[ ` is the test of a shell. */
export const LINK_OPENING = /\[\[((?! )[^[\]\n|]*)$/;
/** Nodes in which brackets are ordinary characters. */
const NOT_TEXT = /Code|HTML|FrontMatter/;
/** Pause in typing before titles are looked up. */
const PAUSE_MS = 120;
const MAX_TITLE = 300;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

/** Replaces what was typed by a link, and brackets that close it already. */
const insertLink =
  (link: string, then?: () => void) =>
  (view: EditorView, completion: Completion, from: number, to: number): void => {
    const end = view.state.sliceDoc(to, to + 2) === "]]" ? to + 2 : to;
    const insert = `${tableAt(view.state, from) ? cellText(link) : link}]]`;
    view.dispatch({
      changes: { from, to: end, insert },
      selection: { anchor: from + insert.length },
      scrollIntoView: true,
      userEvent: "input.complete",
      annotations: pickedCompletion.of(completion),
    });
    then?.();
  };

/** Characters that end a title in a link. */
const SPECIAL = /[[\]|#^\\]|\n/;
const withoutSpecial = (text: string) =>
  text
    .replace(/[[\]|]/g, " ")
    .replace(/\s+/g, " ")
    .trim();

/** The target for a document: its title, with its folders if others have the same, or its id where that does not do. */
function targetFor({ id, title, folders }: Titled, isAmbiguous: boolean): string {
  const path = [...(isAmbiguous ? folders : []), title].join("/");
  const isUnclear = isAmbiguous && folders.length === 0;
  if (!isUnclear && !SPECIAL.test(path) && !title.includes("/")) return path;
  return `doc:${id}|${withoutSpecial(titleText(title))}`;
}

const documentOptions = (found: readonly Titled[]): Completion[] =>
  found.map((one) => {
    const key = linkNameKey(one.title);
    const isAmbiguous = found.some((other) => other !== one && linkNameKey(other.title) === key);
    return {
      label: titleText(one.title),
      detail: one.folders.join(" / "),
      type: "note",
      apply: insertLink(targetFor(one, isAmbiguous)),
    };
  });

/** Creates the document to which a target then leads. */
export type CreateLinked = (target: string, title: string) => void;

/** The option that creates the document that is typed, if there is none. */
function creationOptions(typed: string, found: readonly Titled[], create: CreateLinked): Completion[] {
  const title = titleOfTarget(typed).trim();
  const exists = found.some((one) => linkNameKey(one.title) === linkNameKey(title));
  if (title === "" || title.length > MAX_TITLE || exists || SPECIAL.test(title)) return [];
  return [
    {
      label: `Create “${title}”`,
      detail: "new",
      type: "note",
      apply: insertLink(typed.trim(), () => create(typed.trim(), title)),
    },
  ];
}

/** The documents that were offered, by their titles' keys, so that one that was just picked need not be looked up again. */
const offered = new Map<string, string | undefined>();

function noteOffered(found: readonly Titled[]): void {
  for (const { id, title } of found) {
    const key = linkNameKey(title);
    // Undefined if several have the title.
    offered.set(key, (offered.get(key) ?? id) === id ? id : undefined);
  }
}

const knownId = (target: string) => (target.includes("/") ? undefined : offered.get(linkNameKey(target)));

/** The text of the document that is typed before `#`; this one if nothing is. */
async function textOfTarget(state: EditorState, target: string): Promise<string> {
  if (target.trim() === "") return state.doc.toString();
  const id = knownId(target) ?? (await findDocument(target.trim()));
  return id === undefined ? "" : writingOf((await readDocument(id)).content).text;
}

async function headingOptions(state: EditorState, target: string, typed: string): Promise<Completion[]> {
  const text = await textOfTarget(state, target).catch(() => "");
  const wanted = typed.trim().toLowerCase();
  return headingsOf(blankComments(text))
    .map(({ text: source, depth }) => ({ words: headingWords(source), depth }))
    .filter(({ words }) => words.toLowerCase().includes(wanted))
    .map(({ words, depth }) => ({
      label: words,
      detail: "#".repeat(depth),
      type: "note",
      apply: insertLink(`${target}#${withoutSpecial(words.replace(/[#^]/g, " "))}`),
    }));
}

/** Completes links to documents. `create` makes a document that does not exist yet. */
export const linkSource =
  (create: CreateLinked): CompletionSource =>
  async (context: CompletionContext): Promise<CompletionResult | null> => {
    const { state, pos } = context;
    const [, typed] = LINK_OPENING.exec(context.matchBefore(LINK_OPENING)?.text ?? "") ?? [];
    if (typed === undefined) return null;
    const from = pos - typed.length;
    if (enclosingNode(syntaxTree(state).resolveInner(from, -1), NOT_TEXT)) return null;
    const hash = typed.indexOf("#");
    if (typed !== "") await pause();
    if (context.aborted) return null;
    if (hash >= 0) {
      const options = await headingOptions(state, typed.slice(0, hash), typed.slice(hash + 1));
      return { from, options, filter: false };
    }
    const found = await findTitles(titleOfTarget(typed));
    noteOffered(found);
    return {
      from,
      options: [...documentOptions(found), ...creationOptions(typed, found, create)],
      filter: false,
    };
  };

/** Begins a link in place of a range. */
export function startLink(view: EditorView, from: number, to: number): void {
  view.dispatch({
    changes: { from, to, insert: "[[" },
    selection: { anchor: from + 2 },
    userEvent: "input.complete",
  });
  startCompletion(view);
}
