import { useState } from "react";
import { Select } from "../../kit/choices.tsx";
import { Section } from "../../kit/section.tsx";
import { applyTheme, readTheme, type Theme } from "../../state/theme.ts";
import styles from "./settings.module.css";

const THEMES = [
  { value: "system", text: "System" },
  { value: "light", text: "Light" },
  { value: "dark", text: "Dark" },
] as const;

export function Appearance() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const choose = (next: Theme) => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <Section id="appearance" title="Appearance">
      <div className={styles.narrow}>
        <Select label="Theme in this browser" value={theme} options={THEMES} onChange={choose} />
      </div>
    </Section>
  );
}
