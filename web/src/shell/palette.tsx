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
import { pathOf } from "../../../src/contract/paths.ts";
import { pathName, useFolders } from "../features/folders/folders.ts";
import { useFound } from "../features/search/find.ts";
import { type Thing, thingOf, useLatest } from "../features/search/things.ts";
import { beginningAt, useTemplates } from "../features/templates/templates.ts";
import { openNote } from "../features/templates/today.ts";
import { isKind, KindIcon } from "../features/things/kind.tsx";
import { IconButton } from "../kit/button.tsx";
import { capitalized } from "../kit/capitalized.ts";
import { shortDay } from "../kit/dates.ts";
import { CalendarCheck, ChevronRight, FilePlus, ListPlus, Search, X } from "../kit/icons.tsx";
import { Key } from "../kit/key.tsx";
import { useTimezone, useToday } from "../kit/time.tsx";
import { keepSearch } from "../state/kept-searches.ts";
import { type Opened, readOpened } from "../state/opened.ts";
import { show } from "../state/over.ts";
import { useOffered } from "../state/screen-actions.ts";
import { ACTIONS, type Action, actionsFor } from "./actions.ts";
import styles from "./palette.module.css";

const MOST_ACTIONS = 5;
/** Actions of the current screen, before anything is typed. */
const MOST_OPEN_ACTIONS = 6;
/** Templates, before anything is typed. */
const MOST_TEMPLATES = 5;
const MOST_OPENED = 5;
const MOST_RESULTS = 8;

type Line = {
  name: string;
  icon: React.ReactNode;
  hint?: string | undefined;
  keys?: string;
  to: Action["to"];
};
type Part = { name: string; lines: Line[] };

const lineOfThing = ({ title, kind, href, project }: Thing): Line => ({
  name: title,
  icon: <KindIcon kind={kind} />,
  hint: project ?? capitalized(kind),
  to: href,
});

const lineOfAction = ({ icon: Icon, ...action }: Action): Line => ({
  ...action,
  icon: <Icon aria-hidden="true" size={18} />,
});

const lineOfOpened = ({ title, kind, href }: Opened): Line => ({
  name: title,
  icon: <KindIcon kind={isKind(kind) ? kind : "document"} />,
  hint: capitalized(kind),
  to: href,
});

/** Recently opened items, except the current one. */
const openedLast = (): Line[] =>
  readOpened()
    .filter(({ href }) => href !== location.pathname)
    .slice(0, MOST_OPENED)
    .map(lineOfOpened);

/** Items that can be created from the typed text. */
const creationsFor = (text: string): Line[] => [
  {
    name: `New record “${text}”`,
    icon: <ListPlus aria-hidden="true" size={18} />,
    to: `/?new=${encodeURIComponent(text)}`,
  },
  {
    name: `New document “${text}”`,
    icon: <FilePlus aria-hidden="true" size={18} />,
    to: `${pathOf("document", "new")}?title=${encodeURIComponent(text)}`,
  },
];

/** Runs something after the palette has closed and returned the focus, which `run` may move. */
const onceClosed = (run: () => void) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(run)));

/** Actions of the current screen that match the text: by the beginning of their name or of a word in it. */
function useOpenActions(text: string): Part {
  const { title = "", actions = [] } = useOffered() ?? {};
  const wanted = text.trim().toLowerCase();
  const lines = actions
    .filter(({ name }) => ` ${name.toLowerCase()}`.includes(` ${wanted}`))
    .map(({ name, icon: Icon = ChevronRight, shortcut, run }) => ({
      name,
      icon: <Icon size={18} />,
      ...(shortcut && { keys: shortcut }),
      to: () => onceClosed(run),
    }));
  return { name: title, lines };
}

/** Distinguishes the records of a series: "Archived, Mon 23 Nov". */
const stateOf = ({ status, due_date }: Thing, today: string) =>
  capitalized(
    [status !== "active" && status, due_date && shortDay(due_date, today)].filter(Boolean).join(", "),
  );

/** Adds a hint to items with the same title: the folder of documents, status and date of records. */
function useApart(things: readonly Thing[]): Line[] {
  const folders = useFolders().data ?? [];
  const today = useToday();
  return things.map((thing) => {
    const line = lineOfThing(thing);
    if (things.filter(({ title }) => title === thing.title).length === 1) return line;
    if (thing.kind !== "document") return { ...line, hint: stateOf(thing, today) || line.hint };
    return { ...line, hint: pathName(folders, thing.folder_id) || "No folder" };
  });
}

const partsOf = (parts: Part[]) => parts.filter(({ lines }) => lines.length > 0);

/** Before anything is typed: recent items, then all actions. */
const useBeginning = (actions: readonly Action[]): Part[] => {
  const [opened] = useState(openedLast);
  const { name, lines } = useOpenActions("");
  const open = { name, lines: lines.slice(0, MOST_OPEN_ACTIONS) };
  const latest = useLatest().data ?? [];
  const others = latest.filter(({ href }) => !opened.some((one) => one.to === href));
  return partsOf([
    open,
    { name: "Recently opened", lines: opened },
    { name: "Recently changed", lines: useApart(others.slice(0, 6)) },
    { name: "Actions", lines: actions.map(lineOfAction) },
  ]);
};

/** Ways to start a document: today's note, and the templates. */
function useBeginnings(most: number): Action[] {
  const [today, timezone] = [useToday(), useTimezone()];
  const templates = useTemplates().data ?? [];
  const openToday: Action["to"] = (go) =>
    void openNote(today, timezone, (id) => go(`${pathOf("document", id)}?edit`));
  return [
    { name: "Today’s note", words: "daily todays diary journal", icon: CalendarCheck, to: openToday },
    ...templates.slice(0, most).map((template) => ({
      name: `New from “${template.title}”`,
      words: `template document ${template.title}`,
      icon: FilePlus,
      to: beginningAt(template),
    })),
  ];
}

function useParts(text: string): { parts: Part[]; isSearching: boolean } {
  const everything = [
    ...ACTIONS.slice(0, 2),
    ...useBeginnings(text.trim() ? Number.POSITIVE_INFINITY : MOST_TEMPLATES),
    ...ACTIONS.slice(2),
  ];
  const beginning = useBeginning(everything);
  const open = useOpenActions(text);
  const found = useFound({ q: text, type: "all", limit: MOST_RESULTS, offset: 0 });
  const results = useApart(found.data?.results.map(thingOf) ?? []);
  if (text.trim() === "") return { parts: beginning, isSearching: false };
  const all: Line = {
    name: `Search for “${text.trim()}”`,
    icon: <Search aria-hidden="true" size={18} />,
    hint: found.data && results.length < found.data.total ? `all ${found.data.total}` : undefined,
    to: `${pathOf("search")}?q=${encodeURIComponent(text.trim())}`,
  };
  const actions = actionsFor(text, everything).slice(0, MOST_ACTIONS).map(lineOfAction);
  return {
    parts: partsOf([
      open,
      { name: "Actions", lines: actions },
      { name: "Results", lines: [...results, all] },
      { name: "Create", lines: creationsFor(text.trim()) },
    ]),
    isSearching: found.isFetching,
  };
}

/** Ids are positions, so that the first line stays selected when the results change. */
const placed = (parts: Part[]) => {
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
  const shown = placed(parts);
  const run = (id: React.Key) => {
    const to = shown.flatMap(({ lines }) => lines).find((line) => line.id === id)?.to;
    show(undefined);
    if (typeof to === "function") return to(navigate);
    if (text.trim() !== "") keepSearch(text);
    if (to) navigate(to);
  };
  return (
    <Menu
      aria-label="Results and actions"
      aria-busy={isSearching}
      className={styles.lines ?? ""}
      onAction={run}
    >
      {shown.map(({ name: part, lines }) => (
        <MenuSection key={part} id={part} className={styles.part ?? ""}>
          <Header className={styles.heading ?? ""}>{part}</Header>
          {lines.map(({ id, name, icon, hint, keys }) => (
            <MenuItem key={id} id={id} textValue={name} className={styles.line ?? ""}>
              {icon}
              <span className={styles.name}>{name}</span>
              {hint && <span className={styles.hint}>{hint}</span>}
              {keys && <Key>{keys}</Key>}
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
        <Search aria-hidden="true" size={20} />
        <SearchField aria-label="Search or run a command" autoFocus className={styles.field ?? ""}>
          <Input placeholder="Search or run a command" maxLength={400} className={styles.input ?? ""} />
        </SearchField>
        <IconButton label="Close" shortcut="Esc" onPress={() => show(undefined)}>
          <X aria-hidden="true" />
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
  show(undefined);
}

/** The command palette: finds items and runs actions. */
export const Palette = ({ isOpen }: { isOpen: boolean }) => (
  <ModalOverlay
    isOpen={isOpen}
    isDismissable
    onOpenChange={(open) => !open && show(undefined)}
    className={styles.overlay ?? ""}
  >
    <Modal className={styles.modal ?? ""}>
      <Dialog aria-label="Command palette" className={styles.dialog ?? ""}>
        {/* Handled in the capture phase: the field would only be cleared. */}
        <div className={styles.whole} onKeyDownCapture={closeOnEscape}>
          <Content />
        </div>
      </Dialog>
    </Modal>
  </ModalOverlay>
);
