import { useQuery } from "@tanstack/react-query";
import type { Connection } from "../../api/connections.ts";
import { connectionsApi } from "../../api/connections.ts";
import { ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { BACK_TO_SETTINGS, Screen } from "../../kit/screen.tsx";
import { Section } from "../../kit/section.tsx";
import { Empty, Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { refreshResources } from "../../state/queries.ts";
import { NearLimit } from "../usage/near-limit.tsx";
import { Connect } from "./connect.tsx";
import { Keys } from "./keys.tsx";
import { scopesText } from "./scopes.ts";

/** Maximum shown; a note says if there are more. */
const MAX_SHOWN = 100;
/** Polling interval for the first call of a client. */
const POLL_MS = 3000;

const Facts = ({ connection }: { connection: Connection }) => (
  <>
    {connection.client_domain
      ? `verified: ${connection.client_domain}`
      : `returns to ${connection.redirect_host}`}
    {" · "}
    {scopesText(connection.scopes)}
    {" · "}
    {connection.last_used_at ? (
      <>
        last used <Moment at={connection.last_used_at} />
      </>
    ) : (
      "never used"
    )}
  </>
);

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
          <Row
            key={connection.id}
            title={connection.client_name}
            facts={<Facts connection={connection} />}
            actions={
              <>
                <ButtonLink
                  kind="quiet"
                  aria-label={`Changes by ${connection.client_name}`}
                  href={`/activity?client=${encodeURIComponent(connection.id)}`}
                >
                  Changes
                </ButtonLink>
                <ConfirmButton
                  title={`Disconnect ${connection.client_name}?`}
                  text="It loses access within a minute. Everything it wrote stays. You can connect it again later."
                  verb="Disconnect"
                  aria-label={`Disconnect ${connection.client_name}`}
                  act={() => connectionsApi.end(connection.id).then(() => refreshResources("connections"))}
                >
                  Disconnect
                </ConfirmButton>
              </>
            }
          />
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
  if (error && !data) return <Problem problem={error} retry={refetch} />;
  return (
    <Screen title="Connections" back={BACK_TO_SETTINGS}>
      {data ? (
        <>
          <NearLimit of={["connections"]} />
          <Connect url={data.mcp_url} connections={data.items} />
          <ConnectionList connections={data.items} total={data.total} />
          <Keys />
        </>
      ) : (
        <Loading />
      )}
    </Screen>
  );
}
