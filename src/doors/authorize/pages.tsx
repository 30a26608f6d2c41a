import type { ConsentDescription } from "@cloudflare/workers-oauth-provider";
import { visibleName } from "../../platform/http/client-program.ts";
import { appScheme } from "../oauth/redirect.ts";
import { Alert, Layout } from "../pages/layout.tsx";
import { scopeChoices } from "./scopes.ts";

type Props = {
  details: ConsentDescription;
  handle: string;
  form: string;
  account: { id: string; email: string };
  /** The query string of this page, to return to it. */
  search: string;
  /** Set if no permission was chosen. */
  alert?: string;
};

const Target = ({ details: { redirectUri, redirectHost } }: Pick<Props, "details">) => {
  const scheme = appScheme(redirectUri);
  if (!scheme) return <strong>{redirectHost}</strong>;
  return (
    <>
      The app on this device that handles <strong>{scheme}</strong> links
    </>
  );
};

const Asker = ({ details }: Pick<Props, "details">) => (
  <dl>
    <div>
      <dt>Requested by</dt>
      <dd>
        {visibleName(details.clientName)}
        <br />
        {details.clientDomain ? (
          <>
            published by <strong>{details.clientDomain}</strong>
          </>
        ) : (
          <span class="quiet">This app registered itself; its name has not been verified.</span>
        )}
      </dd>
    </div>
    <div>
      <dt>Access goes to</dt>
      <dd>
        <Target details={details} />
      </dd>
    </div>
  </dl>
);

/** For redirects to a local program: any program can listen on a port or claim a scheme (RFC 8252, 8.1). */
const Warning = ({ details: { redirectIsLoopback, redirectUri } }: Pick<Props, "details">) => {
  const scheme = appScheme(redirectUri);
  if (!redirectIsLoopback && !scheme) return null;
  return (
    <p class="warning">
      <strong>This gives access to a program on this device.</strong>{" "}
      {scheme && `Any app can claim ${scheme} links, so it can’t be verified which one this is. `}
      Continue only if you have just started connecting it yourself.
    </p>
  );
};

/** Shows which client requests access, to what, and where the access would go. */
export const ConsentPage = ({ details, handle, form, account, search, alert }: Props) => (
  <Layout title="Allow access" problem={alert}>
    <h1>Allow {visibleName(details.clientName)} to use your Commonplace?</h1>
    <Asker details={details} />
    <Warning details={details} />
    <form method="post" action={`/authorize${search}`}>
      <input type="hidden" name="form" value={form} />
      <input type="hidden" name="handle" value={handle} />
      <input type="hidden" name="account" value={account.id} />
      {alert && <Alert>{alert}</Alert>}
      <fieldset aria-invalid={alert ? "true" : undefined} aria-describedby={alert ? "alert" : undefined}>
        <legend>It will be able to</legend>
        {scopeChoices(details.scope).map(({ scope, text, chosen }) => (
          <label class="choice">
            <input type="checkbox" name="scope" value={scope} checked={chosen && !alert} />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <p class="quiet">
        Access lasts until you disconnect the app under Settings → Connections, or 30 days after its last use.
      </p>
      <p class="actions">
        <button type="submit" name="decision" value="allow" class="primary">
          Allow
        </button>
        <button type="submit" name="decision" value="deny">
          Deny
        </button>
      </p>
    </form>
    <form method="post" action={`/sign-in/out?to=${encodeURIComponent(`/authorize${search}`)}`}>
      <input type="hidden" name="form" value={form} />
      <p class="aside">
        Signed in as <strong>{account.email}</strong>.{" "}
        <button type="submit" class="link">
          Use another account
        </button>
      </p>
    </form>
  </Layout>
);
