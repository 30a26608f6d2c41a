import { SCREENS } from "../../../../src/contract/paths.ts";
import type { SearchResult } from "../../api/search.ts";
import { browserTimezone, dayInZone, dueText, fullDay } from "../../kit/dates.ts";
import { capitalized } from "../../kit/text.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { useMe } from "../../state/queries.ts";
import { folderPathName, useFolders } from "../folders/folders.ts";
import { ThingList, ThingRow } from "../things/thing-list.tsx";
import { matchedWordsText } from "./matched-words.ts";
import styles from "./results.module.css";
import { snippetParts } from "./snippet.ts";
import { type ListedThing, thingFromResult } from "./things.ts";

/** The folder of a document, or the project of a record. */
function Place({ folder_id, project }: Pick<ListedThing, "folder_id" | "project">) {
  const folders = useFolders();
  const name = project ?? folderPathName(folders.data ?? [], folder_id);
  return name ? <span>{name}</span> : null;
}

/** The due date. "Due in 3 days" is shown only for open records. */
function Due({ day, isOpen }: { day: string; isOpen: boolean }) {
  const today = dayInZone(useMe()?.timezone ?? browserTimezone());
  return (
    <span>
      <time dateTime={day} title={fullDay(day)}>
        {isOpen ? dueText(day, today) : `due ${fullDay(day)}`}
      </time>
    </span>
  );
}

/** When a decision was made: its own date, or when it was recorded. */
function Decided({ at }: { at: string }) {
  const timezone = useMe()?.timezone ?? browserTimezone();
  const day = at.includes("T") ? dayInZone(timezone, at) : at;
  return (
    <span>
      decided <Day day={day} />
    </span>
  );
}

const Facts = ({ thing, matched }: { thing: ListedThing; matched?: readonly string[] | undefined }) => (
  <>
    <span>
      {capitalized(thing.kind)}
      {thing.status && thing.status !== "active" && `, ${thing.status}`}
    </span>
    <Place folder_id={thing.folder_id ?? null} project={thing.project ?? null} />
    {thing.due_date && <Due day={thing.due_date} isOpen={thing.status === "active"} />}
    {thing.decided && <Decided at={thing.decided} />}
    {thing.tags.length > 0 && <span>{thing.tags.map((tag) => `#${tag}`).join(" ")}</span>}
    <span>
      <Moment at={thing.changed_at} />
    </span>
    {matched && <span>matches only: {matchedWordsText(matched)}</span>}
  </>
);

const Snippet = ({ text }: { text: string }) => (
  <span className={styles.snippet}>
    {snippetParts(text).map(({ text: part, isMatch }, index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other identity
      isMatch ? <mark key={index}>{part}</mark> : part,
    )}
  </span>
);

const LIST = "search-results";

export const focusFirstResult = () => document.querySelector<HTMLElement>(`#${LIST} a`)?.focus();

/** Whether an excerpt only repeats the title, as that of a record without details does. */
const isTitle = (snippet: string, title: string) =>
  snippetParts(snippet)
    .map(({ text }) => text)
    .join("") === title;

type RowProps = {
  thing: ListedThing;
  matched?: readonly string[] | undefined;
  snippet?: string;
  file?: SearchResult["file"];
};

const Row = ({ thing, matched, snippet, file }: RowProps) => (
  <ThingRow
    href={thing.href}
    kind={thing.kind}
    title={thing.title}
    facts={
      <>
        {file && <span>{fileLocation(file)}</span>}
        <Facts thing={thing} matched={matched} />
      </>
    }
  >
    {snippet && !isTitle(snippet, thing.title) && <Snippet text={snippet} />}
  </ThingRow>
);

type FileMatch = NonNullable<SearchResult["file"]>;

const fileLocation = ({ name, page }: FileMatch) =>
  page === undefined ? `in ${name}` : `in ${name}, page ${page}`;

/** The link to a file, opened at the matching page. */
const fileHref = ({ id, page }: FileMatch) =>
  `${SCREENS.files.path}?${new URLSearchParams({ open: id, ...(page !== undefined && { page: String(page) }) })}`;

const MAX_WORDS = 5;

/** The link to a thing. A document opens at the first match. */
function resultHref({ href, kind }: ListedThing, snippet: string): string {
  if (kind !== "document") return href;
  const words = snippetParts(snippet).flatMap(({ text, isMatch }) => (isMatch ? [text.toLowerCase()] : []));
  const parameters = [...new Set(words)].slice(0, MAX_WORDS).map((word) => ["find", word]);
  return parameters.length > 0
    ? `${href}${href.includes("?") ? "&" : "?"}${new URLSearchParams(parameters)}`
    : href;
}

export const Results = ({ results, onOpen }: { results: readonly SearchResult[]; onOpen: () => void }) => (
  <ThingList id={LIST} onClick={onOpen}>
    {results.map((result) => {
      const thing = thingFromResult(result);
      const { file, matched, snippet } = result;
      const linked = { ...thing, href: file ? fileHref(file) : resultHref(thing, snippet) };
      return <Row key={thing.href} thing={linked} matched={matched} snippet={snippet} file={file} />;
    })}
  </ThingList>
);

export const Things = ({ things }: { things: readonly ListedThing[] }) => (
  <ThingList id={LIST}>
    {things.map((thing) => (
      <Row key={thing.href} thing={thing} />
    ))}
  </ThingList>
);
