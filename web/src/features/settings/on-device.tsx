import { Select } from "../../kit/choices.tsx";
import { Section } from "../../kit/section.tsx";
import { setOnlyChosen, useOnlyChosen } from "../../state/copies.ts";
import styles from "./settings.module.css";

const CHOICES = [
  { value: "read", text: "Everything I read in the last 30 days" },
  { value: "chosen", text: "Only what I choose to keep" },
] as const;

export function OnDevice() {
  const isOnly = useOnlyChosen();
  return (
    <Section
      id="on-device"
      title="On this device"
      lead="Read without a network connection. Copies are encrypted if the browser supports it, and deleted when you sign out or your session ends."
    >
      <div className={styles.narrow}>
        <Select
          label="Available offline in this browser"
          value={isOnly ? "chosen" : "read"}
          options={CHOICES}
          onChange={(next) => void setOnlyChosen(next === "chosen")}
        />
      </div>
    </Section>
  );
}
