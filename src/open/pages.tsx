import { Layout } from "../pages/layout.tsx";

export type Reading = { title: string; text: string; facts: [string, string][] };

/** A document or a record as a page. */
export const ReadingPage = ({ title, text, facts }: Reading) => (
  <Layout title={title}>
    <h1>{title}</h1>
    <p class="quiet">{facts.map(([name, value]) => `${name}: ${value}`).join(" · ")}</p>
    <pre>{text}</pre>
  </Layout>
);
