import { Dialog } from "../kit/dialog.tsx";
import { MOD } from "../kit/key-name.ts";
import { show } from "../state/over.ts";
import styles from "./palette.module.css";
import { PLACES } from "./places.ts";

const EVERYWHERE = [
  [`${MOD}K`, "Find or do something"],
  ["/", "Search"],
  ["u", "Undo what was just done"],
  ["?", "This list"],
];

const LISTS = [
  ["n", "Write down something new"],
  ["j k", "Next, previous"],
  ["Enter", "Open"],
  ["x", "Select; actions then apply to all selected"],
  ["e", "Resolve, with a note"],
  ["d", "Defer to a day"],
  ["s", "Skip this one of what repeats"],
  ["c", "Confirm that it still holds"],
  ["a", "Archive"],
  ["o", "Reopen"],
  ["#", "Move to the trash"],
  ["i", "Edit the text of an open record"],
];

const CALENDAR = [
  ["← → ↑ ↓", "Another day"],
  ["PgUp PgDn", "Previous, next month or week"],
  ["Enter", "Into the day, and then open a record"],
  ["Shift ← →", "Move the record to another day"],
  ["n", "New record on the day"],
  ["t", "Today"],
  ["m w", "Month, week"],
];

const DOCUMENTS = [
  ["n", "New document"],
  ["Space", "Look into it, beside the list"],
  ["x", "Select"],
  ["m", "Move to a folder"],
  ["t", "Tags"],
  ["#", "Move to the trash"],
  ["e", "Edit"],
  [`${MOD}S`, "Save"],
  ["v", "Compare versions"],
  ["y", "Copy the link"],
  ["p", "Pin it to the top, or unpin it"],
  ["c", "On the box of a task: make it a commitment"],
];

const TIDY = [
  ["j k", "Next, previous"],
  ["m", "Merge: keep the first, archive the others"],
  ["s", "Replace the earlier one by the later one"],
  ["e", "Resolve"],
  ["a", "Archive"],
  ["r", "Another topic"],
  ["#", "Move to the trash"],
  ["x", "Erase a secret for good"],
  ["y", "Keep as it is, and do not ask again"],
];

const WRITING = [
  ["/", "Insert a heading, list, table, date …"],
  [`${MOD}F`, "Find and replace"],
  [`${MOD}B ${MOD}I ${MOD}E`, "Bold, italic, code"],
  [`${MOD}K`, "Link"],
  [`${MOD}Enter`, "Tick the task"],
  [`${MOD}Shift Enter`, "Make the task a commitment"],
  ["Tab", "Next cell; move an item of a list to the right"],
  ["Shift Tab", "Previous cell; move it back"],
  [`${MOD}Shift V`, "Paste as plain text"],
  [`${MOD}.`, "Focus on one paragraph"],
  ["Esc", "Stop writing"],
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

/** The keys that do something, and what. */
export const ShortcutsHelp = ({ isOpen }: { isOpen: boolean }) => (
  <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={() => show(undefined)} isWide hasClose>
    <div className={styles.keys}>
      <Keys title="Everywhere" keys={EVERYWHERE} />
      <Keys title="Records" keys={LISTS} />
      <Keys title="Calendar" keys={CALENDAR} />
      <Keys title="Documents" keys={DOCUMENTS} />
      <Keys title="Tidy" keys={TIDY} />
      <Keys title="Writing" keys={WRITING} />
      <Keys title="Go to" keys={PLACES.map(({ key, name }) => [`g ${key}`, name])} />
    </div>
  </Dialog>
);
