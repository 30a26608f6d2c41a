import { RECEIVERS, receive } from "./receivers.ts";
import { direct, stripe } from "./stripe/stand-in.ts";
import { DIRECTOR } from "./stripe/till.ts";

// The outside world in tests. Every host serves the metadata document of a client, so that any refusal comes from the
// service itself; those of receivers.ts take messages.

const document = (client_id: string) => ({
  client_id,
  client_name: "Public App",
  redirect_uris: ["https://client.example/callback", "com.example.app:/callback"],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
});

/** Answers an outbound request of the service. */
export function outside(request: Request): Response | Promise<Response> {
  const { url } = request;
  const { hostname, pathname, searchParams } = new URL(url);
  if (hostname === RECEIVERS) return receive(request);
  if (hostname === "api.stripe.com") return stripe(request);
  if (hostname === DIRECTOR) return direct(request);
  // A name that is not UTF-8.
  if (pathname === "/a+b&%ff%2.json") return Response.json({});
  if (pathname === "/client.json") return Response.json(document(url));
  if (pathname === "/moved.json") {
    const Location = `https://elsewhere.example.com/for?client=${encodeURIComponent(url)}`;
    return new Response(null, { status: 302, headers: { Location } });
  }
  if (pathname === "/for") return Response.json(document(searchParams.get("client") ?? ""));
  return new Response(null, { status: 404 });
}
