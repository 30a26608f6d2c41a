import { Select } from "../../kit/choices.tsx";
import { Section } from "../../kit/section.tsx";
import { keepOnlyChosen, useOnlyChosen } from "../../state/copies.ts";
import styles from "./settings.module.css";

const CHOICES = [
  { value: "read", text: "What I read in the last 30 days" },
  { value: "chosen", text: "Only what I choose to keep" },
] as const;

/** What is there without a network, for this browser only. */
export function OnDevice() {
  const isOnly = useOnlyChosen();
  return (
    <Section
      id="on-device"
      title="On this device"
      lead="For when there is no network. It is encrypted where the browser can do that, and deleted when you sign out or your session ends."
    >
      <div className={styles.narrow}>
        <Select
          label="Kept in this browser"
          value={isOnly ? "chosen" : "read"}
          options={CHOICES}
          onChange={(next) => void keepOnlyChosen(next === "chosen")}
        />
      </div>
    </Section>
  );
}
