import { operationsOf, type ApiDocument, type ApiOperation, type ApiResponse } from "../support/api/api-document.ts";
import { schemaBreaks, type Side } from "./schema-breaks.ts";

/**
 * What a client written for one version of the interface would trip over in another: calls that are gone, inputs that are
 * refused, fields of answers that are missing or have become something else. What is only added does not count.
 */
export function breakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  const sides = { before, after };
  const calls = operationsOf(before).flatMap(({ method, path, operation }) => {
    const at = `${method} ${path}`;
    const now = after.paths[path]?.[method.toLowerCase()];
    return now ? operationBreaks(operation, now, sides, at) : [`${at} is gone`];
  });
  const errors = Object.entries(before.components.responses ?? {}).flatMap(([name, response]) => {
    const now = after.components.responses[name];
    return now ? responseBreaks(response, now, sides, name) : [`${name} is gone`];
  });
  return [...calls, ...errors];
}

function operationBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const parts = [nameBreaks, parameterBreaks, bodyBreaks, answerBreaks];
  return parts.flatMap((breaks) => breaks(before, after, sides, at));
}

/** Generated clients name their functions by it. Callers of an open operation have no sign-in. */
function nameBreaks(before: ApiOperation, after: ApiOperation, _sides: Side, at: string): string[] {
  const renamed = before.operationId === after.operationId ? [] : [`${at}: ${before.operationId} has another name`];
  const closed = before.security?.length === 0 && after.security?.length !== 0 ? [`${at}: needs a sign-in now`] : [];
  return [...renamed, ...closed];
}

type Parameter = NonNullable<ApiOperation["parameters"]>[number];

function byPlace(parameters: readonly Parameter[] = []): Map<string, Parameter> {
  return new Map(parameters.map((one) => [`${one.in} ${one.name}`, one]));
}

function parameterBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const found: string[] = [];
  const known = byPlace(before.parameters);
  const now = byPlace(after.parameters);
  for (const [name, parameter] of known) {
    const other = now.get(name);
    if (!other) found.push(`${at}: the ${name} parameter is gone`);
    else found.push(...schemaBreaks("input", parameter.schema, other.schema, sides, `${at}: ${name}`));
  }
  for (const [name, parameter] of now) {
    if (parameter.required === true && known.get(name)?.required !== true) {
      found.push(`${at}: the ${name} parameter is needed now`);
    }
  }
  return found;
}

function bodyBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  const known = before.requestBody?.content["application/json"]?.schema;
  const now = after.requestBody?.content["application/json"]?.schema;
  if (!now) return known ? [`${at}: takes no body any more`] : [];
  const mayBeLeftOut = !known || before.requestBody?.required === false;
  const needed = mayBeLeftOut && after.requestBody?.required !== false ? [`${at}: the body is needed now`] : [];
  return known ? [...needed, ...schemaBreaks("input", known, now, sides, `${at}: body`)] : needed;
}

function answerBreaks(before: ApiOperation, after: ApiOperation, sides: Side, at: string): string[] {
  return Object.entries(before.responses)
    .filter(([status]) => status.startsWith("2") || status.startsWith("3"))
    .flatMap(([status, response]) => {
      const other = after.responses[status];
      return other
        ? responseBreaks(response, other, sides, `${at}: ${status}`)
        : [`${at}: does not answer ${status} any more`];
    });
}

function responseBreaks(before: ApiResponse, after: ApiResponse, sides: Side, at: string): string[] {
  const headers = Object.keys(before.headers ?? {}).filter((name) => !(name in (after.headers ?? {})));
  const bodies = Object.entries(before.content ?? {}).flatMap(([type, { schema }]) => {
    const now = after.content?.[type]?.schema;
    return now ? schemaBreaks("output", schema, now, sides, at) : [`${at} has no ${type} any more`];
  });
  return [...headers.map((name) => `${at}: the ${name} header is gone`), ...bodies];
}
