import type { Extension as MdastExtension } from "mdast-util-from-markdown";
import type { Code, Construct, Event, Extension, State, Token, TokenizeContext } from "micromark-util-types";
import type { Processor } from "unified";
import { linkWords, type NoteLink, wikiLinksIn } from "../../../../../src/shared/markdown/note-links.ts";

// Obsidian's inline syntax: `[[links]]` to documents and ==marked== words. In linear time.

declare module "micromark-util-types" {
  interface TokenTypeMap {
    noteLink: "noteLink";
    mark: "mark";
    markSequence: "markSequence";
    markDelimiter: "markDelimiter";
    markText: "markText";
  }

  interface Token {
    _mayOpen?: boolean;
    _mayClose?: boolean;
  }
}

declare module "mdast" {
  interface Mark extends Parent {
    type: "mark";
    children: PhrasingContent[];
  }
  interface PhrasingContentMap {
    mark: Mark;
  }
  interface RootContentMap {
    mark: Mark;
  }
}

const [EXCLAMATION, EQUALS, OPENING, CLOSING] = [33, 61, 91, 93] as const;
/** The longest link with its heading and words. */
const MAX_LENGTH = 1100;

const isLineEnd = (code: Code) => code === null || code < 0;

/** Reads `[[…]]`, with brackets only at its ends. */
function tokenizeNoteLink(
  this: TokenizeContext,
  effects: Parameters<Construct["tokenize"]>[0],
  ok: State,
  nok: State,
): State {
  let length = 0;
  const expect =
    (wanted: number, next: State): State =>
    (code) => {
      if (code !== wanted) return nok(code);
      effects.consume(code);
      return next;
    };
  const inside: State = (code) => {
    if (isLineEnd(code) || code === OPENING || length > MAX_LENGTH) return nok(code);
    if (code === CLOSING) return length === 0 ? nok(code) : expect(CLOSING, end)(code);
    length += 1;
    effects.consume(code);
    return inside;
  };
  const last: State = (code) => {
    effects.exit("noteLink");
    return ok(code);
  };
  const end: State = expect(CLOSING, last);
  const opening: State = expect(OPENING, expect(OPENING, inside));
  return (code) => {
    effects.enter("noteLink");
    if (code !== EXCLAMATION) return opening(code);
    effects.consume(code);
    return opening;
  };
}

const noteLink: Construct = {
  name: "noteLink",
  tokenize(effects, ok, nok) {
    const isLink: State = (code) =>
      wikiLinksIn(this.sliceSerialize(lastToken(this))).next().done ? nok(code) : ok(code);
    return tokenizeNoteLink.call(this, effects, isLink, nok);
  },
};

const lastToken = ({ events }: TokenizeContext) => (events.at(-1) as Event)[1];

const isSpace = (code: Code) => code === null || code < 0 || code === 32;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const isPunctuation = (code: Code) =>
  code !== null && code > 0 && PUNCTUATION.test(String.fromCharCode(code));

/** Exactly two equals signs, which open or close next to words, as `**` does. */
const mark: Construct = {
  name: "mark",
  tokenize(effects, ok, nok) {
    const { previous } = this;
    let size = 0;
    const more: State = (code) => {
      if (code === EQUALS) {
        if (size === 2) return nok(code);
        size += 1;
        effects.consume(code);
        return more;
      }
      if (size < 2) return nok(code);
      const token = effects.exit("markSequence");
      token._mayOpen =
        !isSpace(code) && (!isPunctuation(code) || isSpace(previous) || isPunctuation(previous));
      token._mayClose =
        !isSpace(previous) && (!isPunctuation(previous) || isSpace(code) || isPunctuation(code));
      return ok(code);
    };
    return (code) => {
      if (previous === EQUALS) return nok(code);
      effects.enter("markSequence");
      return more(code);
    };
  },
  resolveAll: resolveMarks,
};

/** Resolves what stands inside a mark, so that emphasis does not reach across its ends. */
function resolveInside(events: Event[], context: TokenizeContext): Event[] {
  const resolvers = (context.parser.constructs.insideSpan.null ?? []).flatMap(
    ({ resolveAll }) => resolveAll ?? [],
  );
  return [...new Set(resolvers)].reduce((resolved, resolve) => resolve(resolved, context), events);
}

/** The events before and after the content of a mark. */
function markEvents(
  opening: Token,
  closing: Token,
  context: TokenizeContext,
): [before: Event[], after: Event[]] {
  const whole: Token = { type: "mark", start: { ...opening.start }, end: { ...closing.end } };
  const text: Token = { type: "markText", start: { ...opening.end }, end: { ...closing.start } };
  return [
    [
      ["enter", whole, context],
      ["enter", opening, context],
      ["exit", opening, context],
      ["enter", text, context],
    ],
    [
      ["exit", text, context],
      ["enter", closing, context],
      ["exit", closing, context],
      ["exit", whole, context],
    ],
  ];
}

/** Pairs each sequence that may close with the last one that may open: the opening by its closing one. */
function pairMarks(events: Event[]): Map<Token, Token> {
  const pairs = new Map<Token, Token>();
  let open: Token | undefined;
  for (const [kind, token] of events) {
    if (kind === "exit" || token.type !== "markSequence") continue;
    if (open && token._mayClose) {
      pairs.set(token, open);
      open = undefined;
    } else if (token._mayOpen) open = token;
  }
  return pairs;
}

/** Replaces what was resolved from an opening sequence on by a mark. */
function closeMark(
  resolved: Event[],
  start: number,
  [opening, closing]: [Token, Token],
  context: TokenizeContext,
): void {
  const inside = resolveInside(resolved.splice(start).slice(2), context);
  const [before, after] = markEvents(opening, closing, context);
  for (const token of [opening, closing]) token.type = "markDelimiter";
  for (const event of [before, inside, after].flat()) resolved.push(event);
}

/** Replaces the events in the tokenizer's own array. What is left of sequences is text. */
function replaceEvents(events: Event[], resolved: readonly Event[]): Event[] {
  events.length = 0;
  for (const event of resolved) {
    const [, token] = event;
    if (token.type === "markSequence") token.type = "data";
    events.push(event);
  }
  return events;
}

/** Makes marks of the paired sequences, which are not nested; other sequences are text. */
function resolveMarks(events: Event[], context: TokenizeContext): Event[] {
  const pairs = pairMarks(events);
  const openings = new Set(pairs.values());
  const resolved: Event[] = [];
  let start = 0;
  for (const event of events) {
    const [kind, token] = event;
    const opening = pairs.get(token);
    if (opening && kind === "enter") closeMark(resolved, start, [opening, token], context);
    if (opening) continue;
    if (openings.has(token) && kind === "enter") start = resolved.length;
    resolved.push(event);
  }
  return replaceEvents(events, resolved);
}

const syntax: Extension = {
  text: { [EXCLAMATION]: noteLink, [EQUALS]: mark, [OPENING]: noteLink },
  insideSpan: { null: [mark] },
  attentionMarkers: { null: [EQUALS] },
};

/** The attributes by which a rendered link to a document is recognized. */
const linkAttributes = ({ target, heading, words }: NoteLink) => ({
  dataTarget: target,
  ...(heading !== undefined && { dataHeading: heading }),
  ...(words !== undefined && { dataWords: "" }),
});

const IN_LINK = new Set(["link", "linkReference"]);

const tree: MdastExtension = {
  canContainEols: ["mark"],
  enter: {
    mark(token) {
      this.enter({ type: "mark", data: { hName: "mark" }, children: [] }, token);
    },
    noteLink(token) {
      const link = wikiLinksIn(this.sliceSerialize(token)).next().value as NoteLink;
      const text = { type: "text" as const, value: linkWords(link) };
      // Links are not nested.
      if (this.stack.some(({ type }) => IN_LINK.has(type))) this.enter(text, token);
      else {
        const data = { hProperties: linkAttributes(link) };
        this.enter({ type: "link", url: "", data, children: [text] }, token);
      }
    },
  },
  exit: {
    mark(token) {
      this.exit(token);
    },
    noteLink(token) {
      this.exit(token);
    },
  },
};

/** A remark plugin for links to documents and marked words. */
export function remarkInlineSyntax(this: Processor): void {
  const data = this.data() as {
    micromarkExtensions?: Extension[];
    fromMarkdownExtensions?: MdastExtension[];
  };
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), syntax];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), tree];
}
