// Shows /openapi.json in Redoc, with fonts of the reader's own machine.
Redoc.init(
  "/openapi.json",
  {
    theme: {
      typography: {
        fontFamily: "system-ui, sans-serif",
        headings: { fontFamily: "system-ui, sans-serif" },
        code: { fontFamily: "ui-monospace, monospace" },
      },
    },
  },
  document.getElementById("redoc"),
);
