import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, apiKeysApi } from "../../api/api-keys.ts";
import { Button, ButtonLink } from "../../kit/button.tsx";
import { ConfirmButton } from "../../kit/confirm.tsx";
import { Row, Rows } from "../../kit/rows.tsx";
import { Section } from "../../kit/section.tsx";
import { Loading, Problem } from "../../kit/states.tsx";
import { Moment } from "../../kit/time.tsx";
import { BY_OFFSET, refreshResources } from "../../state/queries.ts";
import { NewKey } from "./new-key.tsx";
import { scopesText } from "./scopes.ts";

const Facts = ({ apiKey }: { apiKey: ApiKey }) => (
  <>
    <code>{apiKey.hint}…</code>
    {" · "}
    {scopesText(apiKey.scopes)}
    {" · "}
    {apiKey.last_used_at ? (
      <>
        last used <Moment at={apiKey.last_used_at} />
      </>
    ) : (
      "never used"
    )}
    {apiKey.expires_at && (
      <>
        {" · "}
        {Date.parse(apiKey.expires_at) < Date.now() ? "expired " : "expires "}
        <Moment at={apiKey.expires_at} />
      </>
    )}
  </>
);

const KeyRow = ({ apiKey }: { apiKey: ApiKey }) => (
  <Row
    title={apiKey.name}
    facts={<Facts apiKey={apiKey} />}
    actions={
      <>
        <ButtonLink
          kind="quiet"
          aria-label={`Changes by ${apiKey.name}`}
          href={`/activity?client=${encodeURIComponent(apiKey.id)}`}
        >
          Changes
        </ButtonLink>
        <ConfirmButton
          title={`Revoke “${apiKey.name}”?`}
          text="Apps that use it lose access immediately. This can’t be undone."
          verb="Revoke"
          aria-label={`Revoke ${apiKey.name}`}
          act={() => apiKeysApi.revoke(apiKey.id).then(() => refreshResources("api-keys"))}
        >
          Revoke
        </ConfirmButton>
      </>
    }
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
