import { type ReactNode, Suspense, useState } from "react";
import { Link, useLocation, useSearch } from "wouter";
import { pathOf, type ScreenName, screenAt } from "../../../src/contract/paths.ts";
import { FirstFolders, NewFolder } from "../features/documents/first-folders.tsx";
import type { Asked } from "../features/documents/folder-dialogs.tsx";
import { placeOf } from "../features/documents/place.ts";
import { projectHere, projectPath } from "../features/things/project-path.ts";
import { useSummary } from "../features/things/summary.ts";
import { BookOpen, ChevronRight, Command } from "../kit/icons.tsx";
import { Key } from "../kit/key.tsx";
import { MOD } from "../kit/key-name.ts";
import { useMedia } from "../kit/media.ts";
import { PHONE } from "../kit/phone.ts";
import { useFolded } from "../state/folded.ts";
import { show } from "../state/over.ts";
import { rememberRoom, roomOf } from "../state/rooms.ts";
import { Account } from "./account.tsx";
import { aroundLater } from "./around.ts";
import { PLACES, type Place } from "./places.ts";
import styles from "./sidebar.module.css";

const DOCUMENTS = pathOf("documents");
const RECORDS = pathOf("records");
const SETTINGS = pathOf("settings");

/** The bar of a phone has room only for these; the rest is reached through Settings. */
const ON_PHONE = (["today", "search", "documents", "records", "settings"] as const).map((screen) =>
  pathOf(screen),
);

const isCurrent = (place: string, path: string) =>
  place === path ||
  (place === RECORDS && projectHere() !== undefined) ||
  (place !== "/" && place !== SETTINGS && path.startsWith(`${place}/`));

/** On a phone, the entry that leads to this screen: Today for the calendar, Settings for the others. */
function placeInFront(path: string): string | undefined {
  if (screenAt(path) === undefined || ON_PHONE.some((place) => isCurrent(place, path))) return undefined;
  return path === pathOf("calendar") ? pathOf("today") : SETTINGS;
}

const Folders = aroundLater(() => import("../features/documents/folders.tsx"));
const SideEdge = aroundLater(() => import("./side-edge.tsx"));

const placeAt = (screen: ScreenName): Place => PLACES.find(({ path }) => path === pathOf(screen)) as Place;

function PlaceLink({ place: { path: place, name, icon: Icon } }: { place: Place }) {
  const [path] = useLocation();
  return (
    <Link
      href={place}
      className={styles.place}
      aria-current={isCurrent(place, path) ? "page" : undefined}
      data-behind={place === placeInFront(path) || undefined}
    >
      <Icon aria-hidden="true" />
      <span>{name}</span>
    </Link>
  );
}

type GroupProps = { screen: "documents" | "records"; inside: string; children: ReactNode };

/** A place with its collapsible contents. */
function Group({ screen, inside, children }: GroupProps) {
  const [isFolded, toggle] = useFolded(screen);
  const place = placeAt(screen);
  return (
    <div className={styles.group}>
      <div className={styles.head}>
        <PlaceLink place={place} />
        <button
          type="button"
          className={styles.fold}
          aria-expanded={!isFolded}
          aria-label={inside}
          title={isFolded ? `Show ${inside.toLowerCase()}` : `Hide ${inside.toLowerCase()}`}
          onClick={toggle}
        >
          <ChevronRight aria-hidden="true" />
        </button>
      </div>
      {!isFolded && children}
    </div>
  );
}

function FoldersOfDocuments() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const [asked, setAsked] = useState<Asked>();
  const place = path === DOCUMENTS ? placeOf(search) : undefined;
  const wait = <FirstFolders isTrash={place?.view === "trash"} />;
  return (
    <>
      <Suspense fallback={wait}>
        <Folders place={place} go={navigate} asked={asked} onAsk={setAsked} wait={wait} />
      </Suspense>
      <NewFolder onPress={() => setAsked({ about: "create", inside: place?.folder })} />
    </>
  );
}

const numberOf = (count: number) => count.toLocaleString("en-GB");

const remember = rememberRoom("projects");

/** Projects with active records, and their counts. */
function Projects() {
  useLocation();
  const shown = projectHere();
  const { data, isPending } = useSummary();
  const projects = data?.by_project.filter(({ active }) => active > 0) ?? [];
  if (isPending) return <div style={{ height: roomOf("projects") }} />;
  if (projects.length === 0) return <div ref={remember} />;
  return (
    <ul ref={remember} className={styles.projects} aria-label="Projects">
      {projects.map(({ project, active }) => (
        <li key={project}>
          <Link
            href={projectPath(project)}
            className={styles.project}
            aria-current={project === shown ? "page" : undefined}
          >
            <span dir="auto">{project}</span> <small>{numberOf(active)}</small>
            <span className="visually-hidden"> active</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

const BELOW = (["files", "history", "activity", "tidy", "connections"] as const).map(placeAt);

const OnDesk = () => (
  <nav className={styles.nav} aria-label="Main">
    <PlaceLink place={placeAt("today")} />
    <PlaceLink place={placeAt("calendar")} />
    <PlaceLink place={placeAt("search")} />
    <Group screen="documents" inside="Folders">
      <FoldersOfDocuments />
    </Group>
    <Group screen="records" inside="Projects">
      <Projects />
    </Group>
    <div className={styles.below}>
      {BELOW.map((place) => (
        <PlaceLink key={place.path} place={place} />
      ))}
    </div>
  </nav>
);

const OnPhone = () => (
  <nav className={styles.nav} aria-label="Main">
    {PLACES.filter(({ path }) => ON_PHONE.includes(path)).map((place) => (
      <PlaceLink key={place.path} place={place} />
    ))}
  </nav>
);

/** Navigation and account; a bar at the bottom on a phone. */
export function Sidebar() {
  const isPhone = useMedia(PHONE);
  if (isPhone) {
    return (
      <aside className={styles.side} data-at-end>
        <OnPhone />
      </aside>
    );
  }
  return (
    <aside className={styles.side}>
      <Link href="/" className={styles.brand}>
        <BookOpen aria-hidden="true" /> Commonplace
      </Link>
      <button type="button" className={styles.find} onClick={() => show("palette")}>
        <Command aria-hidden="true" /> <span>Find…</span> <Key>{MOD}K</Key>
      </button>
      <OnDesk />
      <Account />
      <Suspense>
        <SideEdge />
      </Suspense>
    </aside>
  );
}
