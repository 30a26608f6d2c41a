import { type ReactNode, useState } from "react";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { FolderUp, Plug, Sparkles } from "../../kit/icons.tsx";
import { refreshDocuments, refreshMemories } from "../../state/queries.ts";
import { toast } from "../../state/toasts.ts";
import styles from "./today.module.css";

type WayProps = { icon: ReactNode; title: string; text: string; children: ReactNode };

const Way = ({ icon, title, text, children }: WayProps) => (
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
      const { fillWithDemo } = await import("./demo.ts");
      await fillWithDemo();
    } catch (problem) {
      toast({ kind: "refused", text: `The demo is incomplete: ${(problem as Error).message}` });
    } finally {
      await Promise.all([refreshMemories(), refreshDocuments()]);
      setFilling(false);
    }
  };
  return { isFilling, fill };
}

/** The first day of an account: what this will be, and three ways to begin. */
export default function Welcome() {
  const { isFilling, fill } = useDemo();
  return (
    <section className={styles.welcome} aria-labelledby="welcome">
      <h2 id="welcome">Here your promises come together</h2>
      <p>
        What you and your assistants promise, decide and wait for is listed here when it is due. Write down
        the first one above, or begin with one of these.
      </p>
      <ul className={styles.ways}>
        <Way
          icon={<Plug aria-hidden="true" />}
          title="Connect Claude"
          text="It writes down what is promised in a conversation, and reminds you of it."
        >
          <ButtonLink kind="primary" href="/settings/connections">
            Connect an assistant
          </ButtonLink>
        </Way>
        <Way
          icon={<FolderUp aria-hidden="true" />}
          title="Drop a folder here"
          text="Markdown, text or an export from another program. You see first what would come in."
        >
          <ButtonLink href="/settings/transfer">Import files</ButtonLink>
        </Way>
        <Way
          icon={<Sparkles aria-hidden="true" />}
          title="Fill with a demo"
          text="A believable month of records and documents, to try everything out."
        >
          <Button onPress={() => void fill()} isDisabled={isFilling}>
            {isFilling ? "Filling…" : "Fill with a demo"}
          </Button>
        </Way>
      </ul>
    </section>
  );
}
