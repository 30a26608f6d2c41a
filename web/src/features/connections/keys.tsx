import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, apiKeysApi } from "../../api/api-keys.ts";
import { Button } from "../../kit/button.tsx";
import { Rows } from "../../kit/rows.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { BY_OFFSET, refreshResources } from "../../state/queries.ts";
import { AccessRow } from "./access-row.tsx";
import { NewKey } from "./new-key.tsx";
import { scopesText } from "./scopes.ts";

const KeyRow = ({ apiKey: { id, name, hint, scopes, last_used_at, expires_at } }: { apiKey: ApiKey }) => (
  <AccessRow
    id={id}
    name={name}
    facts={
      <>
        <code>{hint}…</code> · {scopesText(scopes)}
      </>
    }
    usedAt={last_used_at}
    more={
      expires_at && (
        <>
          {" · "}
          {Date.parse(expires_at) < Date.now() ? "expired " : "expires "}
          <Moment at={expires_at} />
        </>
      )
    }
    end={{
      title: `Revoke “${name}”?`,
      text: "Apps that use it lose access immediately. This can’t be undone.",
      verb: "Revoke",
      act: () => apiKeysApi.revoke(id).then(() => refreshResources("api-keys")),
    }}
  />
);

const PAGE = 50;

export function Keys() {
  const [isCreating, setCreating] = useState(false);
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ["api-keys"],
    queryFn: ({ pageParam }) => apiKeysApi.list({ limit: PAGE, offset: pageParam }),
    ...BY_OFFSET,
  });
  const keys = data?.pages.flatMap(({ items }) => items);
  return (
    <Section
      title="API keys"
      lead="For apps, scripts and clients without OAuth. A key gives access to your account within its permissions, so keep it secret."
      actions={<Button onPress={() => setCreating(true)}>New API key</Button>}
    >
      {error && <Problem problem={error} retry={refetch} />}
      {!keys && !error && <Loading />}
      {keys && keys.length > 0 && (
        <Rows label="API keys">
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} />
          ))}
        </Rows>
      )}
      {hasNextPage && <Button onPress={() => fetchNextPage()}>Show more</Button>}
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
    </Section>
  );
}
