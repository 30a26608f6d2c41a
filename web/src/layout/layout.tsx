import {
  BookOpen,
  CalendarCheck,
  FileText,
  History,
  ListChecks,
  Plug,
  Search,
  Settings as SettingsIcon,
} from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import { Link, useLocation } from "wouter";
import { useShortcuts } from "../parts/shortcuts.ts";
import { Toasts, undoLatest } from "../parts/toasts.tsx";
import { useMe } from "../queries.ts";
import styles from "./layout.module.css";
import { SignInAgain } from "./sign-in-again.tsx";

const ImportBar = lazy(() => import("../transfer/import-bar.tsx"));

const PLACES = [
  { path: "/", name: "Today", key: "t", icon: CalendarCheck },
  { path: "/search", name: "Search", key: "s", icon: Search },
  { path: "/documents", name: "Documents", key: "d", icon: FileText },
  { path: "/records", name: "Records", key: "r", icon: ListChecks },
  { path: "/history", name: "History", key: "h", icon: History },
  { path: "/settings/connections", name: "Connections", key: "c", icon: Plug },
  { path: "/settings", name: "Settings", key: "p", icon: SettingsIcon },
];

/** On a phone only these fit below; the rest is behind Settings. */
const ON_PHONE = ["/", "/search", "/documents", "/records", "/settings"];

const isCurrent = (place: string, path: string) =>
  place === path || (place !== "/" && place !== "/settings" && path.startsWith(`${place}/`));

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

/** What surrounds every screen: the places, who is signed in, notifications. */
export function Layout({ children }: { children: ReactNode }) {
  const [, navigate] = useLocation();
  useShortcuts({ u: undoLatest, z: undoLatest, "/": () => navigate("/search") });
  return (
    <div className={styles.layout}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <aside className={styles.side}>
        <Link href="/" className={styles.brand}>
          <BookOpen aria-hidden="true" /> Commonplace
        </Link>
        <Navigation />
        <Account />
      </aside>
      <main id="main" className={styles.main} tabIndex={-1}>
        <Suspense fallback={null}>
          <ImportBar />
        </Suspense>
        {children}
      </main>
      <Toasts />
      <SignInAgain />
    </div>
  );
}
