import { type ReactNode, Suspense, useState } from "react";
import { Link, useLocation } from "wouter";
import { useLocationProperty } from "wouter/use-browser-location";
import { type ScreenName, screenAt, screenPath } from "../../../src/contract/paths.ts";
import { FoldersPlaceholder, NewFolderButton } from "../features/documents/first-folders.tsx";
import type { FolderDialogState } from "../features/documents/folder-dialogs.tsx";
import { parseDocumentsView } from "../features/documents/view.ts";
import { currentProject, projectPath } from "../features/things/project-path.ts";
import { useSummary } from "../features/things/summary.ts";
import { BookOpen, ChevronRight, Search } from "../kit/icons.tsx";
import { Key } from "../kit/key.tsx";
import { MOD_KEY } from "../kit/key-name.ts";
import { lazyPartLater } from "../kit/lazy-part.ts";
import { useMedia } from "../kit/media.ts";
import { BAR_SCREENS, PHONE } from "../kit/phone.ts";
import { formatCount } from "../kit/text.ts";
import { useFolded } from "../state/folded.ts";
import { showOverlay } from "../state/overlay.ts";
import { rememberedHeight, rememberHeight } from "../state/remembered-heights.ts";
import { Account } from "./account.tsx";
import { useKeyboardOpen } from "./keyboard-open.ts";
import { NAV_PLACES, type NavPlace } from "./places.ts";
import { ScreenBoundary } from "./screen-boundary.tsx";
import styles from "./sidebar.module.css";

const DOCUMENTS = screenPath("documents");
const RECORDS = screenPath("records");
const SETTINGS = screenPath("settings");

const isCurrent = (place: string, path: string) =>
  place === path ||
  (place === RECORDS && currentProject() !== undefined) ||
  (place !== "/" && place !== SETTINGS && path.startsWith(`${place}/`));

const BEHIND_TODAY = [screenPath("upcoming"), screenPath("calendar")];

/** On a phone, the entry that leads to this screen: Today for what comes after it, Settings for the others. */
function entryOnPhone(path: string): string | undefined {
  if (screenAt(path) === undefined || BAR_SCREENS.some((place) => isCurrent(place.path, path)))
    return undefined;
  return BEHIND_TODAY.includes(path) ? screenPath("today") : SETTINGS;
}

const Folders = lazyPartLater(() => import("../features/documents/folders.tsx"));
const SideEdge = lazyPartLater(() => import("./side-edge.tsx"));

const navPlaceOf = (screen: ScreenName): NavPlace =>
  NAV_PLACES.find(({ path }) => path === screenPath(screen)) as NavPlace;

function PlaceLink({ place: { path: place, name, icon: Icon } }: { place: NavPlace }) {
  const [path] = useLocation();
  return (
    <Link
      href={place}
      className={styles.place}
      aria-current={isCurrent(place, path) ? "page" : undefined}
      data-behind={place === entryOnPhone(path) || undefined}
    >
      <Icon />
      <span>{name}</span>
    </Link>
  );
}

type GroupProps = { screen: "documents" | "records"; inside: string; children: ReactNode };

function Group({ screen, inside, children }: GroupProps) {
  const [isFolded, toggle] = useFolded(screen);
  const place = navPlaceOf(screen);
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
          <ChevronRight />
        </button>
      </div>
      {!isFolded && children}
    </div>
  );
}

function FoldersOfDocuments() {
  const [, navigate] = useLocation();
  // The tree is not rendered again for the query of another screen.
  const search = useLocationProperty(() => (location.pathname === DOCUMENTS ? location.search : undefined));
  const [asked, setAsked] = useState<FolderDialogState>();
  const place = search === undefined ? undefined : parseDocumentsView(search);
  const wait = <FoldersPlaceholder isTrash={place?.view === "trash"} />;
  return (
    <>
      <ScreenBoundary isPart>
        <Suspense fallback={wait}>
          <Folders place={place} go={navigate} asked={asked} onAsk={setAsked} wait={wait} />
        </Suspense>
      </ScreenBoundary>
      <NewFolderButton onPress={() => setAsked({ about: "create", inside: place?.folder })} />
    </>
  );
}

const remember = rememberHeight("projects");

/** Projects with active records, and their counts. */
function Projects() {
  useLocation();
  const shown = currentProject();
  const { data, isPending } = useSummary();
  const projects = data?.by_project.filter(({ active }) => active > 0) ?? [];
  if (isPending) return <div style={{ height: rememberedHeight("projects") }} />;
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
            <span dir="auto">{project}</span> <small>{formatCount(active)}</small>
            <span className="visually-hidden"> active</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** Settings is reached through the account. */
const UPPER_PLACES = (["today", "upcoming", "calendar", "search", "documents", "records"] as const).map(
  navPlaceOf,
);
const LOWER_PLACES = NAV_PLACES.filter(
  ({ path }) => path !== SETTINGS && !UPPER_PLACES.some((place) => place.path === path),
);

const DesktopNav = () => (
  <nav className={styles.nav} aria-label="Main">
    <PlaceLink place={navPlaceOf("today")} />
    <PlaceLink place={navPlaceOf("upcoming")} />
    <PlaceLink place={navPlaceOf("calendar")} />
    <PlaceLink place={navPlaceOf("search")} />
    <Group screen="documents" inside="Folders">
      <FoldersOfDocuments />
    </Group>
    <Group screen="records" inside="Projects">
      <Projects />
    </Group>
    <div className={styles.below}>
      {LOWER_PLACES.map((place) => (
        <PlaceLink key={place.path} place={place} />
      ))}
    </div>
  </nav>
);

const PhoneNav = () => (
  <nav className={styles.nav} aria-label="Main">
    {NAV_PLACES.filter(({ path }) => BAR_SCREENS.some((screen) => screen.path === path)).map((place) => (
      <PlaceLink key={place.path} place={place} />
    ))}
  </nav>
);

/** Navigation and account; a bar at the bottom on a phone. */
export function Sidebar() {
  const isPhone = useMedia(PHONE);
  const isKeyboardOpen = useKeyboardOpen(isPhone);
  if (isPhone)
    return (
      <aside className={styles.side} data-at-end={isKeyboardOpen ? undefined : ""} hidden={isKeyboardOpen}>
        <PhoneNav />
      </aside>
    );
  return (
    <aside className={styles.side}>
      <Link href="/" className={styles.brand}>
        <BookOpen /> Commonplace
      </Link>
      <button type="button" className={styles.find} onClick={() => showOverlay("palette")}>
        <Search /> <span>Find…</span> <Key>{MOD_KEY}K</Key>
      </button>
      <DesktopNav />
      <Account />
      <Suspense>
        <SideEdge />
      </Suspense>
    </aside>
  );
}
