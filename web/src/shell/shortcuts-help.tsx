import { Dialog } from "../kit/dialog.tsx";
import { MOD_KEY } from "../kit/key-name.ts";
import { showOverlay } from "../state/overlay.ts";
import styles from "./palette.module.css";
import { NAV_PLACES } from "./places.ts";

const EVERYWHERE = [
  [`${MOD_KEY}K`, "Search or run a command"],
  ["/", "Search"],
  ["u", "Undo the last action"],
  ["?", "Show this list"],
];

const LISTS = [
  ["n", "New record"],
  ["j k", "Next, previous"],
  ["Enter", "Open"],
  ["x", "Select; actions then apply to all selected"],
  ["e", "Resolve, with a note"],
  ["d", "Defer to a day"],
  ["s", "Skip this occurrence"],
  ["c", "Still true"],
  ["a", "Archive"],
  ["o", "Reopen"],
  ["#", "Move to the trash"],
  ["i", "Edit the text of an open record"],
];

const CALENDAR = [
  ["← → ↑ ↓", "Move between days"],
  ["PgUp PgDn", "Previous, next month or week"],
  ["Enter", "Enter the day, then open a record"],
  ["Shift ← →", "Move the record to another day"],
  ["n", "New record on the day"],
  ["t", "Today"],
  ["m w", "Month, week"],
];

const DOCUMENTS = [
  ["n", "New document"],
  ["Space", "Preview beside the list"],
  ["x", "Select"],
  ["m", "Move to a folder"],
  ["t", "Tags"],
  ["#", "Move to the trash"],
  ["e", "Edit"],
  [`${MOD_KEY}S`, "Save"],
  ["v", "Compare versions"],
  ["y", "Copy the link"],
  ["p", "Pin or unpin"],
  ["c", "On a task checkbox: turn it into a commitment"],
];

const TIDY = [
  ["j k", "Next, previous"],
  ["m", "Merge: keep the first, archive the others"],
  ["s", "Replace the earlier one with the later one"],
  ["e", "Resolve"],
  ["a", "Archive"],
  ["r", "Change the topic"],
  ["#", "Move to the trash"],
  ["x", "Delete a secret permanently"],
  ["y", "Keep as is and don’t ask again"],
];

const WRITING = [
  ["/", "Insert a heading, list, table, date …"],
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

const Keys = ({ title, keys }: { title: string; keys: readonly (readonly string[])[] }) => (
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

/** The list of keyboard shortcuts. */
export const ShortcutsHelp = ({ isOpen }: { isOpen: boolean }) => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => showOverlay(undefined)} isWide hasClose>
    <div className={styles.keys}>
      <Keys title="Everywhere" keys={EVERYWHERE} />
      <Keys title="Records" keys={LISTS} />
      <Keys title="Calendar" keys={CALENDAR} />
      <Keys title="Documents" keys={DOCUMENTS} />
      <Keys title="Tidy" keys={TIDY} />
      <Keys title="Writing" keys={WRITING} />
      <Keys title="Go to" keys={NAV_PLACES.map(({ key, name }) => [`g ${key}`, name])} />
    </div>
  </Dialog>
);
