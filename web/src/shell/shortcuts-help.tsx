import { omit } from "../../../src/contract/omit.ts";
import { RECORD_STEPS } from "../features/records/step-actions.ts";
import { DOCUMENT_ACTIONS } from "../features/things/document-action-info.ts";
import { FINDING_STEPS } from "../features/tidy/finding-steps.ts";
import type { ActionInfo } from "../kit/actions.ts";
import { Dialog } from "../kit/dialog.tsx";
import { keyName, MOD_KEY } from "../kit/key-name.ts";
import { showOverlay } from "../state/overlay.ts";
import styles from "./palette.module.css";
import { globalActions, NAV_PLACES } from "./places.ts";

type Shortcut = readonly [keys: string, does: string];

const keysText = (shortcut: string) => (shortcut.startsWith("mod+") ? keyName(shortcut) : shortcut);

const shortcutsOf = (actions: readonly ActionInfo[]): Shortcut[] =>
  actions.flatMap(({ name, help = name, shortcut }) =>
    shortcut === undefined ? [] : [[keysText(shortcut), help] as const],
  );

const LISTS: readonly Shortcut[] = [
  ["n", "New record"],
  ["j k", "Next, previous"],
  ["Enter", "Open"],
  ["x", "Select; actions then apply to all selected"],
  ...shortcutsOf(Object.values(RECORD_STEPS)),
  ["i", "Edit the text of an open record"],
  ["Shift ↑ ↓", "In Upcoming: move to the previous, next day"],
];

const CALENDAR: readonly Shortcut[] = [
  ["← → ↑ ↓", "Move between days"],
  ["PgUp PgDn", "Previous, next month or week"],
  ["Enter", "Enter the day, then open a record"],
  ["Shift ← →", "Move the record to another day"],
  ["n", "New record on the day"],
  ["t", "Today"],
  ["m w", "Month, week"],
];

const DOCUMENTS: readonly Shortcut[] = [
  ["n", "New document"],
  ["Space", "Preview beside the list"],
  ["x", "Select"],
  ...shortcutsOf(Object.values(DOCUMENT_ACTIONS)),
  [`${MOD_KEY}S`, "Save"],
  ["c", "On a task checkbox: turn it into a commitment"],
];

const TIDY: readonly Shortcut[] = [
  ["j k", "Next, previous"],
  ...shortcutsOf(Object.values(omit(FINDING_STEPS, "erase_versions"))),
];

const WRITING: readonly Shortcut[] = [
  ["/", "Insert a heading, list, table, date …"],
  ["[[", "Link to a document"],
  ["Alt Enter", "Follow the link"],
  [`${MOD_KEY}F`, "Find and replace"],
  [`${MOD_KEY}B ${MOD_KEY}I ${MOD_KEY}E`, "Bold, italic, code"],
  [`${MOD_KEY}K`, "Link"],
  [`${MOD_KEY}Enter`, "Check off the task"],
  [`${MOD_KEY}Shift Enter`, "Turn the task into a commitment"],
  ["Tab", "Next cell; indent a list item"],
  ["Shift Tab", "Previous cell; outdent a list item"],
  [`${MOD_KEY}Shift V`, "Paste as plain text"],
  [`${MOD_KEY}.`, "Focus on one paragraph"],
  ["Esc", "Stop editing"],
];

const Keys = ({ title, keys }: { title: string; keys: readonly Shortcut[] }) => (
  <section>
    <h3>{title}</h3>
    <dl>
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>{does}</dt>
          <dd>
            <kbd>{key}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  </section>
);

export const ShortcutsHelp = ({ isOpen }: { isOpen: boolean }) => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => showOverlay(undefined)} isWide hasClose>
    <div className={styles.keys}>
      <Keys title="Everywhere" keys={shortcutsOf(globalActions(() => {}))} />
      <Keys title="Records" keys={LISTS} />
      <Keys title="Calendar" keys={CALENDAR} />
      <Keys title="Documents" keys={DOCUMENTS} />
      <Keys title="Tidy" keys={TIDY} />
      <Keys title="Writing" keys={WRITING} />
      <Keys title="Go to" keys={NAV_PLACES.map(({ key, name }) => [`g ${key}`, name] as const)} />
    </div>
  </Dialog>
);
