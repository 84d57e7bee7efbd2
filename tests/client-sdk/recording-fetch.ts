import type { Fetch } from "../../client-sdk/src/index.ts";

/** A client's request and the response to it. */
export interface Exchange {
  path: string;
  status: number;
  requestId: string | null;
}

/** A `fetch` that records its requests. */
export function recordingFetch(fetch: Fetch = globalThis.fetch): { fetch: Fetch; to: (path: string) => Exchange[] } {
  const exchanges: Exchange[] = [];
  return {
    async fetch(url, init) {
      const response = await fetch(url, init);
      const { status, headers } = response;
      exchanges.push({ path: new URL(url).pathname, status, requestId: headers.get("x-request-id") });
      return response;
    },
    to: (path) => exchanges.filter((exchange) => exchange.path === path),
  };
}

/** A `fetch` with a cookie jar, which sends cookies only to /api, as a browser does. */
export function cookieFetch(): Fetch {
  const cookies = new Map<string, string>();
  return async (url, init) => {
    const headers = new Headers(init?.headers);
    if (new URL(url).pathname.startsWith("/api/") && cookies.size > 0) {
      headers.set("cookie", [...cookies].map((cookie) => cookie.join("=")).join("; "));
    }
    const response = await fetch(url, { ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    return response;
  };
}
