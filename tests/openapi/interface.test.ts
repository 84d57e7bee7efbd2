import { beforeAll, expect, test } from "vitest";
import { addressOf, operationsOf, type ApiDocument } from "../support/api/api-document.ts";
import { interfaceEndpoints } from "./interface-endpoints.ts";
import { useZonewright } from "../support/zonewright.ts";

const zw = useZonewright();

let documented: Set<string>;
beforeAll(async () => {
  const { body } = await zw.nobody.get("/api/openapi.json");
  documented = new Set(operationsOf(body as ApiDocument).map((found) => `${found.method} ${addressOf(found)}`));
});

function endpoints(built: boolean): string[] {
  return interfaceEndpoints
    .filter((endpoint) => endpoint.built === built)
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}`);
}

test("the list has every row of the interface's tables exactly once", () => {
  const rows = interfaceEndpoints.map(({ method, path }) => `${method} ${path}`);
  expect(rows).toHaveLength(62);
  expect(new Set(rows).size).toBe(rows.length);
});

test("every endpoint of an implemented area is in the document, with its path, method and parameter names", () => {
  expect(endpoints(true).filter((endpoint) => !documented.has(endpoint))).toEqual([]);
});

test("no endpoint of an unimplemented area is in the document", () => {
  expect(endpoints(false).filter((endpoint) => documented.has(endpoint))).toEqual([]);
});

test("unimplemented endpoints answer 404, and nothing else by accident", async () => {
  const unbuilt = interfaceEndpoints.filter(({ built }) => !built);
  for (const { method, path } of unbuilt) {
    const { status } = await zw.admin.send(method, path.replaceAll(/:\w+/g, "01a1fb0f-6204-7000-abd4-276e976be8b7"));
    expect({ method, path, status }).toEqual({ method, path, status: 404 });
  }
});
