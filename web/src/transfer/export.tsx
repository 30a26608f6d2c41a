import { Download } from "lucide-react";
import { ButtonLink } from "../parts/button.tsx";
import { Section } from "../parts/section.tsx";
import styles from "./transfer.module.css";

export const Export = () => (
  <Section title="Export" lead="One file with everything that you own here. Each line of it is JSON.">
    <dl className={styles.inside}>
      <dt>In it</dt>
      <dd>
        Documents with their folders, tags and all versions, the trash too; records with their history; your
        name, time zone and settings.
      </dd>
      <dt>Not in it</dt>
      <dd>Your e-mail and password, sessions, connected assistants and API keys.</dd>
    </dl>
    <div>
      <ButtonLink href="/api/export" download>
        <Download aria-hidden="true" className={styles.icon} /> Export everything
      </ButtonLink>
    </div>
    <p className={styles.quiet}>
      Drop the file above to bring it all back, here or into another account of any Commonplace.
    </p>
  </Section>
);
