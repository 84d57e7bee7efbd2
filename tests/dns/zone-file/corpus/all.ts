import { readFileSync } from "node:fs";
import { whole, type AwkwardZone } from "./awkward-zone.ts";
import { forms } from "./forms.ts";
import { names } from "./names.ts";
import { realZones } from "./real-zones.ts";
import { ttls } from "./ttls.ts";
import { typeZones } from "./types.ts";

/** Zones that a signer wrote: with NSEC, with NSEC3, and one record a line. */
const signed = ["signed-nsec", "signed-nsec3", "signed-one-line"].map((file) =>
  whole(file.replaceAll("-", " "), readFileSync(new URL(`${file}.zone`, import.meta.url), "latin1")),
);

export const awkwardZones: readonly AwkwardZone[] = [
  ...forms,
  ...names,
  ...ttls,
  ...realZones,
  ...signed,
  ...typeZones,
];
