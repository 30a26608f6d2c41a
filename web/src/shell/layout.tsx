import { BookOpen, Command } from "lucide-react";
import { type ComponentType, lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { Bars } from "./bars.tsx";
import { MOD, show, togglePalette, useOver } from "../palette/open.ts";
import { useShortcuts } from "../kit/shortcuts.ts";
import { Toasts, undoLatest } from "../parts/toasts.tsx";
import { Waiting } from "./waiting.tsx";
import { useMe } from "../state/queries.ts";
import styles from "./layout.module.css";
import { PLACES } from "../layout/places.ts";
import { SignInAgain } from "../layout/sign-in-again.tsx";

/** What surrounds the screens may fail to load without a network; the screens must not go with it. */
const around = (load: () => Promise<{ default: ComponentType }>) =>
  lazy(() => load().catch(() => ({ default: () => null })));

const Over = around(() => import("./over.tsx"));
const ImportBar = around(() => import("../features/transfer/import-bar.tsx"));

/** On a phone only these fit below; the rest is behind Settings. */
const ON_PHONE = ["/", "/search", "/documents", "/records", "/settings"];

const isCurrent = (place: string, path: string) =>
  place === path || (place !== "/" && place !== "/settings" && path.startsWith(`${place}/`));

const isBehindSettings = (path: string) => !ON_PHONE.some((place) => isCurrent(place, path));

function Navigation() {
  const [path] = useLocation();
  return (
    <nav className={styles.nav} aria-label="Main">
      {PLACES.map(({ path: place, name, icon: Icon }) => (
        <Link
          key={place}
          href={place}
          className={ON_PHONE.includes(place) ? styles.place : `${styles.place} ${styles.desk}`}
          aria-current={isCurrent(place, path) ? "page" : undefined}
          data-behind={(place === "/settings" && isBehindSettings(path)) || undefined}
        >
          <Icon aria-hidden="true" />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  );
}

const Account = () => {
  const me = useMe();
  return <p className={styles.account}>{me?.name ?? me?.email}</p>;
};

const GO_MS = 1500;

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

/** True half a second after the first screen: time to load what is not needed at once. */
function useIdle(): boolean {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIdle(true), 500);
    return () => clearTimeout(timer);
  }, []);
  return isIdle;
}

/** What surrounds every screen: the places, who is signed in, notifications. */
export function Layout({ children }: { children: ReactNode }) {
  const [, navigate] = useLocation();
  const isIdle = useIdle();
  const over = useOver();
  const goTo = useGoTo(navigate);
  useShortcuts({
    u: undoLatest,
    z: undoLatest,
    g: goTo,
    "/": () => navigate("/search"),
    "mod+k": togglePalette,
    "?": () => show("shortcuts"),
  });
  return (
    <div className={styles.layout}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <aside className={styles.side}>
        <Link href="/" className={styles.brand}>
          <BookOpen aria-hidden="true" /> Commonplace
        </Link>
        <button type="button" className={styles.find} onClick={() => show("palette")}>
          <Command aria-hidden="true" /> <span>Find…</span> <kbd>{MOD}K</kbd>
        </button>
        <Navigation />
        <Account />
      </aside>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Bars />
        <Waiting />
        <Suspense fallback={null}>
          <ImportBar />
        </Suspense>
        {children}
      </main>
      {(isIdle || over) && (
        <Suspense>
          <Over />
        </Suspense>
      )}
      <Toasts />
      <SignInAgain />
    </div>
  );
}
