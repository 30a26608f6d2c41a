import { useQuery } from "@tanstack/react-query";
import { account, type Session } from "../../api/account.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { refreshResources } from "../../state/queries.ts";
import { signOut, signOutEverywhere } from "../../state/session.ts";

const LIMIT = 100;

const refreshSessions = () => refreshResources("sessions", "security-events");

const openSignIn = () => location.assign("/sign-in");

const SessionRow = ({ session }: { session: Session }) => (
  <Row
    title={session.name}
    facts={
      <>
        {session.current ? "this browser" : "last used "}
        {!session.current && <Moment at={session.last_used_at} />}
        {" · since "}
        <Moment at={session.created_at} />
      </>
    }
    actions={
      session.current ? (
        <Button onPress={() => signOut().then(openSignIn)}>Sign out</Button>
      ) : (
        <Button onPress={() => account.endSession(session.id).then(refreshSessions)}>End session</Button>
      )
    }
  />
);

export function Sessions() {
  const { data, error, refetch } = useQuery({
    queryKey: ["sessions"],
    queryFn: () => account.sessions({ limit: LIMIT }),
  });
  return (
    <Section
      id="sessions"
      title="Active sessions"
      actions={
        <ConfirmButton
          title="Sign out everywhere?"
          text="This ends every session, including this one, and disconnects every assistant. API keys still work."
          verb="Sign out everywhere"
          act={() => signOutEverywhere().then(openSignIn)}
        >
          Sign out everywhere
        </ConfirmButton>
      }
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!data && !error && <Loading />}
      {data && (
        <Rows label="Sessions">
          {data.items.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </Rows>
      )}
    </Section>
  );
}
