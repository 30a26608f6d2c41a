import { type ReactNode, useEffect, useId, useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { useMedia } from "../../kit/media.ts";
import { OTHER_SCREENS, PHONE } from "../../kit/phone.ts";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { SectionsBelow } from "../../kit/section.tsx";
import { Loading } from "../../kit/states.tsx";
import { useMe } from "../../state/queries.ts";
import { useUsage } from "../usage/usage.ts";
import { Appearance } from "./appearance.tsx";
import { Calendar } from "./calendar.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { Email } from "./email.tsx";
import { SecurityLog } from "./events.tsx";
import { OnDevice } from "./on-device.tsx";
import { Passkeys } from "./passkeys.tsx";
import { Password } from "./password.tsx";
import { Profile } from "./profile.tsx";
import { Reminders } from "./reminders.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { type GroupId, groupOfAnchor, SETTINGS_GROUPS, type SettingsGroup } from "./sections.ts";
import { Sessions } from "./sessions.tsx";
import styles from "./settings.module.css";
import { UsageSection } from "./usage.tsx";

// The router does not report changes of the hash alone. The last two events are dispatched by the router.
const EVENTS = ["hashchange", "popstate", "pushState", "replaceState"] as const;

const subscribe = (listener: () => void) => {
  for (const event of EVENTS) addEventListener(event, listener);
  return () => {
    for (const event of EVENTS) removeEventListener(event, listener);
  };
};

/** The hash of the URL: `you` of `/settings#you`, "" without one. */
const useAnchor = (): string => useSyncExternalStore(subscribe, () => location.hash.slice(1));

type User = NonNullable<ReturnType<typeof useMe>>;

const CONTENT: Record<GroupId, (me: User) => ReactNode> = {
  you: (me) => (
    <>
      <Profile me={me} />
      <Appearance />
      <OnDevice />
      <Email me={me} />
    </>
  ),
  notifications: () => (
    <>
      <Reminders />
      <Calendar />
    </>
  ),
  security: () => (
    <>
      <Password />
      <SecondFactor />
      <Passkeys />
      <Sessions />
      <SecurityLog />
    </>
  ),
  data: (me) => (
    <>
      <UsageSection />
      <DeleteAccount me={me} />
    </>
  ),
};

/** In this list, a screen is found by what it holds. */
const LONGER_NAMES: Record<string, string> = { connections: "Connections and API keys" };

const summaryOf = ({ parts }: SettingsGroup) => parts.map(({ title }) => title).join(", ");

/** Links to the sections of this screen, and to related screens. */
function Contents({ current }: { current: string | undefined }) {
  const [, navigate] = useLocation();
  const sellsPlans = useUsage().data?.sells_plans ?? false;
  const item = (href: string, name: string, more?: string) => (
    <li key={href}>
      <a
        href={href}
        aria-current={href === `#${current}` ? "true" : undefined}
        onClick={(event) => {
          if (href.startsWith("#") || event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          navigate(href);
        }}
      >
        <span>{name}</span>
        {more && <small>{more}</small>}
      </a>
    </li>
  );
  return (
    <nav aria-label="Settings" className={styles.contents}>
      <ul>{SETTINGS_GROUPS.map((group) => item(`#${group.id}`, group.title, summaryOf(group)))}</ul>
      <ul>
        {OTHER_SCREENS.map(
          ({ name, path, title }) =>
            (name !== "plan" || sellsPlans) && item(path, LONGER_NAMES[name] ?? title),
        )}
        <li>
          <a href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
        </li>
      </ul>
    </nav>
  );
}

function GroupSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  const name = useId();
  return (
    <section id={id} aria-labelledby={name} className={styles.group}>
      <h2 id={name}>{title}</h2>
      <SectionsBelow>{children}</SectionsBelow>
    </section>
  );
}

const USER_INPUT = ["wheel", "touchstart", "pointerdown", "keydown"] as const;

/** Scrolls to the anchor, including when the screen opens; again when a list above it loads, until the user does something. */
function useScrollToAnchor(anchor: string, isLoaded: boolean): void {
  useEffect(() => {
    if (!isLoaded || anchor === "") return;
    const show = () => document.getElementById(anchor)?.scrollIntoView();
    show();
    const observer = new ResizeObserver(show);
    observer.observe(document.body);
    const left = new AbortController();
    const stop = () => {
      observer.disconnect();
      left.abort();
    };
    for (const event of USER_INPUT) addEventListener(event, stop, { signal: left.signal });
    return stop;
  }, [anchor, isLoaded]);
}

/** The settings. On a phone, each section is a page of its own. */
export default function Settings() {
  const me = useMe();
  const isPhone = useMedia(PHONE);
  const anchor = useAnchor();
  const chosen = groupOfAnchor(anchor);
  useScrollToAnchor(anchor, me !== undefined);
  if (!me) {
    return (
      <Screen title="Settings">
        <Loading />
      </Screen>
    );
  }
  if (isPhone && chosen) {
    return (
      <Screen title={chosen.title} back={BACK_TO_SETTINGS}>
        <div id={chosen.id} className={styles.column}>
          {CONTENT[chosen.id as GroupId](me)}
        </div>
      </Screen>
    );
  }
  return (
    <Screen title="Settings" lead={me.email}>
      <div className={styles.columns}>
        <Contents current={chosen?.id} />
        {!isPhone && (
          <div className={styles.column}>
            {SETTINGS_GROUPS.map(({ id, title }) => (
              <GroupSection key={id} id={id} title={title}>
                {CONTENT[id](me)}
              </GroupSection>
            ))}
          </div>
        )}
      </div>
    </Screen>
  );
}
