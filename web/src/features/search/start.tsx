import { Button } from "../../kit/button.tsx";
import { Clock } from "../../kit/icons.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { forgetRecentSearches, useRecentSearches } from "../../state/recent-searches.ts";
import { Things } from "./results.tsx";
import styles from "./search.module.css";
import { useDeviceThings, useRecentThings } from "./things.ts";

type Props = { onSearch: (q: string) => void };

function RecentSearches({ onSearch }: Props) {
  const searches = useRecentSearches();
  if (searches.length === 0) return null;
  return (
    <section className={styles.section}>
      <div className={styles.title}>
        <h2>Recent searches</h2>
        <Button kind="quiet" onPress={forgetRecentSearches}>
          Clear
        </Button>
      </div>
      <ul className={styles.searches}>
        {searches.map((q) => (
          <li key={q}>
            <Button kind="quiet" onPress={() => onSearch(q)}>
              <Clock size={16} /> {q}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What can be opened while the server cannot be reached. */
function AvailableOffline() {
  const things = useDeviceThings().data;
  if (!things || things.length === 0) return null;
  return (
    <section className={styles.section}>
      <h2>Available offline</h2>
      <Things things={things} />
    </section>
  );
}

function RecentlyChanged() {
  const latest = useRecentThings();
  if (latest.isError) {
    return (
      <>
        <Problem problem={latest.error} retry={() => latest.refetch()} />
        <AvailableOffline />
      </>
    );
  }
  if (!latest.data) return <Loading />;
  if (latest.data.length === 0) {
    return (
      <Empty title="Nothing to search yet">
        <p>Write a document, import your notes, or let an assistant remember something for you.</p>
      </Empty>
    );
  }
  return (
    <section className={styles.section}>
      <h2>Recently changed</h2>
      <Things things={latest.data} />
    </section>
  );
}

const EXAMPLES = [
  { q: '"a phrase"', means: "this exact phrase" },
  { q: "pack*", means: "words that start with this" },
  { q: "tea OR coffee", means: "either word" },
  { q: "-draft", means: "without this word" },
  { q: "title:plan", means: "in the title" },
  { q: "tag:travel", means: "with this tag" },
  { q: "task:open", means: "with an open task" },
  { q: "has:file", means: "with a file" },
  { q: "due:today", means: "records that are due today" },
  { q: "due:<2027-01-01", means: "due before that day" },
  { q: "due:overdue", means: "overdue" },
  { q: "is:repeating", means: "records that repeat" },
  { q: "priority:high", means: "high-priority records" },
  { q: "owed:to_me", means: "what others owe you" },
];

const SearchSyntax = () => (
  <details className={styles.language}>
    <summary>Search syntax</summary>
    <dl>
      {EXAMPLES.map(({ q, means }) => (
        <div key={q}>
          <dt>
            <code>{q}</code>
          </dt>
          <dd>{means}</dd>
        </div>
      ))}
    </dl>
  </details>
);

export const SearchStart = ({ onSearch }: Props) => (
  <>
    <RecentSearches onSearch={onSearch} />
    <RecentlyChanged />
    <SearchSyntax />
  </>
);
