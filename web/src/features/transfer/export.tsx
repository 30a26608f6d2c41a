import { useState } from "react";
import { exportApi } from "../../api/export.ts";
import { Button } from "../../kit/button.tsx";
import { Download } from "../../kit/icons.tsx";
import { Section } from "../../kit/section.tsx";
import { toast } from "../../state/toasts.ts";
import styles from "./transfer.module.css";

/** Has the browser save what is at an address. */
function download(href: string): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = "";
  link.click();
}

function ExportButton() {
  const [isAsking, setAsking] = useState(false);
  const start = async () => {
    setAsking(true);
    try {
      download(await exportApi.address());
    } catch (problem) {
      toast({ kind: "refused", text: `No export: ${(problem as Error).message}` });
    }
    setAsking(false);
  };
  return (
    <Button onPress={() => void start()} isDisabled={isAsking}>
      <Download aria-hidden="true" className={styles.icon} /> Export everything
    </Button>
  );
}

export const Export = () => (
  <Section title="Export" lead="One file with everything that you own here. Each line of it is JSON.">
    <dl className={styles.inside}>
      <dt>In it</dt>
      <dd>
        Documents with their folders, tags and all versions, the trash too; records with their history; your
        name, time zone and settings.
      </dd>
      <dt>Not in it</dt>
      <dd>Your email and password, sessions, connected assistants and API keys.</dd>
    </dl>
    <div>
      <ExportButton />
    </div>
    <p className={styles.quiet}>
      Drop the file above to bring it all back, here or into another account of any Commonplace.
    </p>
  </Section>
);
