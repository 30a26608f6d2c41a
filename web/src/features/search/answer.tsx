import { screenPath } from "../../../../src/contract/paths.ts";
import type { Interpretation } from "../../../../src/contract/search.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Pages } from "../../kit/pages.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { useSearchResults } from "./find.ts";
import { matchedWordsText } from "./matched-words.ts";
import { filtersInQuery, withLiteralWord, withoutFilter } from "./query-text.ts";
import { Results } from "./results.tsx";
import styles from "./search.module.css";
import type { SearchKind } from "./search-request.ts";

const PAGE = 20;

type Request = { q: string; kind: SearchKind; page: number };
type OnSearch = (q: string, change?: { kind?: SearchKind; page?: number }) => void;

const countText = ({ total }: SearchAnswer, page: number) => {
  if (total === 0) return "Nothing found";
  const count = total === 1 ? "1 result" : `${formatCount(total)} results`;
  return page > 1 ? `${count}, page ${page}` : count;
};

/** A correction, which may be two words in query syntax: `from OR form`. */
const CorrectedWords = ({ words }: { words: string }) => {
  const [first, second] = words.split(" OR ");
  return (
    <>
      <b>{first}</b>
      {second !== undefined && (
        <>
          {" "}
          or <b>{second}</b>
        </>
      )}
    </>
  );
};

/** The corrected words, each with a button that searches for the original. */
const Corrections = ({ answer, q, onSearch }: { answer: SearchAnswer; q: string; onSearch: OnSearch }) => (
  <>
    {Object.entries(answer.corrected ?? {}).map(([word, correction]) => (
      <p key={word}>
        Showing results for <CorrectedWords words={correction} />.{" "}
        <Button kind="quiet" onPress={() => onSearch(withLiteralWord(q, word))}>
          Search instead for “{word}”
        </Button>
      </p>
    ))}
  </>
);

const Notes = ({ notes }: { notes: readonly string[] }) => (
  <ul className={styles.notes}>
    {notes.map((note) => (
      <li key={note}>{note}</li>
    ))}
  </ul>
);

/** A filter in words: "changed before yesterday", "with tag travel". */
const filterInWords = ({ name, value }: Interpretation["filters"][number]) =>
  name === "before" || name === "after" ? `changed ${name} ${value}` : `with ${name} ${value}`;

/** The query in words: `“pack list” without “draft” with tag travel`. */
function queryInWords({ words, alternatives = [], excluded, filters }: Interpretation): string {
  const alternativeWords = new Set(alternatives.flat());
  const all = [
    ...words.filter((word) => !alternativeWords.has(word)),
    ...alternatives.map((group) => matchedWordsText([group.join(" OR ")])),
  ];
  return [
    all.length > 0 ? all.map((word) => `“${word}”`).join(" ") : "everything",
    excluded.length > 0 && `without ${excluded.map((word) => `“${word}”`).join(" ")}`,
    filters.map(filterInWords).join(", "),
  ]
    .filter(Boolean)
    .join(" ");
}

type NothingProps = { answer: SearchAnswer; q: string; kind: SearchKind; onSearch: OnSearch };

function Nothing({ answer: { interpreted }, q, kind, onSearch }: NothingProps) {
  const filters = filtersInQuery(q);
  const withoutFilters = filters.reduce(withoutFilter, q).trim();
  const words = withoutFilters.replace(/(^|\s)-\S+/gu, " ").trim();
  const encodedWords = encodeURIComponent(words);
  return (
    <Empty title="Nothing found">
      {interpreted && <p>No results for {queryInWords(interpreted)}.</p>}
      <p>Try fewer words, another spelling, or the start of a word with an asterisk: pack*</p>
      <div className="button-row">
        {filters.length > 0 && withoutFilters !== "" && (
          <Button onPress={() => onSearch(withoutFilters)}>Search without filters</Button>
        )}
        {kind !== "all" && <Button onPress={() => onSearch(q, { kind: "all" })}>Search everything</Button>}
        {words !== "" && (
          <>
            <ButtonLink href={`${screenPath("document", "new")}?title=${encodedWords}`}>
              Create a document “{words}”
            </ButtonLink>
            <ButtonLink href={`/?new=${encodedWords}`}>Add “{words}” as a record</ButtonLink>
          </>
        )}
      </div>
    </Empty>
  );
}

type Props = { request: Request; onSearch: OnSearch; onOpen: () => void };

/** The results, and how the query was interpreted. */
export function SearchAnswerView({ request: { q, kind, page }, onSearch, onOpen }: Props) {
  const search = useSearchResults({ q, type: kind, limit: PAGE, offset: (page - 1) * PAGE });
  const answer = search.data;
  if (search.isError && !answer) return <Problem problem={search.error} retry={() => search.refetch()} />;
  if (!answer) return <Loading />;
  return (
    <section aria-label="Results" className={styles.answer}>
      <div role="status" className={styles.status}>
        <p className={answer.total === 0 ? "visually-hidden" : undefined}>{countText(answer, page)}</p>
        <Corrections answer={answer} q={q} onSearch={onSearch} />
      </div>
      {search.isError && <Problem problem={search.error} retry={() => search.refetch()} />}
      {answer.notes && <Notes notes={answer.notes} />}
      {answer.results.length > 0 ? (
        <Results results={answer.results} onOpen={onOpen} />
      ) : (
        <Nothing answer={answer} q={q} kind={kind} onSearch={onSearch} />
      )}
      <Pages total={answer.total} size={PAGE} page={page} onPage={(to) => onSearch(q, { page: to })} />
    </section>
  );
}
