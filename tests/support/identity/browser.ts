import { rememberSecrets } from "../log-watch.ts";
import type { Answer } from "../rest-client.ts";

interface Cookie {
  value: string;
  path: string;
  attributes: string;
}

export interface Page extends Answer {
  /** Where it was found. */
  url: URL;
  /** The redirect target; null if it is not a redirect. */
  location: URL | null;
}

/** A browser between a site and its identity providers: follows redirects, fills in forms, and scopes cookies by host and path. */
export class Browser {
  /** Public addresses that stand for a service on loopback. */
  readonly #hosts: ReadonlyMap<string, string>;
  readonly #jar = new Map<string, Map<string, Cookie>>();

  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = new Map(Object.entries(hosts));
  }

  async get(url: string | URL): Promise<Page> {
    return await this.send("GET", new URL(url));
  }

  async send(
    method: string,
    url: URL,
    options: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Page> {
    const target = new URL(`${url.pathname}${url.search}`, this.#hosts.get(url.origin) ?? url.origin);
    const cookie = this.cookiesFor(url)
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
    const headers = { ...options.headers, ...(cookie === "" ? {} : { cookie }) };
    const response = await fetch(target, { ...options, method, headers, redirect: "manual" });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    const text = await response.text();
    const json = text !== "" && /json/.test(response.headers.get("content-type") ?? "");
    const body = json ? (JSON.parse(text) as unknown) : text;
    if (json && response.ok) rememberSecrets(body);
    const leads = response.headers.get("location");
    const location = leads === null ? null : new URL(leads, url);
    return { status: response.status, headers: response.headers, body, url, location };
  }

  /** Follows redirects until they lead to `site` with a query, or end. @returns the last page */
  async follow(url: string | URL, stop: (location: URL) => boolean): Promise<Page> {
    let page = await this.get(url);
    for (let count = 0; page.location && !stop(page.location); count++) {
      if (count > 20) throw new Error(`The redirects do not end: ${page.location.href}`);
      page = await this.get(page.location);
    }
    return page;
  }

  /** Submits the form of a page. */
  async submit({ url, body }: Page, fields: Record<string, string>): Promise<Page> {
    const html = String(body);
    const [, action = ""] = /<form[^>]* action="([^"]+)"/.exec(html) ?? [];
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = "", value = ""]) => [name, value] as const,
    );
    const form = new URLSearchParams({ ...Object.fromEntries(hidden), ...fields });
    return await this.send("POST", new URL(action, url), {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form.toString(),
    });
  }

  cookiesFor(url: URL): [string, Cookie][] {
    return [...(this.#jar.get(url.origin) ?? [])].filter(
      ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.replace(/\/?$/, "/")),
    );
  }

  #keep(url: URL, line: string): void {
    const [, name = "", value = "", attributes = ""] = /^([^=]+)=([^;]*)(.*)$/s.exec(line) ?? [];
    const jar = this.#jar.get(url.origin) ?? new Map<string, Cookie>();
    this.#jar.set(url.origin, jar);
    const [, path = "/"] = /; *path=([^;]+)/i.exec(attributes) ?? [];
    const gone = /; *max-age=0(?:;|$)/i.test(attributes) || /; *expires=Thu, 01 Jan 1970/i.test(attributes);
    if (gone) jar.delete(name);
    else jar.set(name, { value, path, attributes });
  }
}
