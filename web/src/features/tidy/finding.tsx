import { memo } from "react";
import { Link } from "wouter";
import { screenPath } from "../../../../src/contract/paths.ts";
import type { Finding, TidyItem } from "../../api/tidy.ts";
import { Button } from "../../kit/button.tsx";
import { shortDay } from "../../kit/dates.ts";
import { Key } from "../../kit/key.tsx";
import { Moment, useToday } from "../../kit/time.tsx";
import { titleText } from "../../kit/title-text.ts";
import { TYPE_NAMES } from "../things/names.ts";
import { FINDING_STEPS, type FindingStep } from "./finding-steps.ts";
import styles from "./tidy.module.css";

/** Labels of the first and the last item, for kinds whose items differ in role. */
const ROLES: Partial<Record<Finding["kind"], [first: string, last: string]>> = {
  double_record: ["stays", ""],
  double_document: ["stays", ""],
  contradiction: ["later", "earlier"],
  old_preference: ["later", "earlier"],
};

const itemHref = ({ type, id }: TidyItem) => screenPath(type === "memory" ? "record" : "document", id);

function Item({ item, role }: { item: TidyItem; role: string }) {
  const { title, excerpt, memory_type, project, changed_at } = item;
  return (
    <li className={styles.item}>
      <p className={styles.title}>
        <Link href={itemHref(item)} dir="auto">
          {titleText(title)}
        </Link>
        {role && <span className={styles.role}>{role}</span>}
      </p>
      {excerpt && (
        <p className={styles.excerpt} dir="auto">
          {excerpt}
        </p>
      )}
      <p className={styles.facts}>
        {memory_type ? TYPE_NAMES[memory_type] : "Document"}
        {project && <span dir="auto"> · {project}</span>} · changed <Moment at={changed_at} />
      </p>
    </li>
  );
}

type Props = {
  finding: Finding;
  id: string;
  isCurrent: boolean;
  /** An action is running, so the buttons are disabled. */
  isBusy: boolean;
  isKept: boolean;
  onFocus: (id: string) => void;
  onStep: (finding: Finding, step: FindingStep) => void;
};

/** A finding with its reason and actions. The keys of the list apply to the focused one. */
export const FindingRow = memo(function FindingRow(props: Props) {
  const { finding, id, isCurrent, isBusy, isKept, onFocus, onStep } = props;
  const { kind, items, actions } = finding;
  const today = useToday();
  const reason = finding.reason.replace(/(?<=^[^“]*on )\d{4}-\d\d-\d\d/g, (day) => shortDay(day, today));
  const roles = ROLES[kind] ?? ["", ""];
  const steps: FindingStep[] = isKept ? [] : [...actions, "keep"];
  return (
    <li
      className={styles.finding}
      data-finding={id}
      data-current={isCurrent || undefined}
      tabIndex={isCurrent ? 0 : -1}
      aria-label={`${items.map(({ title }) => title).join(", ")}. ${reason}`}
      onFocus={() => onFocus(id)}
    >
      <p className={styles.reason}>{reason}</p>
      <ul className={styles.items}>
        {items.map((item, index) => (
          <Item key={item.type + item.id} item={item} role={index === 0 ? roles[0] : roles[1]} />
        ))}
      </ul>
      <div className="button-row">
        {steps.map((step, index) => (
          <Button
            key={step}
            kind={index === 0 && isCurrent ? "primary" : "plain"}
            isDisabled={isBusy}
            onPress={() => onStep(finding, step)}
          >
            {FINDING_STEPS[step].name} <Key>{FINDING_STEPS[step].shortcut}</Key>
          </Button>
        ))}
        {isKept && (
          <Button isDisabled={isBusy} onPress={() => onStep(finding, "keep")}>
            Show again <Key>{FINDING_STEPS.keep.shortcut}</Key>
          </Button>
        )}
      </div>
    </li>
  );
});
