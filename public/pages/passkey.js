// Signs in with a passkey, where the browser has them.

const form = document.getElementById("passkey");
const status = document.getElementById("passkey-status");

const isPossible = () =>
  typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

async function ask() {
  const answer = await fetch("/api/auth/login/passkey/options", { method: "POST" });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await answer.json());
  return (await navigator.credentials.get({ publicKey })).toJSON();
}

function refused(problem) {
  // Somebody who closes the browser's dialog knows that.
  status.textContent = problem.name === "NotAllowedError" ? "No passkey was used." : problem.message;
}

async function signIn(event) {
  event.preventDefault();
  status.textContent = "";
  try {
    const { id, response } = await ask();
    for (const [name, value] of Object.entries({ id, ...response })) {
      const field = form.querySelector(`input[name="${name}"]`);
      if (field) field.value = value;
    }
    form.submit();
  } catch (problem) {
    refused(problem);
  }
}

if (form && isPossible()) {
  form.hidden = false;
  form.addEventListener("submit", signIn);
}
