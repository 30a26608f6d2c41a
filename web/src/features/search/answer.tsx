import { pathOf } from "../../../../src/contract/paths.ts";
import type { Interpretation } from "../../../../src/contract/search.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Pages } from "../../kit/pages.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { useFound } from "./find.ts";
import { filtersOf, literally, without } from "./query-text.ts";
import { Results } from "./results.tsx";
import styles from "./search.module.css";
import type { Kind } from "./wanted.ts";

const PAGE = 20;

type Wanted = { q: string; kind: Kind; page: number };
type Search = (q: string, change?: { kind?: Kind; page?: number }) => void;

const numbers = new Intl.NumberFormat("en");

const countOf = ({ total }: SearchAnswer, page: number) => {
  if (total === 0) return "Nothing found";
  const count = total === 1 ? "1 result" : `${numbers.format(total)} results`;
  return page > 1 ? `${count}, page ${page}` : count;
};

/** A correction, which may be two words as a query has them: `from OR form`. */
const Better = ({ words }: { words: string }) => {
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

/** Words that were replaced by others, each with the way back. */
const Corrections = ({ answer, q, onSearch }: { answer: SearchAnswer; q: string; onSearch: Search }) => (
  <>
    {Object.entries(answer.corrected ?? {}).map(([word, better]) => (
      <p key={word}>
        Showing results for <Better words={better} />.{" "}
        <Button kind="quiet" onPress={() => onSearch(literally(q, word))}>
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

/** What the query was read as: `“pack list” without draft, with tag travel`. */
function readAs({ words, alternatives = [], excluded, filters }: Interpretation): string {
  const either = new Set(alternatives.flat());
  const all = [
    ...words.filter((word) => !either.has(word)),
    ...alternatives.map((some) => some.join(" or ")),
  ];
  return [
    all.length > 0 ? all.map((word) => `“${word}”`).join(" ") : "everything",
    excluded.length > 0 && `without ${excluded.map((word) => `“${word}”`).join(" ")}`,
    filters.length > 0 && `with ${filters.map(({ name, value }) => `${name} ${value}`).join(", ")}`,
  ]
    .filter(Boolean)
    .join(", ");
}

type NothingProps = { answer: SearchAnswer; q: string; kind: Kind; onSearch: Search };

function Nothing({ answer: { interpreted }, q, kind, onSearch }: NothingProps) {
  const filters = filtersOf(q);
  const bare = filters.reduce(without, q).trim();
  const wanted = bare.replace(/(^|\s)-\S+/gu, " ").trim();
  const words = encodeURIComponent(wanted);
  return (
    <Empty title="Nothing found">
      {interpreted && <p>This was looked for: {readAs(interpreted)}.</p>}
      <p>Try fewer words, another spelling, or the beginning of a word with a star: pack*</p>
      <div className={styles.ways}>
        {filters.length > 0 && bare !== "" && (
          <Button onPress={() => onSearch(bare)}>Search without the filters</Button>
        )}
        {kind !== "all" && <Button onPress={() => onSearch(q, { kind: "all" })}>Search everything</Button>}
        {wanted !== "" && (
          <>
            <ButtonLink href={`${pathOf("document", "new")}?title=${words}`}>
              Write a document “{wanted}”
            </ButtonLink>
            <ButtonLink href={`/?new=${words}`}>Write down “{wanted}” as a record</ButtonLink>
          </>
        )}
      </div>
    </Empty>
  );
}

type Props = { wanted: Wanted; onSearch: Search; onOpen: () => void };

/** What the API found, and how it read the query. */
export function Answer({ wanted: { q, kind, page }, onSearch, onOpen }: Props) {
  const found = useFound({ q, type: kind, limit: PAGE, offset: (page - 1) * PAGE });
  const answer = found.data;
  if (found.isError && !answer) return <Problem problem={found.error} retry={() => found.refetch()} />;
  if (!answer) return <Loading />;
  return (
    <section aria-label="Results" className={styles.answer}>
      <div role="status" className={styles.status}>
        <p className={answer.total === 0 ? "visually-hidden" : undefined}>{countOf(answer, page)}</p>
        <Corrections answer={answer} q={q} onSearch={onSearch} />
      </div>
      {found.isError && <Problem problem={found.error} retry={() => found.refetch()} />}
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
