import { useState } from "react";
import { exportApi } from "../../api/export.ts";
import { Button } from "../../kit/button.tsx";
import { Download } from "../../kit/icons.tsx";
import { Section } from "../../kit/section.tsx";
import { download } from "../../state/download.ts";
import styles from "./transfer.module.css";

function DownloadButton({ name, address }: { name: string; address: () => Promise<string> }) {
  const [isAsking, setAsking] = useState(false);
  const start = async () => {
    setAsking(true);
    await download(address());
    setAsking(false);
  };
  return (
    <Button onPress={() => void start()} isDisabled={isAsking}>
      <Download aria-hidden="true" className={styles.icon} /> {name}
    </Button>
  );
}

export const Export = () => (
  <Section
    title="Export"
    lead="Everything that you own here in one file, or your documents as files to read."
  >
    <h3>Everything</h3>
    <p className={styles.quiet}>
      A zip to read anywhere: your documents as Markdown that links to your files, and all of it as lines of
      JSON. Drop it above to bring it all back, here or into another account of any Commonplace.
    </p>
    <dl className={styles.inside}>
      <dt>In it</dt>
      <dd>
        Documents with their folders, tags and all versions, the trash too; records with their history; your
        files, and what they are attached to; your name, time zone and settings.
      </dd>
      <dt>Not in it</dt>
      <dd>Files in the trash; your email and password, sessions, connected assistants and API keys.</dd>
    </dl>
    <div>
      <DownloadButton name="Export everything" address={exportApi.everything} />
    </div>
    <h3 className={styles.next}>Documents as a zip of Markdown</h3>
    <p className={styles.quiet}>
      A file for each document in its folders, for any editor. Tags, dates and properties are at the top of
      each, and the files that they name or that are attached to them are in the folder “Files”. An import
      reads all of it again. One folder alone: in its menu, under Documents.
    </p>
    <dl className={styles.inside}>
      <dt>Not in it</dt>
      <dd>Earlier versions, the trash, empty folders and records.</dd>
    </dl>
    <div>
      <DownloadButton name="Download documents" address={exportApi.documents} />
    </div>
  </Section>
);
