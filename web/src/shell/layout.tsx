import { type Query, useIsFetching } from "@tanstack/react-query";
import { type CSSProperties, type ReactNode, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { erasedAccount } from "../api/current-account.ts";
import { actionKeys } from "../kit/actions.ts";
import { lazyPart, lazyPartLater } from "../kit/lazy-part.ts";
import { useMedia } from "../kit/media.ts";
import { PHONE } from "../kit/phone.ts";
import { useShortcuts } from "../kit/shortcuts.ts";
import { useIsTimezoneKnown } from "../kit/time.tsx";
import { Toasts } from "../kit/toasts.tsx";
import { useShowsCopies } from "../state/copies.ts";
import { firstScreenLoaded } from "../state/first-screen.ts";
import { useOverlay } from "../state/overlay.ts";
import { useMe } from "../state/queries.ts";
import { useSideWidth } from "../state/side-width.ts";
import { undoLatest } from "../state/toasts.ts";
import { whenIdle } from "../state/when-idle.ts";
import { Bars } from "./bars.tsx";
import { Frame } from "./frame.tsx";
import styles from "./layout.module.css";
import { globalActions, NAV_PLACES } from "./places.ts";
import { ScreenBoundary } from "./screen-boundary.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SignInAgain } from "./sign-in-again.tsx";
import { useTrackRecentItems } from "./track-recent-items.ts";

const Overlays = lazyPart(() => import("./overlays.tsx"));
const AddButton = lazyPartLater(() => import("./add-button.tsx"));
const JobsBar = lazyPartLater(() => import("../features/jobs/jobs-bar.tsx"));
const ImportBar = lazyPartLater(() => import("../features/transfer/import-bar.tsx"));

const UploadsAround = lazyPartLater(() => import("../features/uploads/uploads.tsx"));

const GO_MS = 1500;
const OPEN_RECORDS_MS = 3000;

/** `g` followed by the key of a place opens that place. */
function useGoToKeys(navigate: (path: string) => void) {
  const [isGoing, setGoing] = useState(false);
  useEffect(() => {
    if (!isGoing) return;
    const timer = setTimeout(() => setGoing(false), GO_MS);
    const press = (event: KeyboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setGoing(false);
      const place = NAV_PLACES.find(({ key }) => key === event.key);
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

/** True after the first input, once it is answered. Overlays are loaded then, before they are needed. */
function useIsInUse(): boolean {
  const [isInUse, setInUse] = useState(false);
  useEffect(() => {
    const first = new AbortController();
    const use = () => {
      first.abort();
      whenIdle(() => setInUse(true));
    };
    const options = { signal: first.signal, passive: true, capture: true };
    for (const sign of SIGNS_OF_USE) addEventListener(sign, use, options);
    return () => first.abort();
  }, []);
  return isInUse;
}

/** Copies all open records to this device, some seconds after a screen is shown. */
function useCopyOpenRecords(isInUse: boolean, path: string): void {
  const me = useMe();
  const isCopy = useShowsCopies();
  const isReady = isInUse && me !== undefined && !isCopy && navigator.onLine;
  // biome-ignore lint/correctness/useExhaustiveDependencies: checked after every navigation
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(async () => {
      if (document.hidden) return;
      const { copyOpenRecords } = await import("../state/open-records.ts");
      await copyOpenRecords().catch(() => undefined);
    }, OPEN_RECORDS_MS);
    return () => clearTimeout(timer);
  }, [isReady, path]);
}

/** Deletes local data of an erased account, in case its page was closed before it had finished. */
async function deleteErasedData(): Promise<void> {
  const erased = erasedAccount();
  if (erased === null) return;
  await firstScreenLoaded;
  const { deleteUnsentWork } = await import("../features/settings/delete-unsent-work.ts");
  await deleteUnsentWork(erased);
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
  const knowsDay = useIsTimezoneKnown();
  const isInUse = useIsInUse();
  const over = useOverlay();
  const isPhone = useMedia(PHONE);
  const sideWidth = useSideWidth();
  useCopyOpenRecords(isInUse, path);
  const goTo = useGoToKeys(navigate);
  useTrackRecentItems(path);
  useEffect(() => void deleteErasedData().catch(() => undefined), []);
  useShortcuts({ ...actionKeys(globalActions(navigate)), z: undoLatest, g: goTo });
  return (
    <div className={styles.layout} style={{ "--side": `${sideWidth}rem` } as CSSProperties}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <Sidebar />
      <Main>
        <Bars />
        <SignInAgain />
        <ScreenBoundary isPart>
          <Suspense fallback={<span hidden data-loading />}>
            <ImportBar />
            <JobsBar />
            <UploadsAround />
          </Suspense>
        </ScreenBoundary>
        {!knowsDay && <Frame path={path} />}
        {/* Rendered hidden until the time zone is known: it already fetches, but must not show a wrong day. */}
        <div className={styles.content} hidden={!knowsDay}>
          {children}
        </div>
      </Main>
      {isPhone && !over && (
        <Suspense>
          <AddButton />
        </Suspense>
      )}
      {(isInUse || over) && (
        <Suspense>
          <Overlays />
        </Suspense>
      )}
      <div className={styles.told}>
        <Toasts />
      </div>
    </div>
  );
}
