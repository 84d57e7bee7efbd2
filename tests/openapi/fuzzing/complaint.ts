import { redirects, responseOf, type ApiDocument, type FoundOperation } from "../../support/api/api-document.ts";
import { misfits } from "../../support/api/json-schema.ts";
import type { Answer } from "../../support/rest-client.ts";
import type { Json, Place } from "./json-values.ts";
import { bodySchema, type Call } from "./valid-calls.ts";
import type { Target } from "./mutations.ts";

/** The body without the items of a bulk call, which are judged one by one, in its answer. */
function judgedAtOnce(operationId: string, body: Json | undefined): Json | undefined {
  const records = (body as { records?: Json } | undefined)?.records;
  if (operationId !== "bulkCreateRecords" || !Array.isArray(records)) return body;
  const record = { recordType: "A", name: "www", value: "192.0.2.1" };
  return { ...(body as { [key: string]: Json }), records: records.map(() => record) };
}

/** Whether the document says that a call is wrong, as seen from the one field that was touched. */
function isWrong(document: ApiDocument, target: Target, call: Call, { operation }: FoundOperation): boolean {
  if (target.in === "body") {
    const schema = bodySchema(operation);
    return schema !== undefined && misfits(judgedAtOnce(operation.operationId, call.body), schema, document).length > 0;
  }
  const name = String(target.place[0]);
  const parameter = operation.parameters?.find((one) => one.name === name && one.in === target.in);
  if (!parameter) return true;
  const text = call[target.in][name];
  if (text === undefined || text === "") return parameter.required === true;
  const integer = parameter.schema.type === "integer" && /^\d{1,10}$/.test(text);
  return misfits(integer ? Number(text) : text, parameter.schema, document).length > 0;
}

function leadsTo(target: Target, path: Place): boolean {
  const length = Math.min(path.length, target.place.length);
  return length > 0 && path.slice(0, length).every((part, index) => String(part) === String(target.place[index]));
}

const awaitsFactor = /^(?:verifySecondFactor|sendEmailCode|getSecondFactorPasskeyOptions)$/;

/** What was sent, and what was changed in it. */
interface Sent {
  found: FoundOperation;
  call: Call;
  targets: Target[];
}

/** Zod's default messages, used if we have none of our own. */
const parserWords =
  /Invalid (?:input|option|ISO)|expected (?:string|number|boolean|array|object|record|one of)|Too (?:big|small)/;

/** What is wrong with an answer; null if the document describes it and it names the faulty field. */
export function complaint(
  document: ApiDocument,
  { found, call, targets }: Sent,
  { status, headers, body }: Answer,
  frontEnd: string,
): string | null {
  const { operation } = found;
  const reported = `${operation.operationId} ${JSON.stringify({ call, status, body }).slice(0, 3_000)}`;
  if (status >= 500) return `It failed: ${reported}`;
  if (status === 302 && redirects(found)) return complaintOfRedirect(headers.get("location"), reported, frontEnd);
  const response = responseOf(document, operation, status);
  const [media] = Object.entries(response?.content ?? {});
  if (!media) return `The status is not documented: ${reported}`;
  const [type, { schema }] = media;
  if (!headers.get("content-type")?.startsWith(type)) return `The content type is not documented: ${reported}`;
  const wrong = misfits(body, schema, document);
  if (wrong.length > 0) return `${wrong.join("; ")}: ${reported}`;
  if (status === 400 && parserWords.test(JSON.stringify(body))) return `The library speaks, not we: ${reported}`;
  const [target, ...others] = targets;
  // A missing tempToken is reported first.
  if (awaitsFactor.test(operation.operationId) && status === 401) return null;
  // Providers decide what they send along.
  if (redirects(found)) return null;
  if (!target || others.length > 0 || !isWrong(document, target, call, found)) return null;
  if (status !== 400) return `The document calls ${target.place.join(".")} wrong: ${reported}`;
  const issues = (body as { issues: { path: Place }[] | null }).issues ?? [];
  return issues.some(({ path }) => leadsTo(target, path))
    ? null
    : `No issue names ${target.place.join(".")}: ${reported}`;
}

/** A redirect leads to the front end, or to the provider that is configured. */
function complaintOfRedirect(location: string | null, reported: string, frontEnd: string): string | null {
  const places = [frontEnd, "https://github.com", "https://id.example.com"];
  return places.some((place) => location?.startsWith(`${place}/`)) ? null : `It leads to ${location}: ${reported}`;
}
