import { expect } from "vitest";
import { errorCodes, type ErrorCode, type Issue, type Problem } from "../../server/platform/errors.ts";
import { forgetSecrets } from "./log-watch.ts";
import type { Answer } from "./rest-client.ts";

declare module "vitest" {
  // oxlint-disable-next-line no-unused-vars -- a merged interface repeats the parameters of the one that it adds to.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /** Checks an answer against contract §1, see `problemOf`. */
    toBeProblem(status: number, code: ErrorCode): R;
  }
}

const fields = ["code", "detail", "issues", "message", "requestId", "status", "title", "type"];

/**
 * Holds an answer against contract §1: a problem document with exactly its eight fields, which agree with each other, the
 * status and the headers, and give nothing away.
 */
export function problemOf(answer: Answer, status: number, code: ErrorCode): Problem {
  const { headers, body } = answer;
  expect({ status: answer.status, code: body?.code, detail: body?.detail }).toMatchObject({ status, code });
  expect(headers.get("content-type")).toMatch(/^application\/problem\+json(;|$)/);
  expect(Object.keys(body).toSorted()).toEqual(fields);
  expect(body).toMatchObject({ type: "about:blank", status, code, title: errorCodes[code].title });
  expect(errorCodes[code].status).toBe(status);
  expect(body.detail).toBeTypeOf("string");
  expect(body.detail).not.toBe("");
  expect(body.message).toBe(body.detail);
  expect(headers.get("x-request-id")).toBe(body.requestId);
  expect(body.requestId).toMatch(/^[\w.-]{8,64}$/);
  if (body.issues !== null) checkIssues(body.issues);
  if (status === 503 || status === 429) expect(headers.get("retry-after")).toMatch(/^\d+$/);
  if (status === 401) expect(headers.get("www-authenticate")).toBe("Bearer");
  expect(JSON.stringify(body)).not.toMatch(/ {4}at |node_modules|\.ts:\d/);
  return body as Problem;
}

function checkIssues(issues: Issue[]): void {
  expect(issues.length).toBeGreaterThan(0);
  for (const issue of issues) {
    expect(Object.keys(issue).toSorted()).toEqual(["message", "path"]);
    expect(issue.message).not.toBe("");
    for (const part of issue.path) expect(["string", "number"]).toContain(typeof part);
  }
}

forgetSecrets();

expect.extend({
  toBeProblem(answer: Answer, status: number, code: ErrorCode) {
    try {
      problemOf(answer, status, code);
      return { pass: true, message: () => `The answer is a problem ${status} ${code}.` };
    } catch (error) {
      return { pass: false, message: () => (error instanceof Error ? error.message : String(error)) };
    }
  },
});
