import { useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { isPublicHost } from "../../../../src/shared/public-host.ts";
import type { Connection } from "../../api/connections.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { CopyText } from "../../kit/copy.tsx";
import { Section } from "../../kit/section.tsx";
import { type Client, clientInstructions } from "./clients.ts";
import styles from "./connect.module.css";

const Instructions = ({ client, url }: { client: Client; url: string }) => (
  <>
    {client.connectsFrom && !isPublicHost(new URL(url).hostname) && (
      <p className={styles.warning}>
        {client.name} connects from {client.connectsFrom}’s servers, which can’t reach {new URL(url).host}.
        Deploy Commonplace or give it a public https address first.
      </p>
    )}
    <ol className={styles.steps}>
      {client.steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
    {client.installLink && (
      <p>
        <ButtonLink kind="primary" href={client.installLink}>
          Add to {client.name}
        </ButtonLink>
      </p>
    )}
    {client.snippet && <CopyText {...client.snippet} />}
    {client.alternative && (
      <>
        <p>{client.alternative.text}</p>
        <CopyText {...client.alternative.snippet} />
      </>
    )}
  </>
);

type StatusProps = { known: ReadonlySet<string>; connections: readonly Connection[] };

/** The status of a new connection: waiting, allowed, then connected after its first call. */
function ConnectionStatus({ known, connections }: StatusProps) {
  const added = connections.find(({ id }) => !known.has(id));
  const state = !added ? "waiting" : added.last_used_at ? "connected" : "allowed";
  const text = {
    waiting: "Waiting for the client. This line turns green on its first call.",
    allowed: `${added?.client_name} has access. Waiting for its first call…`,
    connected: `${added?.client_name} is connected.`,
  }[state];
  return (
    <p className={`${styles.line} ${styles[state]}`} role="status">
      {text}
    </p>
  );
}

export function Connect({ url, connections }: { url: string; connections: readonly Connection[] }) {
  const [known] = useState(() => new Set(connections.map(({ id }) => id)));
  const clients = clientInstructions(url);
  return (
    <Section
      title="Connect an assistant"
      lead="Your assistant signs you in through this browser, and you choose what it can do."
    >
      <Tabs>
        <TabList aria-label="Client" className={styles.tabs}>
          {clients.map(({ id, name }) => (
            <Tab key={id} id={id} className={styles.tab}>
              {name}
            </Tab>
          ))}
        </TabList>
        <div className={styles.panels}>
          {clients.map((client) => (
            <TabPanel key={client.id} id={client.id} className={styles.panel}>
              <Instructions client={client} url={url} />
            </TabPanel>
          ))}
        </div>
      </Tabs>
      <ConnectionStatus known={known} connections={connections} />
    </Section>
  );
}
