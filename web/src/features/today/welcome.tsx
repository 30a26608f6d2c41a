import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { documentsApi } from "../../api/documents.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { Plug } from "../../kit/icons.tsx";
import { Loading } from "../../kit/states.tsx";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import styles from "./today.module.css";
import { FolderUp, Sparkles } from "./welcome-icons.ts";

type OptionProps = { icon: ReactNode; title: string; text: string; children: ReactNode };

const StartOption = ({ icon, title, text, children }: OptionProps) => (
  <li className={styles.way}>
    {icon}
    <h3>{title}</h3>
    <p>{text}</p>
    {children}
  </li>
);

/** Fills the account with a month of example records and documents. */
function useDemo() {
  const [isFilling, setFilling] = useState(false);
  const fill = async () => {
    setFilling(true);
    try {
      const { addSampleData } = await import("./demo.ts");
      await addSampleData();
    } catch (problem) {
      toast({ kind: "refused", text: `The sample data is incomplete: ${(problem as Error).message}` });
    } finally {
      await Promise.all([refreshMemories(), refreshDocuments()]);
      setFilling(false);
    }
  };
  return { isFilling, fill };
}

const HAS_DOCUMENTS = {
  queryKey: ["documents", "any"],
  queryFn: async () => (await documentsApi.list({ limit: 1 })).total > 0,
};

/** The first screen of an account without records: what to expect, and ways to start. Import is not offered again after one. */
export default function Welcome() {
  const { isFilling, fill } = useDemo();
  const { data: hasDocuments, isPending } = useQuery(HAS_DOCUMENTS);
  if (isPending) return <Loading />;
  return (
    <section className={styles.welcome} aria-labelledby="welcome">
      <h2 id="welcome">Everything you’ve promised, in one place</h2>
      <p>
        What you and your assistants promise, decide or wait for shows up here when it’s due. Add the first
        one above, or start with one of these.
      </p>
      <ul className={styles.ways}>
        <StartOption
          icon={<Plug />}
          title="Connect Claude"
          text="It notes what you promise in conversations, and reminds you of it."
        >
          <ButtonLink kind="primary" href="/settings/connections">
            Connect an assistant
          </ButtonLink>
        </StartOption>
        {!hasDocuments && (
          <StartOption
            icon={<FolderUp />}
            title="Import your notes"
            text="Markdown, text or an export from another app. You’ll see a preview first."
          >
            <ButtonLink href="/settings/transfer">Import files</ButtonLink>
          </StartOption>
        )}
        <StartOption
          icon={<Sparkles />}
          title="Try it with sample data"
          text="Adds a realistic month of sample data, to try everything out."
        >
          <Button onPress={() => void fill()} isDisabled={isFilling}>
            {isFilling ? "Adding…" : "Add sample data"}
          </Button>
        </StartOption>
      </ul>
    </section>
  );
}
