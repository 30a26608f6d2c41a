import { exports } from "cloudflare:workers";
import { BASE } from "./client.ts";

// The parts of a browser that the pages need: cookies, forms, and redirects that a test can inspect.

export type Page = { status: number; headers: Headers; html: string; url: string };

const decoded = (text: string) =>
  text
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

const attribute = (tag: string, name: string) => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : decoded(value);
};

/** The fields of a page's form as a browser would send them: hidden ones, texts, and ticked boxes. */
export function fieldsOf(html: string, form = 0): { action: string; fields: [string, string][] } {
  const source = html.match(/<form[\s\S]*?<\/form>/g)?.[form] ?? "";
  const inputs = source.match(/<input[^>]*>/g) ?? [];
  const fields = inputs.flatMap((tag): [string, string][] => {
    const skipped = attribute(tag, "type") === "checkbox" && !/\schecked/.test(tag);
    return skipped ? [] : [[attribute(tag, "name") ?? "", attribute(tag, "value") ?? ""]];
  });
  return { action: attribute(source.split(">")[0] ?? "", "action") ?? "", fields };
}

export class Browser {
  readonly cookies = new Map<string, string>();
  readonly address: string;

  constructor(address = `10.${[1, 2, 3].map(() => Math.floor(Math.random() * 256)).join(".")}`) {
    this.address = address;
  }

  /** Sends a request with this browser's cookies; redirects are not followed. */
  async send(path: string, init: RequestInit = {}): Promise<Page> {
    const url = new URL(path, BASE);
    const headers = new Headers(init.headers);
    headers.set("CF-Connecting-IP", this.address);
    if (this.cookies.size > 0) {
      headers.set("Cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await exports.default.fetch(new Request(url, { ...init, headers, redirect: "manual" }));
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (/max-age=0/i.test(cookie)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: response.status, headers: response.headers, html: await response.text(), url: url.href };
  }

  /** Opens a page and follows redirects within our own site. */
  async open(path: string): Promise<Page> {
    const page = await this.send(path);
    const location = page.headers.get("Location");
    return location?.startsWith("/") ? this.open(location) : page;
  }

  /** Submits a form of a page. `fields` overrides the form's values. */
  async submit(
    page: Page,
    fields: Record<string, string | string[]>,
    options: { form?: number; headers?: Record<string, string> } = {},
  ): Promise<Page> {
    const { action, fields: own } = fieldsOf(page.html, options.form);
    const body = new URLSearchParams(own.filter(([name]) => !(name in fields)));
    for (const [name, value] of Object.entries(fields))
      for (const item of [value].flat()) body.append(name, item);
    return this.send(action, {
      method: "POST",
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Origin: BASE,
        "Sec-Fetch-Site": "same-origin",
        ...options.headers,
      },
      body: body.toString(),
    });
  }
}
