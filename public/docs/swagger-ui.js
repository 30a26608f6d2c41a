// Shows /openapi.json in Swagger UI, and signs in for its "Try it out". The tokens are kept only in this page.

const form = document.getElementById("sign-in");
const signedIn = document.getElementById("signed-in");
const status = document.getElementById("status");
const RENEW_BEFORE_SECONDS = 60;

let ui;
let tokens;
let renewal;

/** The description without examples of optional parameters, which Swagger UI would send by default. */
function withoutOptionalExamples(description) {
  for (const methods of Object.values(description.paths)) {
    for (const { parameters = [] } of Object.values(methods)) {
      for (const parameter of parameters) if (!parameter.required) delete parameter.example;
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

async function post(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = response.status === 204 ? {} : await response.json();
  if (!response.ok) throw new Error(answer.detail);
  return answer;
}

function say(text, isProblem = false) {
  status.textContent = text;
  status.classList.toggle("problem", isProblem);
}

function forget(text, isProblem) {
  clearTimeout(renewal);
  tokens = undefined;
  ui.authActions.logout(["bearer"]);
  form.hidden = false;
  signedIn.hidden = true;
  say(text, isProblem);
}

/** Uses these tokens, and refreshes them before they expire. */
function use(answer) {
  tokens = answer;
  ui.preauthorizeApiKey("bearer", tokens.access_token);
  renewal = setTimeout(renew, (tokens.expires_in - RENEW_BEFORE_SECONDS) * 1000);
}

async function renew() {
  try {
    use(await post("/api/auth/refresh", { refresh_token: tokens.refresh_token }));
  } catch (problem) {
    forget(`Signed out: ${problem.message}`, true);
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { email, password } = form.elements;
  say("Signing in …");
  try {
    use(await post("/api/auth/login", { email: email.value, password: password.value }));
    form.hidden = true;
    signedIn.hidden = false;
    say(`Signed in as ${email.value}. “Try it out” now sends your token.`);
    password.value = "";
  } catch (problem) {
    say(problem.message, true);
  }
});

signedIn.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { refresh_token } = tokens;
  forget("Signed out.");
  await post("/api/auth/logout", { refresh_token }).catch((problem) => say(problem.message, true));
});

followColours();
const description = await (await fetch("/openapi.json")).json();
// The validator would send the description to swagger.io.
ui = SwaggerUIBundle({
  spec: withoutOptionalExamples(description),
  dom_id: "#swagger-ui",
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
