import { type Query, useIsFetching } from "@tanstack/react-query";
import { type CSSProperties, type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { pathOf } from "../../../src/contract/paths.ts";
import { erasedAccount } from "../api/holder.ts";
import { Search } from "../kit/icons.tsx";
import { useShortcuts } from "../kit/shortcuts.ts";
import { useKnowsDay } from "../kit/time.tsx";
import { Toasts } from "../kit/toasts.tsx";
import { useIsCopy } from "../state/copies.ts";
import { firstAnswers } from "../state/first-answers.ts";
import { show, togglePalette, useOver } from "../state/over.ts";
import { useMe } from "../state/queries.ts";
import { useSideWidth } from "../state/side-width.ts";
import { undoLatest } from "../state/toasts.ts";
import { around, aroundLater } from "./around.ts";
import { Bars } from "./bars.tsx";
import { Frame } from "./frame.tsx";
import styles from "./layout.module.css";
import { useNoteOpened } from "./note-opened.ts";
import { PLACES } from "./places.ts";
import { Sidebar } from "./sidebar.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

const Over = around(() => import("./over.tsx"));
const JobsBar = aroundLater(() => import("../features/jobs/jobs-bar.tsx"));
const ImportBar = aroundLater(() => import("../features/transfer/import-bar.tsx"));

const FilesAround = aroundLater(() => import("../features/uploads/around.tsx"));

const GO_MS = 1500;
const OPEN_RECORDS_MS = 3000;

/** `g` followed by the key of a place opens that place. */
function useGoTo(navigate: (path: string) => void) {
  const [isGoing, setGoing] = useState(false);
  useEffect(() => {
    if (!isGoing) return;
    const timer = setTimeout(() => setGoing(false), GO_MS);
    const press = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setGoing(false);
      const place = PLACES.find(({ key }) => key === event.key);
      if (place) navigate(place.path);
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => {
      clearTimeout(timer);
      document.removeEventListener("keydown", press, { capture: true });
    };
  }, [isGoing, navigate]);
  return () => setGoing(true);
}

const SIGNS_OF_USE = ["pointermove", "pointerdown", "keydown"] as const;

/** True after the first input. Overlays are loaded then, before they are needed. */
function useInUse(): boolean {
  const [isInUse, setInUse] = useState(false);
  useEffect(() => {
    const first = new AbortController();
    const use = () => {
      first.abort();
      setInUse(true);
    };
    const options = { signal: first.signal, passive: true, capture: true };
    for (const sign of SIGNS_OF_USE) addEventListener(sign, use, options);
    return () => first.abort();
  }, []);
  return isInUse;
}

/** Copies all open records to this device, some seconds after a screen is shown. */
function useOpenRecords(isInUse: boolean, path: string): void {
  const me = useMe();
  const isCopy = useIsCopy();
  const isReady = isInUse && me !== undefined && !isCopy && navigator.onLine;
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked after every navigation
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(async () => {
      if (document.hidden) return;
      const { keepOpenRecords } = await import("../state/open-records.ts");
      await keepOpenRecords().catch(() => undefined);
    }, OPEN_RECORDS_MS);
    return () => clearTimeout(timer);
  }, [isReady, path]);
}

/** Deletes local data of an erased account, in case its page was closed before it had finished. */
async function forgetErased(): Promise<void> {
  const erased = erasedAccount();
  if (erased === null) return;
  await firstAnswers;
  const { forgetWritten } = await import("../features/settings/forget-written.ts");
  await forgetWritten(erased);
}

const isFirst = ({ state }: Query) => state.data === undefined;

/**
 * The screen and the bars above it, marked while something loads for the first time. Not with `aria-busy`: some screen readers
 * hide such elements, and "Loading…" with them.
 */
function Main({ children }: { children: ReactNode }) {
  const isLoading = useIsFetching({ predicate: isFirst }) > 0;
  return (
    <main id="main" className={styles.main} tabIndex={-1} data-loading={isLoading || undefined}>
      {children}
    </main>
  );
}

/** The frame of every screen: navigation, account, notifications. */
export function Layout({ children }: { children: ReactNode }) {
  const [path, navigate] = useLocation();
  const knowsDay = useKnowsDay();
  const isInUse = useInUse();
  const over = useOver();
  const sideWidth = useSideWidth();
  useOpenRecords(isInUse, path);
  const goTo = useGoTo(navigate);
  useNoteOpened(path);
  useEffect(() => void forgetErased().catch(() => undefined), []);
  useShortcuts({
    u: undoLatest,
    z: undoLatest,
    g: goTo,
    "/": () => navigate(pathOf("search")),
    "mod+k": togglePalette,
    "?": () => show("shortcuts"),
  });
  return (
    <div className={styles.layout} style={{ "--side": `${sideWidth}rem` } as CSSProperties}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Sidebar />
      <Main>
        <Bars />
        <Suspense fallback={<span hidden data-loading />}>
          <ImportBar />
          <JobsBar />
          <FilesAround />
        </Suspense>
        {!knowsDay && <Frame path={path} />}
        {/* Rendered hidden until the time zone is known: it already fetches, but must not show a wrong day. */}
        <div className={styles.content} hidden={!knowsDay}>
          {children}
        </div>
      </Main>
      {!over && (
        <button
          type="button"
          className={styles.thumb}
          aria-label="Search or run a command"
          onClick={() => show("palette")}
        >
          <Search aria-hidden="true" />
        </button>
      )}
      {(isInUse || over) && (
        <Suspense>
          <Over />
        </Suspense>
      )}
      <div className={styles.told}>
        <Toasts />
      </div>
      <SignInAgain />
    </div>
  );
}
