import type { Route } from "playwright-core";

/** How a call can fail. */
export interface Fault {
  /** What the browser logs of it. */
  logged: string;
  answer: (route: Route) => Promise<void>;
  /** What the page says. */
  says: string;
}

const refusal = (status: number, code: string, message: string, headers = {}): Fault => ({
  logged: String(status),
  says: message,
  answer: async (route) => {
    const data = { code, httpStatus: status, title: code, issues: null, requestId: "0123456789abcdef" };
    const body = JSON.stringify({ error: { json: { message, code: -32_000, data } } });
    await route.fulfill({ status, contentType: "application/json", headers, body });
  },
});

/** The answers of the service that a test cannot easily provoke, and those of a proxy and of a lost network. */
export const faults = {
  conflict: refusal(409, "CONFLICT", "Another call changed this at the same time."),
  overtaken: refusal(412, "PRECONDITION_FAILED", "The record has another version now."),
  tooLarge: refusal(413, "PAYLOAD_TOO_LARGE", "The body may have at most 1 MiB."),
  limited: refusal(429, "TOO_MANY_REQUESTS", "Wait 60 seconds.", { "retry-after": "60" }),
  provider: refusal(502, "PROVIDER_ERROR", "BIND does not answer."),
  stopping: refusal(503, "UNAVAILABLE", "The service is stopping."),
  proxy: {
    logged: "502",
    says: "A proxy answered",
    answer: async (route) => {
      await route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" });
    },
  },
  noNetwork: {
    logged: "ERR_INTERNET_DISCONNECTED",
    says: "Zonewright did not answer",
    answer: async (route) => {
      await route.abort("internetdisconnected");
    },
  },
} satisfies Record<string, Fault>;
