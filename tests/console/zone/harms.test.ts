import { expect, test } from "vitest";
import * as server from "../../../server/zones/domains/portfolio-list.ts";
import { harms, harmsOfOthers, worstFirst } from "../../../web/src/zone/harms.ts";

test("the page of a domain ranks findings as the portfolio does", () => {
  expect({ harms, harmsOfOthers }).toEqual({ harms: server.harms, harmsOfOthers: server.harmsOfOthers });
});

test("on the page of a domain, what takes it off the net comes before what only failed", () => {
  const found = [
    { code: "change_failed", severity: "error" },
    { code: "unlocked", severity: "warning" },
    { code: "ds_differ", severity: "warning" },
    { code: "signatures_expiring", severity: "warning" },
    { code: "ds_mismatch", severity: "error" },
    { code: "auto_renew_off", severity: "info" },
    { code: "expired", severity: "error" },
  ] as const;
  expect(worstFirst(found).map(({ code }) => code)).toEqual([
    "expired",
    "ds_mismatch",
    "signatures_expiring",
    "change_failed",
    "unlocked",
    "ds_differ",
    "auto_renew_off",
  ]);
});
