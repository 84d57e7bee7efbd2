import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { expandText, variablesOf } from "../../../server/bulk/templates/form/template.ts";

const expanded = (text: string, values: Record<string, string>) => expandText(text, new Map(Object.entries(values)));

describe("variables", () => {
  test.each<[text: string, values: Record<string, string>, result: string]>([
    ["%a%.%b%", { a: "1", b: "2" }, "1.2"],
    ["%a%%b%", { a: "1", b: "2" }, "12"],
    ["%a-b%%_c%", { "a-b": "1", _c: "2" }, "12"],
    ["%a%", { a: "%b%", b: "again" }, "%b%"],
    ["%a%b%", { a: "%", b: "no" }, "%b%"],
    ["exists:%{i}._spf.%{d}", {}, "exists:%{i}._spf.%{d}"],
    ["%_%{d} %-%{d} 100% %%", {}, "%_%{d} %-%{d} 100% %%"],
    ["plain", {}, "plain"],
  ])("%j with %j is %j", (text, values, result) => {
    expect(expanded(text, values)).toEqual({ ok: true, value: result });
  });

  test("a variable without a value is named", () => {
    expect(expanded("%a%", {})).toMatchObject({ ok: false, message: expect.stringMatching(/variable a$/) });
  });

  test("a text that grows beyond 8192 characters is refused before it is built", () => {
    const text = "%a%".repeat(1_000_000);
    expect(expanded(text, { a: "x".repeat(4_096) })).toMatchObject({ ok: false });
    expect(expanded("x".repeat(8_193), {})).toMatchObject({ ok: false });
    expect(expanded("%a%%a%", { a: "x".repeat(4_096) })).toMatchObject({ ok: true });
  });

  test("no value is expanded again, whatever it holds", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), (value) => {
        expect(expanded("%a%|%b%", { a: value, b: "end" })).toEqual({ ok: true, value: `${value}|end` });
      }),
    );
  });

  test("a template's variables are those of the chosen groups, without the given ones", () => {
    const template = {
      providerId: "p",
      providerName: "P",
      serviceId: "s",
      serviceName: "S",
      records: [
        { type: "TXT", host: "%h%", data: "%fqdn% %domain% %host% %t%", ttl: "%ttl%" },
        { type: "A", host: "@", pointsTo: "%ip%", groupId: "web" },
        { type: "MX", host: "@", pointsTo: "mx", priority: "%p%", groupId: "mail" },
      ],
    };
    expect(variablesOf(template)).toEqual(["h", "t", "ttl", "ip", "p"]);
    expect(variablesOf(template, ["mail"])).toEqual(["h", "t", "ttl", "p"]);
    expect(variablesOf(template, [])).toEqual(["h", "t", "ttl"]);
  });
});
