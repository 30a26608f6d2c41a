import { useQuery } from "@tanstack/react-query";
import { type Connection, connectionsApi } from "../../api/connections.ts";
import { Rows } from "../../kit/rows.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { refreshResources } from "../../state/queries.ts";
import NearLimit from "../usage/near-limit.tsx";
import { AccessRow } from "./access-row.tsx";
import { Connect } from "./connect.tsx";
import { Keys } from "./keys.tsx";
import { scopesText } from "./scopes.ts";

/** Maximum shown; a note says if there are more. */
const MAX_SHOWN = 100;
/** Polling interval for the first call of a client. */
const POLL_MS = 3000;

const ConnectionRow = ({ connection }: { connection: Connection }) => {
  const { id, client_name: name, client_domain, redirect_host, scopes, last_used_at } = connection;
  const origin = client_domain ? `verified: ${client_domain}` : `returns to ${redirect_host}`;
  return (
    <AccessRow
      id={id}
      name={name}
      facts={`${origin} · ${scopesText(scopes)}`}
      usedAt={last_used_at}
      end={{
        title: `Disconnect ${name}?`,
        text: "It loses access within a minute. Everything it wrote stays. You can connect it again later.",
        verb: "Disconnect",
        act: () => connectionsApi.end(id).then(() => refreshResources("connections")),
      }}
    />
  );
};

const ConnectionList = ({ connections, total }: { connections: readonly Connection[]; total: number }) => (
  <Section
    title="Connected assistants"
    lead={total > MAX_SHOWN ? `The newest ${MAX_SHOWN} of ${total}.` : undefined}
  >
    {connections.length === 0 && (
      <Empty title="No assistant yet">
        <p>Pick your assistant above. It takes a minute and you can disconnect at any time.</p>
      </Empty>
    )}
    {connections.length > 0 && (
      <Rows label="Assistants">
        {connections.map((connection) => (
          <ConnectionRow key={connection.id} connection={connection} />
        ))}
      </Rows>
    )}
  </Section>
);

export default function Connections() {
  const { data, error, refetch } = useQuery({
    queryKey: ["connections"],
    queryFn: () => connectionsApi.list({ limit: MAX_SHOWN }),
    refetchInterval: POLL_MS,
  });
  return (
    <Screen title="Connections" back={BACK_TO_SETTINGS}>
      {error && !data && <Problem problem={error} retry={refetch} />}
      {!error && !data && <Loading />}
      {data && (
        <>
          <NearLimit of={["connections"]} />
          <Connect url={data.mcp_url} connections={data.items} />
          <ConnectionList connections={data.items} total={data.total} />
          <Keys />
        </>
      )}
    </Screen>
  );
}
