import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { de } from "../../../web/src/words/de.ts";
import { en } from "../../../web/src/words/en.ts";

type Texts = { readonly [key: string]: Texts | Text | string };
type Text = (...values: readonly unknown[]) => string;

/** Every text of both languages with where it is, such as `zone.mirrors.add`. */
function pairs(
  german: Texts,
  english: Texts,
  path: string,
): [path: string, german: Text | string, english: Text | string][] {
  return Object.entries(german).flatMap(([key, text]) => {
    const [at, other] = [`${path}${key}`, english[key]];
    if (typeof text === "object") return pairs(text, other as Texts, `${at}.`);
    return [[at, text, other as Text | string]];
  });
}

const all = pairs(de as unknown as Texts, en as unknown as Texts, "");
const strings = all.flatMap(([path, german, english]) =>
  typeof german === "string" && typeof english === "string" ? [{ path, german, english }] : [],
);
const functions = all.flatMap(([path, german, english]) =>
  typeof german === "function" && typeof english === "function" ? [{ path, german, english }] : [],
);

/** Words that are the same in both languages: terms of DNS and of programs, and names. */
const sameWords = new Set(
  `Administrator Auditor Body CSV Code Connect DNSSEC Delegation DingTalk Domain Domains Feishu Flag Format Header Host Hosts JSON Link Name
  OpenID Passkey Passkeys Person Plan Port Portfolio RDAP Registrar Registry Revision Scopes Secondaries Slack Snapshot Snapshots Status
  System TSV TTL Tag Terraform Text Token Tokens Version View WHOIS Webhook Zone Zonewright localhost`.split(/\s+/),
);
/** What is no word: signs, addresses and examples of values. */
const noWord = /^(?:[\W\d]*|.*\d.*|.*(?:=|\.(?:com|key)\b|\/).*)$/;

test("a German text is equal to the English one only if it is a term or a name", () => {
  expect(strings.length).toBeGreaterThan(1_000);
  const equal = strings.filter(
    ({ german, english }) =>
      german === english && !noWord.test(german) && !german.match(/\p{L}+/gu)?.every((word) => sameWords.has(word)),
  );
  expect(equal.map(({ path, german }) => `${path}: ${german}`)).toEqual([]);
});

test("no German text is empty where the English one is not, and quotes, ellipses and ends of sentences are German", () => {
  const wrong = strings.filter(
    ({ german, english }) =>
      (german === "") !== (english === "") ||
      german.endsWith("…") !== english.endsWith("…") ||
      /[“”"]/.test(german.replaceAll(/„[^“]*“/g, "")) ||
      /\bdu\b|\bdein|\s$|^\s| {2}/i.test(german),
  );
  expect(wrong.map(({ path, german }) => `${path}: ${german}`)).toEqual([]);
});

/** What a text may be called with. A text ignores what it does not expect. */
const facts = {
  actorId: "1",
  targetId: "2",
  domainId: "3",
  before: null,
  after: { creates: 2, updates: 3, deletes: 1, failures: 1, subdomainPattern: "www" },
};
const samples: readonly (readonly [unknown, unknown])[] = [
  ["erster", "zweiter"],
  [1, 2],
  [3, 4],
  [0, 5],
  [true, false],
  [null, "etwas"],
  [null, 7],
  [facts, { ...facts, domainId: null, after: { tag: "t", subdomainPattern: "*" } }],
  [facts, { ...facts, targetId: facts.actorId }],
  [facts, { ...facts, targetId: null }],
];

/** Whether the text depends on the value at this place. */
function uses(text: Text, at: number): boolean {
  // One and many may be told apart by another value: the number as it is shown.
  const differing = samples.filter(([one]) => one !== 1);
  return differing.some(([one, other]) =>
    differing.some(([rest]) => {
      const values = Array.from({ length: text.length }, () => rest);
      try {
        return text(...values.with(at, one)) !== text(...values.with(at, other));
      } catch {
        // It expects another kind of value.
        return false;
      }
    }),
  );
}

/** Whether a text takes these values and makes sense of them. */
function sayable(text: Text, values: readonly unknown[]): boolean {
  try {
    return !/undefined|NaN|\[object| {2}/.test(text(...values));
  } catch {
    return false;
  }
}

test("what is left out is one thing where it is one", () => {
  const said = functions.flatMap(({ path, german, english }) => {
    const values = Array.from({ length: english.length }, () => "1");
    return [german, english].flatMap((text) => (sayable(text, values) ? [`${path}: ${text(...values)}`] : []));
  });
  expect(said.filter((text) => /1 weitere (?:Befunde|Unterschiede|sind|zeigen)/.test(text))).toEqual([]);
  expect(said.filter((text) => /1 more (?:findings|differences|are)/.test(text))).toEqual([]);
  for (const path of ["portfolio.more", "templates.more", "health.more", "zone.moreLines"])
    expect(said).toContain(`${path}: und 1 weiterer`);
});

test("every German text that takes values says each that the English one says, and nothing undefined", () => {
  expect(functions.length).toBeGreaterThan(200);
  const wrong = functions.flatMap(({ path, german, english }) => {
    const missing = Array.from({ length: english.length }, (_, at) => at).filter(
      (at) => uses(english, at) && !(at < german.length && uses(german, at)),
    );
    const isFaulty = samples.some(([one]) => {
      const values = Array.from({ length: english.length }, () => one);
      return sayable(english, values) && !sayable(german, values);
    });
    return missing.length > 0 || isFaulty ? [`${path} ${missing.join()}`] : [];
  });
  expect(wrong).toEqual([]);
});

test("an entry of the audit trail has no part twice: the page tells parts apart by their text", () => {
  const { actions } = de.admin.audit;
  const twice = Object.entries(actions).filter(([, { sentence }]) => {
    const parts = sentence(facts)
      .split(/(\{\w+\})/)
      .filter((part) => part !== "");
    return new Set(parts).size < parts.length;
  });
  expect(twice).toEqual([]);
});

test("one of a thing is singular, and many are plural with a point between thousands", () => {
  expect(de.records.selected("1")).toBe("1 Eintrag ausgewählt");
  expect(de.records.selected("12.000")).toBe("12.000 Einträge ausgewählt");
  expect(de.domains.count("3")).toBe("3 Domains");
  expect(de.admin.zones.import(12_000)).toBe("12.000 Zonen importieren");
  expect(de.timeline.andOthers("A www", "1")).toBe("A www und 1 weiterer");
  expect(de.zone.liveOn(1, 2, 2.45)).toBe("live auf 1 von 2 Secondaries, nach 2,5 s");
  expect(de.admin.audit.actions["records.edit"].sentence(facts)).toBe(
    "{who} hat in {domain} 2 Einträge hinzugefügt, 3 Einträge geändert und 1 Eintrag gelöscht; 1 Änderung fehlgeschlagen",
  );
});

test("how long ago something was reads well in the sentences that say it", () => {
  const ago = "vor 3 Min.";
  expect([de.zone.since(ago), de.zone.secondaries.inSync(ago), `${de.account.since} ${ago}`]).toEqual([
    "zuerst bemerkt vor 3 Min.",
    "stimmt überein (erreicht vor 3 Min.)",
    "verbunden vor 3 Min.",
  ]);
});

const files = (language: string) => readdirSync(join(import.meta.dirname, "../../../web/src/words", language));

test("German is split into the same files as English", () => {
  expect(files("de").filter((file) => file !== "count.ts")).toEqual(files("en"));
});
