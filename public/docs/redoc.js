// Shows /openapi.json in Redoc, with system fonts and the system's light or dark theme.

const SANS = "system-ui, sans-serif";

const fontsIn = (code) => ({
  fontFamily: SANS,
  headings: { fontFamily: SANS },
  code: { fontFamily: "ui-monospace, monospace", ...code },
});

const LIGHT = { typography: fontsIn({ color: "#8f1d1d" }) };

const DARK = {
  typography: fontsIn({ color: "#f2b8b5", backgroundColor: "#0c0e0f" }),
  colors: {
    primary: { main: "#8ab4f8" },
    success: { main: "#6dd58c" },
    warning: { main: "#fcc934" },
    error: { main: "#f2b8b5" },
    text: { primary: "#f0f0f0", secondary: "#b5b5b5" },
    border: { dark: "#5a6063", light: "#3a4043" },
    responses: {
      success: { color: "#6dd58c", backgroundColor: "#14301d", tabTextColor: "#6dd58c" },
      error: { color: "#f2b8b5", backgroundColor: "#3a1b19", tabTextColor: "#f2b8b5" },
      redirect: { color: "#fcc934", backgroundColor: "#33290a", tabTextColor: "#fcc934" },
      info: { color: "#8ab4f8", backgroundColor: "#15243d", tabTextColor: "#8ab4f8" },
    },
  },
  schema: { nestedBackground: "#24292c", typeNameColor: "#b5b5b5", typeTitleColor: "#b5b5b5" },
  sidebar: { backgroundColor: "#171a1c", textColor: "#f0f0f0" },
  rightPanel: { backgroundColor: "#121416" },
  codeBlock: { backgroundColor: "#0c0e0f" },
};

const dark = matchMedia("(prefers-color-scheme: dark)");
// Redoc reads its colours only once, at start.
dark.addEventListener("change", () => location.reload());

Redoc.init("/openapi.json", { theme: dark.matches ? DARK : LIGHT }, document.getElementById("redoc"));
