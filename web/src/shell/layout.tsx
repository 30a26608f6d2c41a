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

/** `g` and then the key of a place goes there. */
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

/** True as soon as somebody uses the page: then what lies over it is loaded, before it is asked for. */
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

/** Keeps all open records on this device, once what was asked for is shown. */
function useOpenRecords(isInUse: boolean, path: string): void {
  const me = useMe();
  const isCopy = useIsCopy();
  const isReady = isInUse && me !== undefined && !isCopy && navigator.onLine;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked at on every way whether an hour is over
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

/** Deletes what an erased account has left here, because its page ended meanwhile. */
async function forgetErased(): Promise<void> {
  const erased = erasedAccount();
  if (erased === null) return;
  await firstAnswers;
  const { forgetWritten } = await import("../features/settings/forget-written.ts");
  await forgetWritten(erased);
}

const isFirst = ({ state }: Query) => state.data === undefined;

/**
 * The screen and what is above it, marked as long as something is asked for the first time. Not `aria-busy`: some screen
 * readers hide what has it, and keep "Loading…" to themselves.
 */
function Main({ children }: { children: ReactNode }) {
  const isLoading = useIsFetching({ predicate: isFirst }) > 0;
  return (
    <main id="main" className={styles.main} tabIndex={-1} data-loading={isLoading || undefined}>
      {children}
    </main>
  );
}

/** What surrounds every screen: the places, who is signed in, notifications. */
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
        Skip to the content
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
        {/* Asks already for what it shows, but shows no day that may be the wrong one. */}
        <div className={styles.content} hidden={!knowsDay}>
          {children}
        </div>
      </Main>
      {!over && (
        <button
          type="button"
          className={styles.thumb}
          aria-label="Find or do something"
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
