import { isObject } from "../../../../src/shared/files/content.ts";
import { type Document, documentsApi } from "../../api/documents.ts";
import { randomId } from "../../api/random-id.ts";
import {
  type ConflictingVersion,
  type DraftPlace,
  deleteDraft,
  readDraft,
  saveDraft,
} from "../../state/document-drafts.ts";
import { linkFilesToDocument } from "../../state/pending-files.ts";
import { lockDraft, saveDraftSync } from "../../state/shown-drafts.ts";
import { refreshFiles } from "../files/file-queries.ts";
import { haveDifferentFiles } from "../files/reference.ts";
import { queueChange } from "./change-queue.ts";
import { findAlreadyCreated } from "./creation.ts";
import { Conflict, publishDocument, publishWhileEditing, updateFromBase } from "./data.ts";
import {
  conflictingVersion,
  isSameText,
  type MergeConflict,
  mergeDocument,
  type TitledText,
  unmergedBase,
} from "./merging.ts";
import { changedPart, explainError, isSavedIn, mayBeDone, newDocument, withTitle } from "./saving.ts";
import type { EditStart } from "./start.ts";
import { isSameWriting, writingOf } from "./writing.ts";

/** Pause in typing after which the text is kept in this browser. */
const KEEP_PAUSE_MS = 500;
/** Pause in typing after which the text is saved. */
const SAVE_PAUSE_MS = 1500;
/** Minimum time between two saves: a long text takes longer to send and index. */
const minSaveIntervalMs = (characters: number) => 5000 + characters / 20;
/** How many unanswered texts are remembered. */
const MAX_SENT = 20;

/** A string, or CodeMirror's text, which is converted to a string only when it is kept or sent, not at each keystroke. */
export type EditorText = { readonly length: number; toString: () => string };

/** What a screen shows besides the text. */
export type EditorState = {
  /** The version that the text is based on; undefined for a new document. */
  base: Document | undefined;
  title: string;
  isDirty: boolean;
  status: "saved" | "unsaved" | "saving";
  problem: Error | undefined;
  /** Whether this browser keeps the unsaved text. */
  isKept: boolean;
  /** The newest version, while it conflicts with the text; `theirs` is the one that changed the same passage. */
  other: Document | undefined;
  theirs: ConflictingVersion | undefined;
  conflict: MergeConflict | undefined;
};

/** `over`: document to overwrite; undefined creates one. `isAsked`: the user pressed Save and waits. */
type SaveOptions = { over?: Document | undefined; isAsked?: boolean };

const contentText = ({ content }: Document) => writingOf(content).text;

/** JSON is saved automatically only when it is a complete object. */
function isComplete({ kind }: EditStart, text: string): boolean {
  if (kind !== "json") return true;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}

/**
 * The text of a document while it is edited, and the only code that saves it: for a page, which opens it, and for a draft that
 * no page has open. The text is kept in this browser at every pause and saved soon after. Changes made elsewhere are merged
 * into it, unless they conflict.
 */
export class DocumentEditor {
  /** Where the unsaved text is kept. */
  place: DraftPlace;
  private state: EditorState;
  private held: EditorText;
  private creation: EditStart["creation"];
  /** Texts sent without an answer: a version with one of these is the user's own. */
  private sent: TitledText[];
  /** When the draft was written, as an ISO timestamp. */
  private keptAt: string | undefined;
  private saving: Promise<Document | undefined> | undefined;
  private lastSaveAt = 0;
  private keepTimer: ReturnType<typeof setTimeout> | undefined;
  private saveTimer: ReturnType<typeof setTimeout> | undefined;
  private isOpen = false;
  private unlock: ReturnType<typeof lockDraft> | undefined;
  private readonly start: EditStart;
  private readonly editSession: string;
  private readonly show: (text: string) => void;
  private readonly listeners = new Set<() => void>();

  /** @param show puts a text with merged changes on the screen */
  constructor(place: DraftPlace, start: EditStart, show: (text: string) => void = () => {}) {
    const { base, title, text, keptAt, theirs } = start;
    // A text that another app shared is not saved until the user saves or edits it.
    const isNew = !base && `${title}${text}` !== "";
    this.place = place;
    this.start = start;
    this.show = show;
    this.editSession = place.writer || randomId();
    this.held = text;
    this.keptAt = keptAt;
    this.creation = start.creation;
    this.sent = start.sent ?? [];
    this.state = {
      base,
      title,
      isDirty: keptAt !== undefined,
      status: keptAt || isNew ? "unsaved" : "saved",
      problem: undefined,
      isKept: true,
      other: undefined,
      theirs,
      conflict: undefined,
    };
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  getSnapshot = (): EditorState => this.state;

  private set(part: Partial<EditorState>): void {
    const names = Object.keys(part) as (keyof EditorState)[];
    if (names.every((name) => Object.is(part[name], this.state[name]))) return;
    this.state = { ...this.state, ...part };
    for (const listener of this.listeners) listener();
  }

  get text(): string {
    const text = this.held.toString();
    this.held = text;
    return text;
  }

  private titledText(): TitledText {
    return { title: this.state.title, text: this.text };
  }

  /** Saves automatically from now on. Returns a function that saves a last time; what then fails is left as a draft. */
  open(): () => void {
    const listeners = new AbortController();
    const { signal } = listeners;
    const leave = () => this.keep(true);
    const handleVisibility = () => {
      void leave();
      if (document.hidden) this.autosave();
    };
    this.isOpen = true;
    this.unlock = lockDraft(this.place);
    addEventListener("pagehide", leave, { signal });
    document.addEventListener("visibilitychange", handleVisibility, { signal });
    addEventListener("blur", this.autosave, { signal });
    // A draft that was left unsaved.
    if (this.state.isDirty) this.saveSoon();
    return () => {
      listeners.abort();
      const kept = leave();
      this.isOpen = false;
      this.autosave();
      this.unlock?.(kept);
      this.unlock = undefined;
    };
  }

  edit({ title = this.state.title, text = this.held }: { title?: string; text?: EditorText }): void {
    this.held = text;
    this.set({ title, isDirty: true, status: "unsaved" });
    clearTimeout(this.keepTimer);
    this.keepTimer = setTimeout(() => void this.keep(), KEEP_PAUSE_MS);
    this.saveSoon();
  }

  /** Takes over a newer version of the document that this tab has received. */
  follow(next: Document): void {
    const { base, conflict, isDirty } = this.state;
    if (this.saving || conflict || !base) return;
    if (isSameWriting(next, base)) this.baseOn(next);
    else if (this.mergeWithNewer(next) && isDirty) this.saveSoon();
  }

  /** Opens the comparison with the version that changed the same passage. */
  compare = (): void => {
    if (this.state.other) this.mergeWithNewer(this.state.other, true);
  };

  endComparison(): void {
    this.set({ conflict: undefined });
  }

  /** Saves the user's decision on a conflict. */
  decide(theirs: Document, { title, text }: TitledText): Promise<Document | undefined> {
    this.held = text;
    this.set({ base: theirs, title, isDirty: true });
    return this.save({ over: theirs });
  }

  /** Returns the saved document, or undefined if saving failed. */
  async save({ isAsked = true, ...given }: SaveOptions = {}): Promise<Document | undefined> {
    const before = await this.idle();
    if (before && !this.state.isDirty) return before;
    const over = before ?? ("over" in given ? given.over : this.current());
    return this.enqueue((lastSaved) =>
      this.saveAfter(lastSaved, over, isAsked).catch((problem: Error) => this.fail(problem)),
    );
  }

  /** Sends a draft that no page has open. Throws ApiError, SyntaxError, and Conflict once all but the conflict is saved. */
  async sendDraft(): Promise<Document> {
    try {
      return await this.saveOver(this.current(), false);
    } catch (problem) {
      if (problem instanceof Conflict) await this.saveWithoutConflicts(problem.theirs);
      throw problem;
    }
  }

  /** Keeps the unsaved text in this browser. `isLeaving`: the page may be closed at any moment. */
  async keep(isLeaving = false): Promise<void> {
    clearTimeout(this.keepTimer);
    if (!this.state.isDirty && !this.creation) return;
    if (!this.isOpen && (await this.hasLostDraft())) return;
    if (isLeaving) this.prepareCreation();
    await this.writeDraft(isLeaving);
  }

  /** Once the page is left, any tab may send the draft. With the same request, they create one document. */
  private prepareCreation(): void {
    const text = this.titledText();
    const isBlank = `${text.title}${text.text}`.trim() === "";
    if (this.state.base || isBlank || !isComplete(this.start, text.text)) return;
    this.creation ??= newDocument(this.start, text);
  }

  /** Once the editor is closed, its draft may be discarded, or opened and changed in another one. */
  private async hasLostDraft(): Promise<boolean> {
    const draft = await readDraft(this.place);
    return !draft || draft.at > (this.keptAt ?? "");
  }

  private async writeDraft(isLeaving = false): Promise<void> {
    const { base, title, theirs } = this.state;
    const { from, like, includes } = this.start;
    const { text, creation, sent } = this;
    if (this.isOpen || !this.keptAt) this.keptAt = new Date().toISOString();
    const draft = { title, text, base, at: this.keptAt, from, like, includes, creation, sent, theirs };
    if (isLeaving) saveDraftSync(this.place, draft);
    // Announced, it would be sent, which a closed editor is doing already.
    const isKept = await saveDraft(this.place, draft, this.isOpen).then(
      () => true,
      () => false,
    );
    this.set({ isKept });
  }

  private async dropDraft(): Promise<void> {
    clearTimeout(this.keepTimer);
    this.set({ isDirty: false });
    if (this.isOpen || !(await this.hasLostDraft())) await deleteDraft(this.place);
  }

  /** Makes it a draft of the document that was just created. */
  private async moveTo(created: Document): Promise<void> {
    const { place, unlock } = this;
    this.creation = undefined;
    this.place = { ...place, id: created.id };
    // Before the draft is stored there: otherwise the background sender would send it too and merge it with itself.
    if (this.isOpen) this.unlock = lockDraft(this.place);
    this.set({ base: created, isDirty: true });
    await this.writeDraft();
    await deleteDraft(place);
    unlock?.();
    void linkFilesToDocument(place.writer, created.id);
  }

  private saveSoon(): void {
    clearTimeout(this.saveTimer);
    if (!this.isOpen) return;
    const earliest = this.lastSaveAt + minSaveIntervalMs(this.held.length);
    this.saveTimer = setTimeout(this.autosave, Math.max(SAVE_PAUSE_MS, earliest - Date.now()));
  }

  private autosave = (): void => {
    clearTimeout(this.saveTimer);
    this.lastSaveAt = Date.now();
    const { isDirty, other } = this.state;
    if (!isDirty || !isComplete(this.start, this.text)) return;
    if (!other || this.mergeWithNewer(other)) void this.save({ isAsked: false });
    else if (!this.state.conflict && !this.saving)
      void this.enqueue(async () => {
        this.set({ problem: undefined });
        await this.saveWithoutConflicts(other).catch((problem: Error) => this.fail(problem));
        return undefined;
      });
  };

  /** The document to overwrite. A creation that has no answer is repeated. */
  private current(): Document | undefined {
    return this.creation ? undefined : this.state.base;
  }

  /** Runs one save at a time: two based on the same version would conflict. `change` gets the document as last saved here. */
  private enqueue(
    change: (lastSaved: Document | undefined) => Promise<Document | undefined>,
  ): Promise<Document | undefined> {
    const saving = queueChange(this.state.base?.id ?? this.place.writer, change).finally(() => {
      this.saving = undefined;
    });
    this.saving = saving;
    return saving;
  }

  /** Resolves with the last saved document once no save is in progress. */
  private async idle(): Promise<Document | undefined> {
    let last: Document | undefined;
    while (this.saving) last = await this.saving;
    return last;
  }

  /** Saves over what this tab wrote last, such as a tick or a text from an editor that was just closed. */
  private async saveAfter(
    lastSaved: Document | undefined,
    over: Document | undefined,
    isAsked: boolean,
  ): Promise<Document | undefined> {
    if (!lastSaved || !over || lastSaved.version <= over.version) return this.saveOver(over, isAsked);
    if (!this.mergeWithNewer(lastSaved, isAsked)) return undefined;
    const text = this.titledText();
    return isSavedIn(lastSaved, this.start, text)
      ? this.accept(lastSaved, text)
      : this.saveOver(lastSaved, isAsked);
  }

  /** Saves the text, merged with newer versions. Throws ApiError, SyntaxError, Conflict. */
  private async saveOver(over: Document | undefined, isAsked: boolean): Promise<Document> {
    const text = this.titledText();
    const last = withTitle(text);
    this.sent = [...this.sent.filter((one) => !isSameText(one, last)), last].slice(-MAX_SENT);
    await this.keep();
    this.set({ status: "saving", problem: undefined });
    try {
      return await this.accept(await this.write(over, text), text);
    } catch (problem) {
      if (!(problem instanceof Conflict) || !this.mergeWithNewer(problem.theirs, isAsked)) throw problem;
      return this.saveOver(problem.theirs, isAsked);
    }
  }

  /** Saves everything but the conflicting passages over another version. Throws ApiError, SyntaxError, Conflict. */
  private async saveWithoutConflicts(theirs: Document): Promise<void> {
    const { base } = this.state;
    const overlapping = base && this.merge(theirs, base).overlapping;
    if (!overlapping || this.state.conflict) return;
    this.apply(overlapping.mine);
    const { other } = overlapping;
    try {
      const saved = isSavedIn(theirs, this.start, other) ? theirs : await this.write(theirs, other);
      const by = conflictingVersion(theirs, this.state);
      this.baseOn(unmergedBase(this.state.base ?? base, overlapping));
      this.set({ theirs: { ...by, latest: saved.version }, other: saved });
      await this.keep();
      if (saved !== theirs) this.publish(saved);
    } catch (problem) {
      if (problem instanceof Conflict) this.mergeWithNewer(problem.theirs);
      throw problem;
    }
  }

  /** Sends a text: creates the document, or overwrites a version. Throws ApiError, SyntaxError, Conflict. */
  private async write(over: Document | undefined, text: TitledText): Promise<Document> {
    const known = over ?? (await this.create(text));
    if (!over && isSavedIn(known, this.start, text)) return known;
    return updateFromBase(known, changedPart(known, this.start, text), { editSession: this.editSession });
  }

  /** Creates the document. While a request has no answer, the same one is repeated, even if the text has changed since. */
  private async create(text: TitledText): Promise<Document> {
    const isRepeated = this.creation !== undefined;
    const creation = this.creation ?? newDocument(this.start, text);
    this.creation = creation;
    await this.keep();
    const before = isRepeated ? await findAlreadyCreated(creation) : undefined;
    try {
      const created = before ?? (await documentsApi.create(creation.body, creation.key));
      await this.moveTo(created);
      return created;
    } catch (problem) {
      if (!mayBeDone(problem)) this.creation = undefined;
      await this.keep();
      throw problem;
    }
  }

  private async accept(saved: Document, sent: TitledText): Promise<Document> {
    const before = this.state.base;
    // The title on screen may come from a pending rename. It must not count as edited here.
    const isTitleKept = before?.title === withTitle(sent).title;
    this.baseOn(isTitleKept ? { ...saved, title: before.title } : saved);
    const isUnchanged = this.state.title === sent.title && this.text === sent.text;
    if (isUnchanged) await this.dropDraft();
    else this.saveSoon();
    this.set({ status: this.state.isDirty ? "unsaved" : "saved" });
    this.publish(saved, before);
    return saved;
  }

  private fail(problem: Error): undefined {
    this.set({ status: "unsaved" });
    // Conflicting passages wait for the user; the rest is saved.
    if (problem instanceof Conflict) this.saveSoon();
    else this.set({ problem: explainError(problem) });
  }

  /** Once the editor is closed, lists are refreshed too. */
  private publish(saved: Document, before?: Document): void {
    if (this.isOpen) publishWhileEditing(saved);
    else publishDocument(saved);
    // The service has attached the files that the new text refers to.
    if (before && haveDifferentFiles(contentText(before), contentText(saved))) void refreshFiles();
  }

  private baseOn(base: Document): void {
    this.sent = [];
    this.set({ base, theirs: undefined, other: undefined, conflict: undefined });
  }

  private merge(theirs: Document, base: Document) {
    return mergeDocument(theirs, base, { mine: this.titledText(), sent: this.sent });
  }

  private apply({ title, text }: TitledText): void {
    this.set({ title });
    if (text === this.text) return;
    this.held = text;
    this.show(text);
  }

  /** Merges a newer version; returns false on a conflict, which `isAsked` opens for comparison. */
  private mergeWithNewer(newer: Document, isAsked = false): boolean {
    const { base } = this.state;
    if (!base) return false;
    const { text, overlapping } = this.merge(newer, base);
    if (overlapping) {
      this.set({ theirs: conflictingVersion(newer, this.state), other: newer });
      if (isAsked) this.set({ conflict: overlapping });
      return false;
    }
    this.apply(text);
    this.baseOn(newer);
    return true;
  }
}
