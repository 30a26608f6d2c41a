import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type Memory, memoriesApi } from "../../api/memories.ts";
import { isApiError } from "../../api/request.ts";
import { type Action, useScreenActions } from "../../kit/actions.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Activity, History, Replace } from "../../kit/icons.tsx";
import { Key } from "../../kit/key.tsx";
import { useMedia } from "../../kit/media.ts";
import { ActionMenu } from "../../kit/menu.tsx";
import { useOfflineAction } from "../../kit/offline-action.ts";
import { PHONE } from "../../kit/phone.ts";
import { LoadingScreen, Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { copyNames } from "../../state/copies.ts";
import { useMe } from "../../state/queries.ts";
import { readRecord } from "../../state/read-records.ts";
import { signOut } from "../../state/session.ts";
import { Title } from "../document/title.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import { TrashedScreen } from "../trash/in-trash.tsx";
import { useWithOptimisticChanges } from "./optimistic-changes.ts";
import styles from "./record.module.css";
import { RecordHistory } from "./record-events.tsx";
import { RecordProperties } from "./record-facts.tsx";
import { RecordText } from "./record-text.tsx";
import { saveMemoryFields } from "./save-fields.ts";
import { canApplyStep, type RecordActionName, recordActions } from "./step-actions.ts";
import { StepDialog, startStep } from "./step-dialog.tsx";
import type { StepRequest } from "./step-dialogs.tsx";
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
  if (trashed.isPending) return <LoadingScreen />;
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
      <Empty title={`This record isn’t in the account ${email ?? ""}`}>
        <p>It may belong to another account or have been deleted.</p>
        <div className="button-row">
          <ButtonLink href="/records?status=all">See all records</ButtonLink>
          <Button onPress={() => void switchAccount()}>Use another account</Button>
        </div>
      </Empty>
    </Screen>
  );
}

/** In the menu: the properties beside the text change them too. */
const OFF_PAGE: readonly RecordActionName[] = ["note", "reschedule", "project", "tag", "type"];

/** The actions that the status of the record allows. */
function useActions(
  memory: Memory,
  onStep: (action: RecordActionName) => void,
  onSupersede: () => void,
): Action[] {
  const keeping = useOfflineAction(copyNames.record(memory.id), memory);
  const [, navigate] = useLocation();
  const steps = recordActions(onStep, [memory]);
  const versions = () => navigate(`/records/${memory.id}?versions`);
  const changes = () => navigate(`/activity?kind=memory&record=${memory.id}`);
  return [
    ...steps
      .filter(({ id }) => id !== "delete")
      .map((action) => ({ ...action, isOnPage: !OFF_PAGE.includes(action.id) })),
    ...(canApplyStep(memory, "resolve") ? [{ name: "Replace…", icon: Replace, run: onSupersede }] : []),
    { name: "Versions", icon: History, shortcut: "v", run: versions },
    { name: "Changes", icon: Activity, run: changes },
    keeping,
    ...steps.filter(({ id }) => id === "delete"),
  ];
}

/** How many buttons and the menu stand in one line of a phone. */
const MAX_ON_PHONE = 3;

function ActionButtons({ actions }: { actions: readonly Action[] }) {
  const isPhone = useMedia(PHONE);
  const buttons = actions.filter(({ isOnPage }) => isOnPage).slice(0, isPhone ? MAX_ON_PHONE : undefined);
  return (
    <div className={styles.actions}>
      {buttons.map(({ id, name, shortcut, run }) => (
        <Button key={name} kind={id === "resolve" ? "primary" : "plain"} onPress={run}>
          {name} {shortcut && <Key>{shortcut}</Key>}
        </Button>
      ))}
      <ActionMenu label="More" actions={actions.filter((action) => !buttons.includes(action))} />
    </div>
  );
}

/** The content of a one-line record is its topic, so both are renamed. */
const rename = (memory: Memory, topic: string) =>
  saveMemoryFields(memory, { topic, ...(memory.content === memory.topic && { content: topic }) });

function View({ memory }: { memory: Memory }) {
  const [request, setRequest] = useState<StepRequest>();
  const [isSuperseding, setSuperseding] = useState(false);
  const actions = useActions(
    memory,
    (action) => startStep(action, [memory], setRequest),
    () => setSuperseding(true),
  );
  useScreenActions("This record", actions);
  return (
    <Screen
      title={memory.topic}
      heading={<Title title={memory.topic} label="Topic" onRename={(topic) => void rename(memory, topic)} />}
      lead={`${TYPE_NAMES[memory.memory_type]} ${memory.id}`}
    >
      <ActionButtons actions={actions} />
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

const Versions = lazy(() => import("./record-versions.tsx"));

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
