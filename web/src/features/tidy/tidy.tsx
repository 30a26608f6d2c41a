import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { TIDY_KIND_INFO, TIDY_KINDS } from "../../../../src/contract/tidy-kinds.ts";
import type { Finding, FindingList } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Segments } from "../../kit/segments.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { formatCount } from "../../kit/text.ts";
import { Moment } from "../../kit/time.tsx";
import { EraseDialog } from "./ask-to-erase.tsx";
import { FindingRow } from "./finding.tsx";
import { FINDING_STEPS, type FindingStep } from "./finding-steps.ts";
import { RenameDialog } from "./rename.tsx";
import {
  type EraseAction,
  findingId,
  isEraseAction,
  keepFinding,
  renameRecord,
  setKept,
  settleFinding,
} from "./settle.ts";
import styles from "./tidy.module.css";
import { useFindings, useTidyScan } from "./use-tidy.ts";

const findingElement = (id: string | undefined) =>
  id === undefined ? null : document.querySelector<HTMLElement>(`[data-finding="${CSS.escape(id)}"]`);

const countText = (count: number, one: string) => `${formatCount(count)} ${one}${count === 1 ? "" : "s"}`;

function Lead({ first, isChecking }: { first: FindingList | undefined; isChecking: boolean }) {
  if (isChecking) return <>Checking your records and documents…</>;
  if (!first?.looked_at) return null;
  const { looked_at, records, documents, searched, left_out } = first;
  return (
    <>
      Checked {countText(records, "open record")} and {countText(documents, "document")}{" "}
      <Moment at={looked_at} />
      {searched > 0 && `, and searched ${formatCount(searched)} closed, earlier or trashed ones for secrets`}
      {left_out > 0 && `; skipped ${formatCount(left_out)} of the oldest`}
    </>
  );
}

/** The cursor of the list. When its finding disappears, the next one takes the focus. */
function useCursor(ids: readonly string[]) {
  const [current, setCurrent] = useState<string>();
  const before = useRef(ids);
  useEffect(() => {
    const old = before.current;
    before.current = ids;
    if (current === undefined || ids.includes(current)) return;
    const next = ids[Math.min(Math.max(0, old.indexOf(current)), ids.length - 1)];
    setCurrent(next);
    // After the next render, and only if the user has not focused something else.
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      (findingElement(next) ?? document.querySelector<HTMLElement>("#main h1"))?.focus();
    });
  }, [ids, current]);
  const move = (by: number) => {
    const index = current === undefined ? -1 : ids.indexOf(current);
    const next = index === -1 ? ids.at(0) : ids[Math.min(Math.max(index + by, 0), ids.length - 1)];
    if (next === undefined) return;
    setCurrent(next);
    findingElement(next)?.focus();
  };
  return { current: current ?? ids[0], setCurrent, move };
}

/** A step that opens a dialog first. */
type StepRequest = { finding: Finding; step: "rename" | EraseAction };

/** Applies steps to findings, one at a time. */
function useSteps() {
  const [busy, setBusy] = useState<string>();
  const [request, setRequest] = useState<StepRequest>();
  const run = useCallback(async (finding: Finding, action: () => Promise<unknown>) => {
    setBusy(findingId(finding));
    await action();
    setBusy(undefined);
  }, []);
  const applyStep = useCallback(
    (finding: Finding, step: FindingStep) => {
      if (step === "rename" || isEraseAction(step)) setRequest({ finding, step });
      else void run(finding, () => (step === "keep" ? keepFinding(finding) : settleFinding(finding, step)));
    },
    [run],
  );
  return { busy, request, close: () => setRequest(undefined), run, applyStep };
}

const VIEWS = { found: "To tidy up", kept: "Kept" };

const NoFindings = ({ isKept }: { isKept: boolean }) =>
  isKept ? (
    <Empty title="Nothing kept">
      <p>Findings that you keep are listed here and don’t come up again.</p>
    </Empty>
  ) : (
    <Empty title="Everything is tidy">
      <p>
        Duplicates, records that contradict each other, commitments that say they’re done, old documents,
        documents without links and secrets show up here.
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
  onStep: (finding: Finding, step: FindingStep) => void;
};

const Groups = ({ findings, counts, current, ...row }: ListProps) =>
  TIDY_KINDS.map((kind) => {
    const rows = findings.filter((finding) => finding.kind === kind);
    const total = counts.find((count) => count.kind === kind)?.total ?? rows.length;
    if (rows.length === 0) return null;
    return (
      <section key={kind} className={styles.group} aria-label={TIDY_KIND_INFO[kind].title}>
        <h2 className={styles.heading}>
          {TIDY_KIND_INFO[kind].title} <span className={styles.count}>{formatCount(total)}</span>
        </h2>
        <ul className={styles.findings}>
          {rows.map((finding) => {
            const id = findingId(finding);
            return <FindingRow key={id} id={id} finding={finding} isCurrent={id === current} {...row} />;
          })}
        </ul>
      </section>
    );
  });

const STEPS = Object.keys(FINDING_STEPS) as FindingStep[];

/** The keys of the list, which apply to the finding under the cursor. */
function useKeys(move: (by: number) => void, press: (steps: readonly FindingStep[]) => void): void {
  const keys = STEPS.map((step) => FINDING_STEPS[step].shortcut);
  const stepKeys = keys.map(
    (key) => [key, () => press(STEPS.filter((step) => FINDING_STEPS[step].shortcut === key))] as const,
  );
  useShortcuts({ j: () => move(1), k: () => move(-1), ...Object.fromEntries(stepKeys) });
}

type Steps = ReturnType<typeof useSteps>;

function StepDialog({ request, close, run }: Steps) {
  if (!request) return null;
  const { finding, step } = request;
  const submit = (action: () => Promise<unknown>) => {
    close();
    void run(finding, action);
  };
  if (step === "rename")
    return (
      <RenameDialog
        finding={finding}
        onClose={close}
        onRename={(topic) => submit(() => renameRecord(finding, topic))}
      />
    );
  const erase = () => submit(() => settleFinding(finding, step));
  return <EraseDialog finding={finding} action={step} onClose={close} onErase={erase} />;
}

/** Suggestions for tidying up, by kind, each with its reason and its actions. */
export default function Tidy() {
  const [view, setView] = useState<keyof typeof VIEWS>("found");
  const isKept = view === "kept";
  const list = useFindings(isKept);
  const { findings, first, data, error } = list;
  const { check, isChecking } = useTidyScan(first);
  const ids = useMemo(() => findings.map(findingId), [findings]);
  const { current, setCurrent, move } = useCursor(ids);
  const steps = useSteps();
  const { busy, applyStep } = steps;
  const onStep = useCallback(
    (finding: Finding, step: FindingStep) =>
      isKept ? void setKept(finding, false) : applyStep(finding, step),
    [isKept, applyStep],
  );
  useKeys(move, (pressed) => {
    const finding = findings.find((one) => findingId(one) === current);
    const isOffered = (step: FindingStep) => step === "keep" || (!isKept && finding?.actions.includes(step));
    const step = pressed.find(isOffered);
    if (finding && step && busy === undefined) onStep(finding, step);
  });
  return (
    <Screen
      title="Tidy"
      back={BACK_TO_SETTINGS}
      lead={
        <span role="status">
          <Lead first={first} isChecking={isChecking} />
        </span>
      }
      actions={
        <Button onPress={check} isDisabled={isChecking}>
          {isChecking ? "Checking…" : "Check again"}
        </Button>
      }
    >
      <Segments label="Which findings" value={view} options={VIEWS} onChange={setView} />
      {error && !data && <Problem problem={error} retry={() => void list.refetch()} />}
      {!data && !error && <Loading />}
      {data && findings.length === 0 && !isChecking && <NoFindings isKept={isKept} />}
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
      <StepDialog {...steps} />
    </Screen>
  );
}
