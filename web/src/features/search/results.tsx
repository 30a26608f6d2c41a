import { SCREENS } from "../../../../src/contract/paths.ts";
import type { SearchResult } from "../../api/search.ts";
import { capitalized } from "../../kit/capitalized.ts";
import { browserTimezone, dayIn, dueWords, fullDay } from "../../kit/dates.ts";
import { Day, Moment } from "../../kit/time.tsx";
import { useMe } from "../../state/queries.ts";
import { pathName, useFolders } from "../folders/folders.ts";
import { ThingList, ThingRow } from "../things/thing-list.tsx";
import { spokenWords } from "./matched.ts";
import styles from "./results.module.css";
import { snippetParts } from "./snippet.ts";
import { type Thing, thingOf } from "./things.ts";

/** Where it belongs: a document's folder, a record's project. */
function Place({ folder_id, project }: Pick<Thing, "folder_id" | "project">) {
  const folders = useFolders();
  const name = project ?? pathName(folders.data ?? [], folder_id);
  return name ? <span>{name}</span> : null;
}

/** When it is due; whether that is soon matters only while it is open. */
function Due({ day, isOpen }: { day: string; isOpen: boolean }) {
  const today = dayIn(useMe()?.timezone ?? browserTimezone());
  return (
    <span>
      <time dateTime={day} title={fullDay(day)}>
        {isOpen ? dueWords(day, today) : `due ${fullDay(day)}`}
      </time>
    </span>
  );
}

/** When something was decided: on a day that was named, or when it was recorded. */
function Decided({ at }: { at: string }) {
  const timezone = useMe()?.timezone ?? browserTimezone();
  const day = at.includes("T") ? dayIn(timezone, at) : at;
  return (
    <span>
      decided <Day day={day} />
    </span>
  );
}

const Facts = ({ thing, matched }: { thing: Thing; matched?: readonly string[] | undefined }) => (
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
    {matched && <span>only: {spokenWords(matched)}</span>}
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

/** Focuses the first result. */
export const focusFirst = () => document.querySelector<HTMLElement>(`#${LIST} a`)?.focus();

type RowProps = {
  thing: Thing;
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
        {file && <span>{placeIn(file)}</span>}
        <Facts thing={thing} matched={matched} />
      </>
    }
  >
    {snippet && <Snippet text={snippet} />}
  </ThingRow>
);

type InFile = NonNullable<SearchResult["file"]>;

const placeIn = ({ name, page }: InFile) => (page === undefined ? `in ${name}` : `in ${name}, page ${page}`);

/** Where a file opens, at the page that was found. */
const hrefIn = ({ id, page }: InFile) =>
  `${SCREENS.files.path}?${new URLSearchParams({ open: id, ...(page !== undefined && { page: String(page) }) })}`;

const MOST_WORDS = 5;

/** A document opens where it says what was searched for. */
function hrefOf({ href, kind }: Thing, snippet: string): string {
  if (kind !== "document") return href;
  const words = snippetParts(snippet).flatMap(({ text, isMatch }) => (isMatch ? [text.toLowerCase()] : []));
  const found = [...new Set(words)].slice(0, MOST_WORDS).map((word) => ["find", word]);
  return found.length > 0 ? `${href}${href.includes("?") ? "&" : "?"}${new URLSearchParams(found)}` : href;
}

/** The results, best first. */
export const Results = ({ results, onOpen }: { results: readonly SearchResult[]; onOpen: () => void }) => (
  <ThingList id={LIST} onClick={onOpen}>
    {results.map((result) => {
      const thing = thingOf(result);
      const { file, matched, snippet } = result;
      const found = { ...thing, href: file ? hrefIn(file) : hrefOf(thing, snippet) };
      return <Row key={thing.href} thing={found} matched={matched} snippet={snippet} file={file} />;
    })}
  </ThingList>
);

export const Things = ({ things }: { things: readonly Thing[] }) => (
  <ThingList id={LIST}>
    {things.map((thing) => (
      <Row key={thing.href} thing={thing} />
    ))}
  </ThingList>
);
