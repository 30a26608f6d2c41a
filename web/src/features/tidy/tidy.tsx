import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { keyOf, TIDY, TIDY_KINDS } from "../../../../src/contract/tidy/kinds.ts";
import { type Finding, type FindingList, tidyApi } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { Screen, TO_SETTINGS } from "../../kit/screen.tsx";
import { Segments } from "../../kit/segments.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { refresh } from "../../state/queries.ts";
import { AskToErase } from "./ask-to-erase.tsx";
import { FindingRow, STEPS, type Wanted } from "./finding.tsx";
import { Rename } from "./rename.tsx";
import { type Erasing, isErasing, keep, rename, settle } from "./settle.ts";
import styles from "./tidy.module.css";
import { useFindings, useLook } from "./use-tidy.ts";

const idOf = ({ kind, items }: Finding) => `${kind} ${keyOf(items)}`;

const elementOf = (id: string | undefined) =>
  id === undefined ? null : document.querySelector<HTMLElement>(`[data-finding="${CSS.escape(id)}"]`);

const number = new Intl.NumberFormat("en-GB");

const counted = (count: number, one: string) => `${number.format(count)} ${one}${count === 1 ? "" : "s"}`;

function Lead({ first, isLooking }: { first: FindingList | undefined; isLooking: boolean }) {
  if (isLooking) return <>Looking through your records and documents…</>;
  if (!first?.looked_at) return null;
  const { looked_at, records, documents, searched, left_out } = first;
  return (
    <>
      {counted(records, "open record")} and {counted(documents, "document")} looked through{" "}
      <Moment at={looked_at} />
      {searched > 0 &&
        `, and ${number.format(searched)} closed, earlier or in the trash searched for secrets`}
      {left_out > 0 && `; ${number.format(left_out)} of the oldest were left out`}
    </>
  );
}

/** Where the cursor is. When its finding has left, the next one takes its place and the focus. */
function usePlace(ids: readonly string[]) {
  const [current, setCurrent] = useState<string>();
  const before = useRef(ids);
  useEffect(() => {
    const old = before.current;
    before.current = ids;
    if (current === undefined || ids.includes(current)) return;
    const next = ids[Math.min(Math.max(0, old.indexOf(current)), ids.length - 1)];
    setCurrent(next);
    // Once what replaces it is drawn; and unless somebody has gone elsewhere by then.
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      (elementOf(next) ?? document.querySelector<HTMLElement>("#main h1"))?.focus();
    });
  }, [ids, current]);
  const move = (by: number) => {
    const at = current === undefined ? -1 : ids.indexOf(current);
    const next = at === -1 ? ids.at(0) : ids[Math.min(Math.max(at + by, 0), ids.length - 1)];
    if (next === undefined) return;
    setCurrent(next);
    elementOf(next)?.focus();
  };
  return { current: current ?? ids[0], setCurrent, move };
}

/** A step that asks something first. */
type Asked = { finding: Finding; step: "rename" | Erasing };

/** What is done with the findings, one after the other. */
function useSteps() {
  const [busy, setBusy] = useState<string>();
  const [asked, setAsked] = useState<Asked>();
  const run = useCallback(async (finding: Finding, action: () => Promise<unknown>) => {
    setBusy(idOf(finding));
    await action();
    setBusy(undefined);
  }, []);
  const take = useCallback(
    (finding: Finding, step: Wanted) => {
      if (step === "rename" || isErasing(step)) setAsked({ finding, step });
      else void run(finding, () => (step === "keep" ? keep(finding) : settle(finding, step)));
    },
    [run],
  );
  const askAgain = useCallback(
    ({ kind, items }: Finding) =>
      tidyApi
        .keep({ kind, items: items.map(({ type, id }) => ({ type, id })), keep: false })
        .then(() => refresh("tidy")),
    [],
  );
  return { busy, asked, close: () => setAsked(undefined), run, take, askAgain };
}

const VIEWS = { found: "To tidy up", kept: "Kept" };

const Nothing = ({ isKept }: { isKept: boolean }) =>
  isKept ? (
    <Empty title="Nothing is kept as it is">
      <p>What you keep is listed here, and not asked about again.</p>
    </Empty>
  ) : (
    <Empty title="Everything is tidy">
      <p>
        Doubles, records that contradict each other, commitments that say they are done, old documents and
        secrets are listed here when there are any.
      </p>
    </Empty>
  );

type ListProps = {
  findings: readonly Finding[];
  counts: FindingList["counts"];
  current: string | undefined;
  isBusy: boolean;
  isKept: boolean;
  onFocus: (id: string) => void;
  onStep: (finding: Finding, step: Wanted) => void;
};

/** The findings of each kind. */
const Groups = ({ findings, counts, current, ...row }: ListProps) =>
  TIDY_KINDS.map((kind) => {
    const rows = findings.filter((finding) => finding.kind === kind);
    const total = counts.find((count) => count.kind === kind)?.total ?? rows.length;
    if (rows.length === 0) return null;
    return (
      <section key={kind} className={styles.group} aria-label={TIDY[kind].title}>
        <h2 className={styles.heading}>
          {TIDY[kind].title} <span className={styles.count}>{number.format(total)}</span>
        </h2>
        <ul className={styles.findings}>
          {rows.map((finding) => {
            const id = idOf(finding);
            return <FindingRow key={id} id={id} finding={finding} isCurrent={id === current} {...row} />;
          })}
        </ul>
      </section>
    );
  });

const WANTED = Object.keys(STEPS) as Wanted[];

/** The keys of the list, which act on the finding that the cursor is on. */
function useKeys(move: (by: number) => void, press: (steps: readonly Wanted[]) => void): void {
  // Two steps may have one key, as no finding offers both.
  const keys = [...new Set(WANTED.map((step) => STEPS[step].key))];
  const steps = keys.map(
    (key) => [key, () => press(WANTED.filter((step) => STEPS[step].key === key))] as const,
  );
  useShortcuts({ j: () => move(1), k: () => move(-1), ...Object.fromEntries(steps) });
}

type Steps = ReturnType<typeof useSteps>;

/** What a step asks before it is taken. */
function Ask({ asked, close, run }: Steps) {
  if (!asked) return null;
  const { finding, step } = asked;
  const take = (action: () => Promise<unknown>) => {
    close();
    void run(finding, action);
  };
  if (step === "rename")
    return (
      <Rename finding={finding} onClose={close} onRename={(topic) => take(() => rename(finding, topic))} />
    );
  const erase = () => take(() => settle(finding, step));
  return <AskToErase finding={finding} action={step} onClose={close} onErase={erase} />;
}

/** What can be tidied up, by kinds: each with its reason, and one key for what settles it. */
export default function Tidy() {
  const [view, setView] = useState<keyof typeof VIEWS>("found");
  const isKept = view === "kept";
  const list = useFindings(isKept);
  const { findings, first, data, error } = list;
  const { look, isLooking } = useLook(first);
  const ids = useMemo(() => findings.map(idOf), [findings]);
  const { current, setCurrent, move } = usePlace(ids);
  const steps = useSteps();
  const { busy, take, askAgain } = steps;
  const onStep = useCallback(
    (finding: Finding, step: Wanted) => (isKept ? void askAgain(finding) : take(finding, step)),
    [isKept, askAgain, take],
  );
  useKeys(move, (pressed) => {
    const finding = findings.find((one) => idOf(one) === current);
    const isOffered = (step: Wanted) => step === "keep" || (!isKept && finding?.actions.includes(step));
    const step = pressed.find(isOffered);
    if (finding && step && busy === undefined) onStep(finding, step);
  });
  return (
    <Screen
      title="Tidy"
      back={TO_SETTINGS}
      lead={
        <span role="status">
          <Lead first={first} isLooking={isLooking} />
        </span>
      }
      actions={
        <Button onPress={look} isDisabled={isLooking}>
          {isLooking ? "Looking…" : "Look again"}
        </Button>
      }
    >
      <Segments label="Which findings" value={view} options={VIEWS} onChange={setView} />
      {error && !data && <Problem problem={error} retry={() => void list.refetch()} />}
      {!data && !error && <Loading />}
      {data && findings.length === 0 && !isLooking && <Nothing isKept={isKept} />}
      <Groups
        {...{ findings, current, isKept, onStep }}
        counts={first?.counts ?? []}
        isBusy={busy !== undefined}
        onFocus={setCurrent}
      />
      {list.hasNextPage && (
        <div>
          <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetching}>
            {list.isFetching ? "Loading…" : "Show more"}
          </Button>
        </div>
      )}
      <Ask {...steps} />
    </Screen>
  );
}
