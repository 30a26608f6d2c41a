import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type Memory, memoriesApi } from "../../api/memories.ts";
import { isApiError } from "../../api/request.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Activity, Check, History, Replace, Trash2 } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import type { MenuAction } from "../../kit/menu-button.tsx";
import { useOfflineAction } from "../../kit/offline-action.ts";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { copyNames } from "../../state/copies.ts";
import { useMe } from "../../state/queries.ts";
import { readRecord } from "../../state/read-records.ts";
import { useScreenActions } from "../../state/screen-actions.ts";
import { signOut } from "../../state/session.ts";
import { Title } from "../document/title.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import { TrashedScreen } from "../trash/in-trash.tsx";
import { useWithOptimisticChanges } from "./optimistic-changes.ts";
import styles from "./record.module.css";
import { RecordHistory } from "./record-events.tsx";
import { RecordProperties } from "./record-facts.tsx";
import { STEP_BUTTONS } from "./record-row.tsx";
import { RecordText } from "./record-text.tsx";
import { saveMemoryFields } from "./save-fields.ts";
import { StepDialog, startStep } from "./step-dialog.tsx";
import type { StepRequest } from "./step-dialogs.tsx";
import { canApplyStep, type RecordStep } from "./steps.ts";
import { SupersedeDialog } from "./supersede-dialog.tsx";

async function switchAccount(): Promise<void> {
  const path = location.pathname;
  await signOut();
  location.assign(`/sign-in?to=${encodeURIComponent(path)}`);
}

/** A link in an assistant's answer may lead to a record of another account. */
function NotFound({ id }: { id: number }) {
  const email = useMe()?.email;
  const trashed = useQuery({
    queryKey: ["trash", "memory", id],
    queryFn: () => memoriesApi.getIncludingTrash(id),
  });
  if (trashed.isPending) return <Loading />;
  if (trashed.data?.trashed_at) {
    const { topic, content, trashed_at } = trashed.data;
    return (
      <TrashedScreen thing={{ type: "memory", id, topic }} trashedAt={trashed_at}>
        <div className={styles.text}>
          <p>{content}</p>
        </div>
      </TrashedScreen>
    );
  }
  return (
    <Screen title="Record not found">
      <Empty title={`This record isn’t in the account ${email ?? ""}.`}>
        <p>It may belong to another account or have been deleted.</p>
        <div className={styles.actions}>
          <ButtonLink href="/records?status=all">See all records</ButtonLink>
          <Button onPress={() => void switchAccount()}>Use another account</Button>
        </div>
      </Empty>
    </Screen>
  );
}

type Actions = Record<"main" | "more", MenuAction[]>;

/** The actions that the status of the record allows: `main` are buttons, `more` is the menu. */
function useActions(
  memory: Memory,
  onStep: (action: RecordStep["action"]) => void,
  onSupersede: () => void,
): Actions {
  const keeping = useOfflineAction(copyNames.record(memory.id), memory);
  const [, navigate] = useLocation();
  const mayResolve = canApplyStep(memory, "resolve");
  const resolve = { name: "Resolve", icon: Check, shortcut: "e", run: () => onStep("resolve") };
  const steps = STEP_BUTTONS.filter(({ action }) => canApplyStep(memory, action));
  const versions = () => navigate(`/records/${memory.id}?versions`);
  const changes = () => navigate(`/activity?kind=memory&record=${memory.id}`);
  const trash = () => onStep("delete");
  return {
    main: [
      ...(mayResolve ? [resolve] : []),
      ...steps.map(({ action, name, key }) => ({ name, shortcut: key, run: () => onStep(action) })),
    ],
    more: [
      ...(mayResolve ? [{ name: "Replace…", icon: Replace, run: onSupersede }] : []),
      { name: "Versions", icon: History, shortcut: "v", run: versions },
      { name: "Changes", icon: Activity, run: changes },
      keeping,
      { name: "Move to trash", icon: Trash2, shortcut: "#", isDangerous: true, run: trash },
    ],
  };
}

const ActionButtons = ({ main, more }: Actions) => (
  <div className={styles.actions}>
    {main.map(({ name, shortcut, run }) => (
      <Button key={name} kind={name === "Resolve" ? "primary" : "plain"} onPress={run}>
        {name} {shortcut && <Key>{shortcut}</Key>}
      </Button>
    ))}
    <ActionMenu label="More" actions={more} />
  </div>
);

/** The content of a one-line record is its topic, so both are renamed. */
const rename = (memory: Memory, topic: string) =>
  saveMemoryFields(memory, { topic, ...(memory.content === memory.topic && { content: topic }) });

function View({ memory }: { memory: Memory }) {
  const [request, setRequest] = useState<StepRequest>();
  const [isSuperseding, setSuperseding] = useState(false);
  const [, navigate] = useLocation();
  const step = (action: RecordStep["action"]) => {
    if (canApplyStep(memory, action)) startStep(action, [memory], setRequest);
  };
  const actions = useActions(memory, step, () => setSuperseding(true));
  useScreenActions("This record", [...actions.main, ...actions.more]);
  useShortcuts({
    e: () => step("resolve"),
    d: () => step("defer"),
    s: () => step("skip"),
    c: () => step("confirm"),
    a: () => step("archive"),
    o: () => step("reopen"),
    "#": () => step("delete"),
    v: () => navigate(`/records/${memory.id}?versions`),
  });
  return (
    <Screen
      title={memory.topic}
      heading={<Title title={memory.topic} label="Topic" onRename={(topic) => void rename(memory, topic)} />}
      lead={`${TYPE_NAMES[memory.memory_type]} ${memory.id}`}
    >
      <ActionButtons {...actions} />
      <div className={styles.record}>
        <RecordText memory={memory} />
        <RecordProperties memory={memory} />
        <Suspense>
          <FilesOf to={{ record: memory.id }} />
        </Suspense>
        <RecordHistory memory={memory} />
      </div>
      {request && <StepDialog {...request} onClose={() => setRequest(undefined)} />}
      {isSuperseding && <SupersedeDialog memory={memory} onClose={() => setSuperseding(false)} />}
    </Screen>
  );
}

const FilesOf = lazy(() => import("../files/attached-files.tsx"));

const Versions = lazy(() =>
  import("./record-versions.tsx").then(({ RecordVersions }) => ({ default: RecordVersions })),
);

function CompareVersions({ memory }: { memory: Memory }) {
  const [, navigate] = useLocation();
  const leave = () => navigate(`/records/${memory.id}`, { replace: true });
  useShortcuts({ Escape: leave });
  return (
    <Screen title={`Versions of ${memory.topic}`}>
      <Suspense fallback={<Loading />}>
        <Versions key={memory.version} memory={memory} onLeave={leave} />
      </Suspense>
    </Screen>
  );
}

/** One record with its history. */
export default function RecordPage({ id: idText }: { id: string }) {
  const id = Number(idText);
  const [, navigate] = useLocation();
  const isComparing = new URLSearchParams(useSearch()).has("versions");
  const expected = useWithOptimisticChanges();
  const isId = Number.isSafeInteger(id) && id > 0;
  const { data, error, refetch } = useQuery({
    queryKey: ["memories", "record", id],
    queryFn: (context) => readRecord(id, context),
    enabled: isId,
  });
  const memory = data && expected([data])[0];
  const isDeleted = data !== undefined && memory === undefined;
  useEffect(() => {
    if (isDeleted) navigate("/records", { replace: true });
  }, [isDeleted, navigate]);
  if (!isId || isApiError(error, 404)) return <NotFound id={id} />;
  if (memory && isComparing) return <CompareVersions memory={memory} />;
  if (memory) return <View key={id} memory={memory} />;
  return (
    <Screen title="Record">
      {error ? <Problem problem={error} retry={() => void refetch()} /> : <Loading />}
    </Screen>
  );
}
