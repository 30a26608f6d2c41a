import { useState } from "react";
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  Modal,
  ModalOverlay,
  SearchField,
} from "react-aria-components";
import { useLocation } from "wouter";
import { screenPath } from "../../../src/contract/paths.ts";
import { folderPathName, useFolders } from "../features/folders/folders.ts";
import { RECORD_STEPS } from "../features/records/step-actions.ts";
import { useSearchResults } from "../features/search/find.ts";
import { type ListedThing, thingFromResult, useRecentThings } from "../features/search/things.ts";
import { openDailyNote } from "../features/templates/daily-note.ts";
import { newDocumentPath, useTemplates } from "../features/templates/templates.ts";
import { isThingKind, KindIcon } from "../features/things/kind.tsx";
import { useCurrentScreenActions } from "../kit/actions.ts";
import { IconButton } from "../kit/button.tsx";
import { shortDay } from "../kit/dates.ts";
import { CalendarCheck, ChevronRight, FilePlus, ListPlus, Search, X } from "../kit/icons.tsx";
import { Key } from "../kit/key.tsx";
import { capitalized } from "../kit/text.ts";
import { useTimezone, useToday } from "../kit/time.tsx";
import { showOverlay } from "../state/overlay.ts";
import { type RecentItem, readRecentItems } from "../state/recent-items.ts";
import { addRecentSearch } from "../state/recent-searches.ts";
import { ACTIONS, matchesSearch, type PaletteAction, RECORD_ACTIONS, searchActions } from "./actions.ts";
import styles from "./palette.module.css";

const MOST_ACTIONS = 5;
/** Actions of the current screen, before anything is typed. */
const MOST_OPEN_ACTIONS = 6;
/** Templates, before anything is typed. */
const MOST_TEMPLATES = 5;
const MOST_OPENED = 5;
const MOST_RESULTS = 8;

type Line = Pick<PaletteAction, "name" | "shortcut" | "to"> & {
  icon: React.ReactNode;
  hint?: string | undefined;
};
type Part = { name: string; lines: Line[] };

const thingLine = ({ title, kind, href, project }: ListedThing): Line => ({
  name: title,
  icon: <KindIcon kind={kind} />,
  hint: project ?? capitalized(kind),
  to: href,
});

const actionLine = ({ icon: Icon = ChevronRight, ...action }: PaletteAction): Line => ({
  ...action,
  icon: <Icon size={18} />,
});

const recentLine = ({ title, kind, href }: RecentItem): Line => ({
  name: title,
  icon: <KindIcon kind={isThingKind(kind) ? kind : "document"} />,
  hint: capitalized(kind),
  to: href,
});

const recentLines = (): Line[] =>
  readRecentItems()
    .filter(({ href }) => href !== location.pathname)
    .slice(0, MOST_OPENED)
    .map(recentLine);

/** Items that can be created from the typed text. */
const creationLines = (text: string): Line[] => [
  {
    name: `New record “${text}”`,
    icon: <ListPlus size={18} />,
    to: `/?new=${encodeURIComponent(text)}`,
  },
  {
    name: `New document “${text}”`,
    icon: <FilePlus size={18} />,
    to: `${screenPath("document", "new")}?title=${encodeURIComponent(text)}`,
  },
];

/** Runs something after the palette has closed and returned the focus, which `run` may move. */
const afterClose = (run: () => void) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(run)));

/** Actions of the current screen that match the text. */
function useOpenActions(text: string): Part {
  const { title = "", actions = [] } = useCurrentScreenActions() ?? {};
  const lines = actions
    .filter(matchesSearch(text))
    .map(({ run, ...action }) => actionLine({ ...action, to: () => afterClose(run) }));
  return { name: title, lines };
}

/** Distinguishes the records of a series: "Archived, Mon 23 Nov". */
const recordHint = ({ status, due_date }: ListedThing, today: string) =>
  capitalized(
    [status !== "active" && status, due_date && shortDay(due_date, today)].filter(Boolean).join(", "),
  );

/** Adds a hint to items with the same title: the folder of documents, status and date of records. */
function useDistinctLines(things: readonly ListedThing[]): Line[] {
  const folders = useFolders().data ?? [];
  const today = useToday();
  return things.map((thing) => {
    const line = thingLine(thing);
    if (things.filter(({ title }) => title === thing.title).length === 1) return line;
    if (thing.kind !== "document") return { ...line, hint: recordHint(thing, today) || line.hint };
    return { ...line, hint: folderPathName(folders, thing.folder_id) || "No folder" };
  });
}

const nonEmptyParts = (parts: Part[]) => parts.filter(({ lines }) => lines.length > 0);

/** Before anything is typed: recent items, then all actions. */
const useInitialParts = (actions: readonly PaletteAction[]): Part[] => {
  const [opened] = useState(recentLines);
  const { name, lines } = useOpenActions("");
  const open = { name, lines: lines.slice(0, MOST_OPEN_ACTIONS) };
  const latest = useRecentThings().data ?? [];
  const others = latest.filter(({ href }) => !opened.some((one) => one.to === href));
  return nonEmptyParts([
    open,
    { name: "Recently opened", lines: opened },
    { name: "Recently changed", lines: useDistinctLines(others.slice(0, 6)) },
    { name: "Actions", lines: actions.map(actionLine) },
  ]);
};

/** Ways to start a document: today's note, and the templates. */
function useDocumentStarters(most: number): PaletteAction[] {
  const [today, timezone] = [useToday(), useTimezone()];
  const templates = useTemplates().data ?? [];
  const openToday: PaletteAction["to"] = (go) =>
    void openDailyNote(today, timezone, (id) => go(`${screenPath("document", id)}?edit`));
  return [
    { name: "Today’s note", words: "daily todays diary journal", icon: CalendarCheck, to: openToday },
    ...templates.slice(0, most).map((template) => ({
      name: `New from “${template.title}”`,
      words: `template document ${template.title}`,
      icon: FilePlus,
      to: newDocumentPath(template),
    })),
  ];
}

function useParts(text: string): { parts: Part[]; isSearching: boolean } {
  const everything = [
    ...ACTIONS.slice(0, 2),
    ...useDocumentStarters(text.trim() ? Number.POSITIVE_INFINITY : MOST_TEMPLATES),
    ...ACTIONS.slice(2),
  ];
  const beginning = useInitialParts(everything);
  const open = useOpenActions(text);
  const hasRecord = useCurrentScreenActions()?.actions.some(({ id = "" }) => id in RECORD_STEPS);
  const found = useSearchResults({ q: text, type: "all", limit: MOST_RESULTS, offset: 0 });
  const results = useDistinctLines(found.data?.results.map(thingFromResult) ?? []);
  if (text.trim() === "") return { parts: beginning, isSearching: false };
  const all: Line = {
    name: `Search for “${text.trim()}”`,
    icon: <Search size={18} />,
    hint: found.data && results.length < found.data.total ? `all ${found.data.total}` : undefined,
    to: `${screenPath("search")}?q=${encodeURIComponent(text.trim())}`,
  };
  const offered = [...(hasRecord ? [] : RECORD_ACTIONS), ...everything];
  const actions = searchActions(text, offered).slice(0, MOST_ACTIONS).map(actionLine);
  return {
    parts: nonEmptyParts([
      open,
      { name: "Actions", lines: actions },
      { name: "Results", lines: [...results, all] },
      { name: "Create", lines: creationLines(text.trim()) },
    ]),
    isSearching: found.isFetching,
  };
}

/** Ids are positions, so that the first line stays selected when the results change. */
const withIds = (parts: Part[]) => {
  let place = 0;
  return parts.map((part) => ({
    ...part,
    lines: part.lines.map((line) => {
      place += 1;
      return { ...line, id: `line-${place}` };
    }),
  }));
};

function Lines({ text }: { text: string }) {
  const [, navigate] = useLocation();
  const { parts, isSearching } = useParts(text);
  const shown = withIds(parts);
  const run = (id: React.Key) => {
    const to = shown.flatMap(({ lines }) => lines).find((line) => line.id === id)?.to;
    showOverlay(undefined);
    if (typeof to === "function") return to(navigate);
    if (text.trim() !== "") addRecentSearch(text);
    if (to) navigate(to);
  };
  return (
    <Menu aria-label="Results and actions" aria-busy={isSearching} className={styles.lines} onAction={run}>
      {shown.map(({ name: part, lines }) => (
        <MenuSection key={part} id={part} className={styles.part}>
          <Header className={styles.heading}>{part}</Header>
          {lines.map(({ id, name, icon, hint, shortcut }) => (
            <MenuItem key={id} id={id} textValue={name} className={styles.line}>
              {icon}
              <span className={styles.name}>{name}</span>
              {hint && <span className={styles.hint}>{hint}</span>}
              {shortcut && <Key>{shortcut}</Key>}
            </MenuItem>
          ))}
        </MenuSection>
      ))}
    </Menu>
  );
}

function Content() {
  const [text, setText] = useState("");
  return (
    <Autocomplete inputValue={text} onInputChange={setText}>
      <div className={styles.head}>
        <Search size={20} />
        <SearchField aria-label="Search or run a command" autoFocus className={styles.field}>
          <Input placeholder="Search or run a command" maxLength={400} className={styles.input} />
        </SearchField>
        <IconButton label="Close" shortcut="Esc" onPress={() => showOverlay(undefined)}>
          <X />
        </IconButton>
      </div>
      <Lines text={text} />
    </Autocomplete>
  );
}

function closeOnEscape(event: React.KeyboardEvent): void {
  if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.stopPropagation();
  showOverlay(undefined);
}

export const Palette = ({ isOpen }: { isOpen: boolean }) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable
    onOpenChange={(open) => !open && showOverlay(undefined)}
    className={styles.overlay}
  >
    <Modal className={styles.modal}>
      <Dialog aria-label="Command palette" className={styles.dialog}>
        {/* Handled in the capture phase: the field would only be cleared. */}
        <div className={styles.whole} onKeyDownCapture={closeOnEscape}>
          <Content />
        </div>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
