import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation, useSearch } from "wouter";
import { type Memory, memoriesApi } from "../../api/memories.ts";
import { isApiError } from "../../api/request.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Activity, History, Replace, Trash2 } from "../../kit/icons.tsx";
import { useKeeping } from "../../kit/keeping.ts";
import { Key } from "../../kit/key.tsx";
import { ActionMenu } from "../../kit/menu.tsx";
import { Screen } from "../../kit/screen.tsx";
import { useShortcuts } from "../../kit/shortcuts.ts";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { copied } from "../../state/copies.ts";
import { useMe } from "../../state/queries.ts";
import { readRecord } from "../../state/reading-records.ts";
import { useScreenActions } from "../../state/screen-actions.ts";
import { signOut } from "../../state/session.ts";
import { Title } from "../document/title.tsx";
import { TYPE_NAMES } from "../things/names.ts";
import { InTrash } from "../trash/in-trash.tsx";
import { changeFields } from "./change.ts";
import { useExpected } from "./pending.ts";
import styles from "./record.module.css";
import { Events } from "./record-events.tsx";
import { Facts } from "./record-facts.tsx";
import { STEPS } from "./record-row.tsx";
import { RecordText } from "./record-text.tsx";
import { type Asked, begin, StepDialog } from "./step-dialogs.tsx";
import { canTake, type Step } from "./steps.ts";
import { SupersedeDialog } from "./supersede-dialog.tsx";

async function switchAccount(): Promise<void> {
  const here = location.pathname;
  await signOut();
  location.assign(`/sign-in?to=${encodeURIComponent(here)}`);
}

/** Links in the answers of assistants lead to records of whichever account they work for. */
function NotFound({ id }: { id: number }) {
  const email = useMe()?.email;
  const found = useQuery({ queryKey: ["trash", "memory", id], queryFn: () => memoriesApi.getAnywhere(id) });
  if (found.isPending) return <Loading />;
  if (found.data?.trashed_at) {
    const { topic, content, trashed_at } = found.data;
    return (
      <InTrash thing={{ type: "memory", id, topic }} trashedAt={trashed_at}>
        <div className={styles.text}>
          <p>{content}</p>
        </div>
      </InTrash>
    );
  }
  return (
    <Screen title="No such record here">
      <Empty title={`This record is not in the account ${email ?? ""}.`}>
        <p>It may belong to another account, or it was deleted.</p>
        <div className={styles.actions}>
          <ButtonLink href="/records?status=all">See all records</ButtonLink>
          <Button onPress={() => void switchAccount()}>Use another account</Button>
        </div>
      </Empty>
    </Screen>
  );
}

type ActionsProps = {
  memory: Memory;
  onStep: (action: Step["action"]) => void;
  onSupersede: () => void;
};

/** What can be done with the record, by its status. */
function StepButtons({ memory, onStep, onSupersede }: ActionsProps) {
  const keeping = useKeeping(copied.record(memory.id), memory);
  const [path, navigate] = useLocation();
  const more = [
    { name: "Versions", icon: History, shortcut: "v", run: () => navigate(`${path}?versions`) },
    {
      name: "Changes",
      icon: Activity,
      run: () => navigate(`/activity?kind=memory&record=${memory.id}`),
    },
  ];
  const replace = { name: "Replace…", icon: Replace, run: onSupersede };
  const remove = {
    name: "Move to trash",
    icon: Trash2,
    shortcut: "#",
    isDangerous: true,
    run: () => onStep("delete"),
  };
  return (
    <div className={styles.actions}>
      {canTake(memory, "resolve") && (
        <Button kind="primary" onPress={() => onStep("resolve")}>
          Resolve <Key>e</Key>
        </Button>
      )}
      {STEPS.filter(({ action }) => canTake(memory, action)).map(({ action, name, key }) => (
        <Button key={action} onPress={() => onStep(action)}>
          {name} <Key>{key}</Key>
        </Button>
      ))}
      <ActionMenu
        label="More"
        actions={[...(canTake(memory, "resolve") ? [replace] : []), ...more, keeping, remove]}
      />
    </div>
  );
}

/** What is said in one line is said once: its content is its topic. */
const rename = (memory: Memory, topic: string) =>
  changeFields(memory, { topic, ...(memory.content === memory.topic && { content: topic }) });

function View({ memory }: { memory: Memory }) {
  const [asked, setAsked] = useState<Asked>();
  const [isSuperseding, setSuperseding] = useState(false);
  const [, navigate] = useLocation();
  const step = (action: Step["action"]) => {
    if (canTake(memory, action)) begin(action, [memory], setAsked);
  };
  useScreenActions("This record", [
    ...(canTake(memory, "resolve") ? [{ name: "Resolve", key: "e", run: () => step("resolve") }] : []),
    ...STEPS.filter(({ action }) => canTake(memory, action)).map(({ action, name, key }) => ({
      ...{ name, key, run: () => step(action) },
    })),
    ...(canTake(memory, "resolve") ? [{ name: "Replace…", run: () => setSuperseding(true) }] : []),
    { name: "Versions", key: "v", run: () => navigate(`/records/${memory.id}?versions`) },
    { name: "Move to trash", key: "#", run: () => step("delete") },
  ]);
  useShortcuts({
    e: () => step("resolve"),
    d: () => step("defer"),
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
      <StepButtons memory={memory} onStep={step} onSupersede={() => setSuperseding(true)} />
      <div className={styles.record}>
        <RecordText memory={memory} />
        <Facts memory={memory} />
        <Events memory={memory} />
      </div>
      {asked && <StepDialog {...asked} onClose={() => setAsked(undefined)} />}
      {isSuperseding && <SupersedeDialog memory={memory} onClose={() => setSuperseding(false)} />}
    </Screen>
  );
}

const Versions = lazy(() =>
  import("./record-versions.tsx").then(({ RecordVersions }) => ({ default: RecordVersions })),
);

function Compared({ memory }: { memory: Memory }) {
  const [, navigate] = useLocation();
  const read = () => navigate(`/records/${memory.id}`, { replace: true });
  useShortcuts({ Escape: read });
  return (
    <Screen title={`Versions of ${memory.topic}`}>
      <Suspense fallback={<Loading />}>
        <Versions key={memory.version} memory={memory} onLeave={read} />
      </Suspense>
    </Screen>
  );
}

/** One record with its history. */
export default function RecordPage({ id: given }: { id: string }) {
  const id = Number(given);
  const [, navigate] = useLocation();
  const isCompared = new URLSearchParams(useSearch()).has("versions");
  const expected = useExpected();
  const isId = Number.isSafeInteger(id) && id > 0;
  const { data, error, refetch } = useQuery({
    queryKey: ["memories", "record", id],
    queryFn: (asking) => readRecord(id, asking),
    enabled: isId,
  });
  const memory = data && expected([data])[0];
  const isDeleted = data !== undefined && memory === undefined;
  useEffect(() => {
    if (isDeleted) navigate("/records", { replace: true });
  }, [isDeleted, navigate]);
  if (!isId || isApiError(error, 404)) return <NotFound id={id} />;
  if (memory && isCompared) return <Compared memory={memory} />;
  if (memory) return <View key={id} memory={memory} />;
  return (
    <Screen title="Record">
      {error ? <Problem problem={error} retry={() => void refetch()} /> : <Loading />}
    </Screen>
  );
}
