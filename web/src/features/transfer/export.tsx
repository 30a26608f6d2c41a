import { useState } from "react";
import { exportApi } from "../../api/export.ts";
import { Button } from "../../kit/button.tsx";
import { Download } from "../../kit/icons.tsx";
import { Section } from "../../kit/section.tsx";
import { download } from "../../state/download.ts";
import styles from "./transfer.module.css";

function DownloadButton({ name, address }: { name: string; address: () => Promise<string> }) {
  const [isRequesting, setRequesting] = useState(false);
  const start = async () => {
    setRequesting(true);
    await download(address());
    setRequesting(false);
  };
  return (
    <Button onPress={() => void start()} isDisabled={isRequesting}>
      <Download className={styles.icon} /> {name}
    </Button>
  );
}

export const ExportSection = () => (
  <Section title="Export" lead="Everything in your account in one file, or your documents as readable files.">
    <h3>Everything</h3>
    <p className={styles.quiet}>
      A zip you can read anywhere: your documents as Markdown linked to your files, and everything as JSON
      lines. Drop it above to restore it all, here or in an account on any other Commonplace.
    </p>
    <dl className={styles.inside}>
      <dt>Included</dt>
      <dd>
        Documents with their folders, tags and all versions, including the trash; records with their history;
        your files, and what they are attached to; your name, time zone and settings.
      </dd>
      <dt>Not included</dt>
      <dd>Files in the trash; your email and password, sessions, connected assistants and API keys.</dd>
    </dl>
    <div>
      <DownloadButton name="Export everything" address={exportApi.everythingUrl} />
    </div>
    <h3 className={styles.next}>Documents as a zip of Markdown</h3>
    <p className={styles.quiet}>
      One file per document in its folders, for any editor. Tags, dates and properties are at the top of each;
      linked and attached files are in the folder “Files”. You can import all of it again. To export a single
      folder, use its menu under Documents.
    </p>
    <dl className={styles.inside}>
      <dt>Not included</dt>
      <dd>Earlier versions, the trash, empty folders and records.</dd>
    </dl>
    <div>
      <DownloadButton name="Download documents" address={exportApi.documentsUrl} />
    </div>
  </Section>
);
