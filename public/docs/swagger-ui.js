// Shows /openapi.json in Swagger UI. "Try it out" sends the session cookie of whoever is signed in to the app.

const APP = { "X-Requested-With": "commonplace" };
const COOKIE = "cookieAuth";

const status = document.getElementById("status");

/**
 * The description as Swagger UI needs it: without examples of optional parameters, which it would send by default, and
 * without the cookie, which it cannot set.
 */
function prepare(description) {
  delete description.components.securitySchemes[COOKIE];
  for (const methods of Object.values(description.paths)) {
    for (const operation of Object.values(methods)) {
      operation.security = operation.security?.filter((one) => !(COOKIE in one));
      for (const parameter of operation.parameters ?? []) if (!parameter.required) delete parameter.example;
    }
  }
  return description;
}

/** Follows the system's light or dark theme. */
function followColours() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

document.getElementById("signed-in")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await fetch("/api/auth/logout", { method: "POST", headers: APP });
  if (answer.ok) {
    // What the app keeps in this browser is that account's (web/src/api/current-account.ts).
    localStorage.removeItem("commonplace-account");
    return location.reload();
  }
  status.textContent = (await answer.json()).detail;
  status.classList.add("problem");
});

followColours();
const description = await (await fetch("/openapi.json")).json();
// The validator would send the description to swagger.io.
SwaggerUIBundle({
  spec: prepare(description),
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    Object.assign(request.headers, APP);
    return request;
  },
});
