import { expect, test } from "vitest";
import { mostZones, noteZones, openZones } from "../../../web/src/live/messages.ts";

test("the zones of all tabs are watched once each, until the last tab closes its own", () => {
  const tabs = new Map<string, readonly string[]>();
  noteZones(tabs, "one", ["a", "b"]);
  noteZones(tabs, "two", ["b", "c"]);
  expect(openZones(tabs)).toEqual(["a", "b", "c"]);
  noteZones(tabs, "one", []);
  expect(openZones(tabs)).toEqual(["b", "c"]);
  noteZones(tabs, "two", []);
  expect(openZones(tabs)).toEqual([]);
});

test("of more zones than a stream can watch, those reported last are watched", () => {
  const tabs = new Map<string, readonly string[]>();
  for (let tab = 0; tab < mostZones + 5; tab++) noteZones(tabs, `tab ${tab}`, [`zone ${tab}`]);
  noteZones(tabs, "tab 0", ["zone 0"]);
  const watched = openZones(tabs);
  expect(watched).toHaveLength(mostZones);
  expect(watched).toContain("zone 0");
  expect(watched).not.toContain("zone 1");
});
