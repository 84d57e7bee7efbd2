import { expect, test } from "vitest";
import { deviceOf } from "../../../web/src/account/device.ts";

const mozilla = "Mozilla/5.0";
const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";

test.each([
  [`${mozilla} (X11; Linux x86_64) ${webkit} Chrome/141.0.0.0 Safari/537.36`, "Chrome", "Linux", "computer"],
  [`${mozilla} (X11; Linux x86_64) ${webkit} HeadlessChrome/141.0.0.0 Safari/537.36`, "Chrome", "Linux", "computer"],
  [`${mozilla} (Windows NT 10.0) ${webkit} Chrome/141.0.0.0 Safari/537.36 Edg/141.0`, "Edge", "Windows", "computer"],
  [`${mozilla} (Linux; Android 10; K) ${webkit} Chrome/141.0 Mobile Safari/537.36`, "Chrome", "Android", "phone"],
  [`${mozilla} (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0`, "Firefox", "Linux", "computer"],
  [
    `${mozilla} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/26.0 Safari/605`,
    "Safari",
    "macOS",
    "computer",
  ],
  [
    `${mozilla} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605 Version/26.0 Mobile/15E148 Safari/604`,
    "Safari",
    "iPhone",
    "phone",
  ],
  ["curl/8.14.1", "curl", null, "program"],
  ["node", "node", null, "program"],
  ["python-requests/2.32 Linux/6.12", "python-requests", "Linux", "program"],
  [`${mozilla} (compatible)`, null, null, "program"],
  ["<script>alert(1)</script>", "<script>alert", null, "program"],
  ["", null, null, "program"],
  [null, null, null, "program"],
] as const)("the user agent %s is named as people name it", (userAgent, program, system, kind) => {
  expect(deviceOf(userAgent)).toEqual({ program, system, kind });
});

test("a user agent of a megabyte is read as quickly as a short one", () => {
  expect(deviceOf("Version/1".repeat(120_000))).toMatchObject({ program: "Version" });
});
