// Improves the sign-in forms, which work without it: a button that shows the password, and the browser's time zone.

// Whoever signs in here may be somebody else than the account whose things the app keeps in this browser (web/src/api/current-account.ts).
// "nobody" stays, so that tabs which were suspended learn that their account has signed out.
if (localStorage.getItem("commonplace-account") !== "nobody") localStorage.removeItem("commonplace-account");

/** Empties a database of the browser, if there is one. */
function empty(name, store) {
  const opening = indexedDB.open(name);
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onsuccess = () => {
    opening.result.transaction(store, "readwrite").objectStore(store).clear();
    opening.result.close();
  };
}

/** Deletes the copies that the app has kept for when there is no network, and their key (web/src/state/copy-store.ts). */
function dropCopies() {
  empty("commonplace-copies", "answers");
  empty("commonplace-copies-facts", "facts");
  empty("commonplace-copies-key", "key");
}

// They belong to a session, and there is none any more.
if (document.querySelector("form[data-signed-out]")) dropCopies();

// A link has its code after `#`, which browsers send to nobody. It leaves the address bar and the history.
const code = document.querySelector("input[name=code]");
if (code && location.hash.length > 1) {
  code.value = location.hash.slice(1);
  code.closest(".field").hidden = true;
  history.replaceState(null, "", location.pathname + location.search);
}

const zone = document.querySelector("input[name=timezone]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

/** Puts a button beside a password that shows it. */
function addReveal(password) {
  const reveal = document.createElement("button");
  reveal.type = "button";
  reveal.className = "reveal";
  reveal.setAttribute("aria-controls", password.id);
  const word = document.createElement("span");
  const what = document.createElement("span");
  what.className = "unseen";
  what.textContent = " password";
  reveal.append(word, what);

  function show(isShown) {
    password.type = isShown ? "text" : "password";
    word.textContent = isShown ? "Hide" : "Show";
  }

  reveal.addEventListener("click", () => {
    show(password.type === "password");
    password.focus();
  });
  // Browsers offer to save only what is entered as a password.
  password.form.addEventListener("submit", () => show(false));

  show(false);
  password.after(reveal);
}

const password = document.getElementById("password");
if (password) addReveal(password);
