import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Caller,
  hasPermission,
  type Narrowing,
  narrowingOf,
  trustedCaller,
  ZoneScope,
  type ScopeRule,
} from "../../../server/access/caller.ts";
import { matchesHost } from "../../../server/dns/names/names.ts";
import { isUsable, permissions } from "../../../server/access/permissions.ts";
import {
  type Grant,
  mayReview,
  type Need,
  outsideRights,
  ownersRights,
  readsEverything,
  type Rights,
  rightsFrom,
  rightsIn,
} from "../../../server/access/zone-access.ts";
import { AppError } from "../../../server/platform/errors.ts";
import type { Role } from "../../../server/database/tables/users.ts";

/** `*.dev`, or `*.dev A,TXT` for some types. */
const rule = (text: string): ScopeRule => {
  const [pattern = "", types] = text.split(" ");
  return { pattern, recordTypes: types?.split(",") ?? [] };
};
const scope = (...rules: string[]) => new ZoneScope(rules.map(rule));
/** `www A`. */
const place = (text: string) => {
  const [name = "", recordType = "A"] = text.split(" ");
  return { name, recordType };
};

const caller = (role: Role, narrowing: Narrowing | null = null): Caller => ({
  ...trustedCaller({ userId: "caller", tokenId: null, ip: null, requestId: null, at: new Date(0) }),
  role,
  narrowing,
});
const grant = (access: Grant["access"], text: string, review = false): Grant => ({ ...rule(text), access, review });
const row = (grants: Grant[], owner: string | null = null, protectMail = false) => ({
  accessed_id: "domain",
  owner_id: owner,
  protect_mail: protectMail,
  grants,
});
const narrowedTo = (limit: ZoneScope, domainIds: string[] | null = null): Narrowing => ({
  credential: "token",
  domainIds,
  scope: limit,
});

/** Which of the sets of some rights include a record. */
const setsWith = (rights: Rights | null, text: string) =>
  (["sees", "proposes", "changes", "reviews"] as const).filter((set) => rights?.[set].includes(place(text)));
const everySet = ["sees", "proposes", "changes", "reviews"];

const tokenFor = (limit: string, domainIds: string[] | null = null) => narrowedTo(scope(limit), domainIds);

describe("the rights of a caller in a zone", () => {
  test.each<
    [string, Role, string | null, Grant[], { owns: boolean; changesProtected: boolean; sets: string[] } | null]
  >([
    ["an administrator", "admin", null, [], { owns: true, changesProtected: true, sets: everySet }],
    ["the owner", "member", "caller", [], { owns: true, changesProtected: true, sets: everySet }],
    ["an auditor", "auditor", null, [], { owns: false, changesProtected: false, sets: ["sees"] }],
    ["an auditor who owns it", "auditor", "caller", [], { owns: false, changesProtected: false, sets: ["sees"] }],
    ["a member without assignments", "member", "other", [], null],
    ["a reader", "member", "other", [grant("read", "*")], { owns: false, changesProtected: false, sets: ["sees"] }],
    [
      "a proposer",
      "member",
      null,
      [grant("propose", "*")],
      { owns: false, changesProtected: false, sets: ["sees", "proposes"] },
    ],
    [
      "a writer",
      "member",
      null,
      [grant("write", "*")],
      { owns: false, changesProtected: false, sets: ["sees", "proposes", "changes"] },
    ],
    [
      "a reader who reviews",
      "member",
      null,
      [grant("read", "*", true)],
      { owns: false, changesProtected: false, sets: ["sees", "reviews"] },
    ],
  ])("%s has exactly the documented rights", (_who, role, owner, grants, expected) => {
    const rights = rightsFrom(caller(role), row(grants, owner));
    const { owns, changesProtected, narrowedBy } = rights ?? {};
    expect(rights && { owns, changesProtected, sets: setsWith(rights, "www A") }).toEqual(expected);
    expect(narrowedBy ?? null).toBeNull();
  });

  test("each assignment adds its own records to the sets that its access names", () => {
    const grants = [
      grant("read", "r"),
      grant("propose", "p"),
      grant("write", "w"),
      grant("read", "v", true),
      grant("read", "t TXT"),
    ];
    const rights = rightsFrom(caller("member"), row(grants));
    expect(Object.fromEntries(["r", "p", "w", "v", "t", "x"].map((host) => [host, setsWith(rights, host)]))).toEqual({
      r: ["sees"],
      p: ["sees", "proposes"],
      w: ["sees", "proposes", "changes"],
      v: ["sees", "reviews"],
      t: [],
      x: [],
    });
    expect(setsWith(rights, "t TXT")).toEqual(["sees"]);
  });

  test.each([true, false])("only members are bound by the protection of mail, here %s", (protects) => {
    const of = (role: Role, owner: string | null) =>
      rightsFrom(caller(role), row([grant("write", "*")], owner, protects))?.protectMail;
    expect([of("member", null), of("member", "caller"), of("admin", null)]).toEqual([protects, false, false]);
  });

  test("a narrowed token has its owner's rights only within its records and domains", () => {
    for (const [role, grants] of [
      ["admin", []],
      ["member", [grant("write", "*", true)]],
    ] satisfies [Role, Grant[]][]) {
      const rights = rightsFrom(caller(role, tokenFor("dev TXT", ["domain", "another"])), row(grants));
      expect(rights).toMatchObject({ owns: false, changesProtected: role === "admin", narrowedBy: "token" });
      expect(setsWith(rights, "dev TXT")).toEqual(everySet);
      expect(setsWith(rights, "dev A")).toEqual([]);
      expect(setsWith(rights, "www TXT")).toEqual([]);
      expect(rightsFrom(caller(role, tokenFor("*", ["another"])), row(grants))).toBeNull();
      expect(rightsFrom(caller(role, tokenFor("*", [])), row(grants))).toBeNull();
    }
    const within = rightsFrom(caller("member", tokenFor("*", ["domain"])), row([grant("read", "www")], null, true));
    expect(setsWith(within, "www A")).toEqual(["sees"]);
    expect(setsWith(within, "dev A")).toEqual([]);
    expect(within?.protectMail).toBe(true);
    expect(rightsFrom(caller("member", tokenFor("*", ["domain"])), row([]))).toBeNull();
  });
});

/** What a call is refused with; null if it is not. */
function refusalOf(call: () => unknown): { code: string; message: string } | null {
  try {
    call();
    return null;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { code: error.code, message: error.message };
  }
}

describe("what a call needs in a zone", () => {
  const narrowed = narrowedTo(ZoneScope.all);
  test.each<[string, Caller, Grant[], Partial<Record<Need, RegExp>>]>([
    ["an administrator", caller("admin"), [], {}],
    [
      "an auditor",
      caller("auditor"),
      [],
      {
        propose: /^You have read-only access/,
        write: /^You have read-only access/,
        manage: /^Only the domain's owner/,
      },
    ],
    [
      "a reader",
      caller("member"),
      [grant("read", "*")],
      {
        propose: /with `propose`/,
        write: /Request an assignment with write access/,
        manage: /^Only the domain's owner/,
      },
    ],
    [
      "a proposer",
      caller("member"),
      [grant("propose", "*")],
      { write: /^You have read-only access/, manage: /^Only the domain's owner/ },
    ],
    ["a writer", caller("member"), [grant("write", "*")], { manage: /^Only the domain's owner/ }],
    [
      "an administrator's narrowed token",
      caller("admin", narrowed),
      [],
      { manage: /^This token is narrowed to some domains or records/ },
    ],
    [
      "an administrator's key",
      caller("admin", { ...narrowed, credential: "key" }),
      [],
      { manage: /^This key is narrowed to some domains or records/ },
    ],
    [
      "a writer's narrowed token",
      caller("member", narrowed),
      [grant("write", "*")],
      { manage: /^Only the domain's owner/ },
    ],
  ])("%s is refused exactly what exceeds the rights", (_who, who, grants, refusals) => {
    for (const need of ["read", "propose", "write", "manage"] as const) {
      const refusal = refusals[need];
      const refused = refusalOf(() => rightsIn(row(grants), who, need));
      expect(refused?.code).toBe(refusal && "FORBIDDEN");
      expect(refused?.message ?? "").toMatch(refusal ?? /^$/);
    }
  });

  test("a zone that the caller may not see is not found, whatever they need", () => {
    for (const need of ["read", "propose", "write", "manage"] as const)
      expect(() => rightsIn(row([]), caller("member"), need)).toThrow(expect.objectContaining({ code: "NOT_FOUND" }));
  });

  test("a call that proposes may change what it may propose, and no other call may", () => {
    const grants = [grant("propose", "p"), grant("write", "w")];
    const changes = (need: Need, name: string) =>
      rightsIn(row(grants), caller("member"), need).changes.includes(place(name));
    expect([changes("propose", "p"), changes("propose", "w"), changes("propose", "x")]).toEqual([true, true, false]);
    expect([changes("write", "p"), changes("write", "w"), changes("read", "p")]).toEqual([false, true, false]);
  });
});

const member = (changes: ZoneScope, more: Partial<Rights> = {}): Rights => ({
  ...ownersRights,
  owns: false,
  changesProtected: false,
  changes,
  ...more,
});
const token = (own: ZoneScope, limit: ZoneScope, more: Partial<Rights> = {}) =>
  member(own.within(limit), { narrowedBy: "token", ...more });
const reviewer = (...rules: string[]) => member(ZoneScope.all, { reviews: scope(...rules) });

describe("records outside a caller's rights", () => {
  const administrators = { changesProtected: true };

  test.each<[string, Rights, string, RegExp | null]>([
    ["the owner", ownersRights, "@ NS", null],
    ["a writer of all", member(ZoneScope.all), "www A", null],
    ["a writer of all", member(ZoneScope.all), "@ NS", /^NS records of @ are for the domain's owner/],
    ["a writer of all", member(ZoneScope.all), "sub NS", null],
    ["a writer of all", member(ZoneScope.all), "@ DNAME", null],
    ["a writer of all", member(ZoneScope.all), "@ MX", null],
    [
      "a writer of all where mail is protected",
      member(ZoneScope.all, { protectMail: true }),
      "@ MX",
      /^MX records of @ are for/,
    ],
    [
      "a writer of all where mail is protected",
      member(ZoneScope.all, { protectMail: true }),
      "www MX",
      /^MX records of www are for/,
    ],
    ["a writer of all where mail is protected", member(ZoneScope.all, { protectMail: true }), "www A", null],
    ["a writer of MX by name", member(scope("* MX"), { protectMail: true }), "@ MX", null],
    ["a writer of all and of MX by name", member(scope("*", "www MX"), { protectMail: true }), "www MX", null],
    [
      "a writer of all and of MX by name",
      member(scope("*", "www MX"), { protectMail: true }),
      "@ MX",
      /an assignment names the type MX\.$/,
    ],
    ["a writer of NS by name", member(scope("@ NS")), "@ NS", null],
    [
      "a writer of nothing",
      member(ZoneScope.none),
      "www A",
      /^Your assignments do not let you change the records of www\.$/,
    ],
    ["a writer of www", member(scope("www")), "dev A", /^Your assignments do not let you change the records of dev\.$/],
    [
      "a writer of TXT",
      member(scope("* TXT")),
      "dev A",
      /^Your assignments do not let you change the A records of dev\.$/,
    ],
    [
      "a writer of a delegation's host alone",
      member(scope("sub")),
      "sub NS",
      /^NS records of sub affect every name below it, and your assignments/,
    ],
    ["a writer of a delegation's host alone", member(scope("sub")), "sub A", null],
    ["a writer of a delegation and below", member(scope("sub", "*.sub")), "sub NS", null],
    ["a writer of a delegation and below", member(scope("sub", "*.sub")), "sub DNAME", null],
    ["a writer of NS at a host", member(scope("sub NS")), "sub NS", /^NS records of sub affect every name below it/],
    ["a writer of NS at a host and below", member(scope("sub NS", "*.sub NS")), "sub NS", null],
    [
      "a writer of DNAME below the apex",
      member(scope("*.a", "@")),
      "@ DNAME",
      /^DNAME records of @ affect every name below it/,
    ],
    [
      "a narrowed token",
      token(ZoneScope.all, scope("* TXT")),
      "www A",
      /^This token does not cover the A records of www\. Use one/,
    ],
    [
      "a narrowed token",
      token(ZoneScope.all, scope("dev")),
      "www A",
      /^This token does not cover the records of www\. Use one/,
    ],
    ["a narrowed token", token(ZoneScope.all, scope("www")), "www A", null],
    [
      "a narrowed token beyond its owner's rights",
      token(scope("dev"), scope("www")),
      "www A",
      /^Your assignments do not let you/,
    ],
    ["an administrator's narrowed token", token(ZoneScope.all, scope("sub"), administrators), "sub A", null],
    [
      "an administrator's narrowed token",
      token(ZoneScope.all, scope("sub"), administrators),
      "sub NS",
      /^NS records of sub affect every name below it, and this token/,
    ],
    ["an administrator's narrowed token", token(ZoneScope.all, scope("sub", "*.sub"), administrators), "sub NS", null],
    ["an administrator's narrowed token", token(ZoneScope.all, scope("* NS"), administrators), "sub NS", null],
    ["an administrator's narrowed token", token(ZoneScope.all, scope("@"), administrators), "@ NS", null],
    ["an administrator's narrowed token", token(ZoneScope.all, scope("@"), administrators), "@ MX", null],
    [
      "a member's narrowed token",
      token(ZoneScope.all, scope("@")),
      "@ NS",
      /^NS records of @ are for the domain's owner/,
    ],
    [
      "a member's token for all",
      token(scope("sub"), ZoneScope.all),
      "sub NS",
      /and your assignments do not cover all of those\.$/,
    ],
    [
      "a key",
      member(ZoneScope.all.within(scope("dev")), { narrowedBy: "key" }),
      "www A",
      /^This key does not cover the records of www/,
    ],
  ])("%s (%#) may or may not change %s %s", (_who, rights, record, refusal) => {
    expect(outsideRights(place(record), rights) ?? "").toMatch(refusal ?? /^$/);
  });

  test("who reviews a record must be allowed to review its type at its host, and all below if it takes that over", () => {
    expect(mayReview(place("www A"), ownersRights)).toBe(true);
    expect(mayReview(place("www A"), reviewer())).toBe(false);
    expect(mayReview(place("www A"), reviewer("www"))).toBe(true);
    expect(mayReview(place("dev A"), reviewer("www"))).toBe(false);
    expect(mayReview(place("sub NS"), reviewer("sub"))).toBe(false);
    expect(mayReview(place("sub NS"), reviewer("sub", "*.sub"))).toBe(true);
  });
});

const rules = fc.array(
  fc.record({
    pattern: fc.constantFrom("*", "@", "a", "b", "*.a", "a*", "*.b.a"),
    recordTypes: fc.subarray(["A", "NS", "MX"]),
  }),
  { maxLength: 4 },
);
const hosts = ["@", "a", "b", "b.a", "c.b.a", "ab", "*", "*.a"];
const types = ["A", "NS", "MX", "TXT"];
const places = hosts.flatMap((name) => types.map((recordType) => ({ name, recordType })));
const covering = (all: readonly ScopeRule[], { name, recordType }: { name: string; recordType: string }) =>
  all.some(
    (one) => matchesHost(one.pattern, name) && (one.recordTypes.length === 0 || one.recordTypes.includes(recordType)),
  );

describe("a set of records", () => {
  test("a set includes what one of its rules covers, and within another set also one of that set's", () => {
    fc.assert(
      fc.property(rules, rules, rules, (own, limit, outer) => {
        const set = new ZoneScope(own);
        const narrow = set.within(new ZoneScope(limit));
        const narrower = narrow.within(new ZoneScope(outer));
        const within = (...sets: (readonly ScopeRule[])[]) =>
          places.filter((one) => sets.every((each) => covering(each, one)));
        expect(places.filter((one) => set.includes(one))).toEqual(within(own));
        expect(places.filter((one) => narrow.includes(one))).toEqual(within(own, limit));
        expect(places.filter((one) => narrower.includes(one))).toEqual(within(own, limit, outer));
        const included = (name: string, of: readonly string[]) =>
          of.filter((recordType) => narrow.includes({ name, recordType }));
        const some = hosts.filter((name) => included(name, ["A", "MX"]).length > 0);
        expect(hosts.filter((name) => narrow.includesSomeAt(name, ["A", "MX"]))).toEqual(some);
        const all = hosts.filter((name) => narrow.includesAllAt(name));
        expect(all.filter((name) => included(name, types).length < types.length)).toEqual([]);
        const none = hosts.filter((name) => !narrow.includesSomeAt(name));
        expect(none.filter((name) => included(name, types).length > 0)).toEqual([]);
        expect(narrow.isNone && places.some((one) => narrow.includes(one))).toBe(false);
        expect(narrow.isAll && places.some((one) => !narrow.includes(one))).toBe(false);
      }),
    );
  });

  test.each<[string, ZoneScope, { isAll?: true; isNone?: true }]>([
    ["everything", ZoneScope.all, { isAll: true }],
    ["nothing", ZoneScope.none, { isNone: true }],
    ["every host with a type", scope("* A"), {}],
    ["some hosts", scope("*.dev"), {}],
    ["one rule within another", scope("dev", "*", "* A"), { isAll: true }],
    ["everything within everything", ZoneScope.all.within(ZoneScope.all), { isAll: true }],
    ["everything within some", ZoneScope.all.within(scope("dev")), {}],
    ["some within everything", scope("dev").within(ZoneScope.all), {}],
    ["everything within nothing", ZoneScope.all.within(ZoneScope.none), { isNone: true }],
    ["nothing within everything", ZoneScope.none.within(ZoneScope.all), { isNone: true }],
  ])("%s is known to be all or nothing", (_what, set, { isAll = false, isNone = false }) => {
    expect({ isAll: set.isAll, isNone: set.isNone }).toEqual({ isAll, isNone });
  });

  test.each<[ZoneScope, string, boolean]>([
    [scope("a"), "a", true],
    [scope("a A"), "a", false],
    [scope("a A,MX", "a NS"), "a", false],
    [scope("a").within(scope("a")), "a", true],
    [scope("a").within(scope("b")), "a", false],
    [scope("a").within(scope("a A")), "a", false],
  ])("a set includes every type at a host only by a rule for all types (%#)", (set, host, expected) => {
    expect(set.includesAllAt(host)).toBe(expected);
  });

  test.each<[ZoneScope, string, string[], boolean]>([
    [scope("a A"), "a", [], true],
    [scope("a A"), "b", [], false],
    [scope("a A"), "a", ["MX"], false],
    [scope("a A"), "a", ["MX", "A"], true],
    [scope("a"), "a", ["MX"], true],
    [scope("a A").within(scope("a MX")), "a", [], false],
    [scope("a A,NS").within(scope("a MX,NS")), "a", [], true],
    [scope("a A,NS").within(scope("a MX,NS")), "a", ["A", "MX"], false],
    [scope("a").within(scope("b")), "a", [], false],
    [ZoneScope.none, "a", [], false],
  ])(
    "a set includes some of the given types at a host if its rules and its limit share one (%#)",
    (set, host, some, expected) => {
      expect(set.includesSomeAt(host, some)).toBe(expected);
    },
  );

  test.each<[ZoneScope, string, boolean]>([
    [ZoneScope.all, "@ NS", true],
    [ZoneScope.none, "a NS", false],
    [scope("* NS"), "@ NS", true],
    [scope("* NS"), "@ DNAME", false],
    [scope("@", "*.*"), "@ DNAME", false],
    [scope("@ DNAME", "*.* DNAME"), "@ DNAME", false],
    [scope("a NS"), "a NS", false],
    [scope("*.a NS"), "a NS", false],
    [scope("a NS", "*.a NS"), "a NS", true],
    [scope("a NS", "*.a"), "a NS", false],
    [scope("a", "*.a"), "a NS", true],
    [scope("a", "*.a").within(scope("a")), "a NS", false],
    [scope("a", "*.a").within(scope("a NS", "*.a NS")), "a NS", true],
    [scope("a NS", "*.a NS").within(ZoneScope.all), "a NS", true],
    [scope("a").within(ZoneScope.all), "a NS", false],
  ])(
    "a set covers all below a host by rules for all types or by rules that list the type (%#)",
    (set, record, expected) => {
      expect(set.coversBelow(place(record))).toBe(expected);
    },
  );

  test("a rule names a type only if it lists it, even where another rule covers all types", () => {
    expect(scope("*").names(place("a MX"))).toBe(false);
    expect(scope("*", "a MX").names(place("a MX"))).toBe(true);
    expect(scope("*", "a MX").names(place("b MX"))).toBe(false);
    expect(scope("*", "a MX").names(place("a A"))).toBe(false);
    expect(scope("a MX").within(scope("a A")).names(place("a MX"))).toBe(true);
  });
});

const usable = (role: Role) => permissions.filter((one) => isUsable(one, role));

const includedBy = (narrowing: Narrowing | null) =>
  ["www A", "www TXT", "dev TXT"].filter((text) => narrowing?.scope.includes(place(text)));

describe("permissions and credentials", () => {
  test("auditors use what reads and their own notifications, members everything but the audit trail", () => {
    expect(usable("admin")).toEqual(permissions);
    expect(permissions.filter((one) => !usable("member").includes(one))).toEqual(["audit:read"]);
    expect(permissions.filter((one) => !usable("auditor").includes(one))).toEqual([
      "domains:write",
      "records:write",
      "snapshots:write",
      "requests:write",
      "assignments:write",
      "registrations:write",
    ]);
    expect((["admin", "auditor", "member"] as const).filter(readsEverything)).toEqual(["admin", "auditor"]);
  });

  test("a session has every permission, a token only its own", () => {
    expect(hasPermission({ permissions: "all" }, "audit:read")).toBe(true);
    expect(hasPermission({ permissions: new Set(["records:read"]) }, "records:read")).toBe(true);
    expect(hasPermission({ permissions: new Set(["records:read"]) }, "records:write")).toBe(false);
    expect(hasPermission(caller("admin"), "records:write")).toBe(true);
  });

  test("each column of a token narrows it by itself", () => {
    const open = { domain_ids: null, host_pattern: null, record_types: null };
    const of = (more: Partial<Parameters<typeof narrowingOf>[0]>) => narrowingOf({ ...open, ...more });
    expect(narrowingOf(open)).toBeNull();
    expect(of({ domain_ids: ["d"] })).toMatchObject({ credential: "token", domainIds: ["d"] });
    expect(of({ domain_ids: ["d"] })?.scope.isAll).toBe(true);
    expect(of({ host_pattern: "www" })?.domainIds).toBeNull();
    expect(includedBy(of({ host_pattern: "www" }))).toEqual(["www A", "www TXT"]);
    expect(includedBy(of({ record_types: ["TXT"] }))).toEqual(["www TXT", "dev TXT"]);
    expect(includedBy(of({ host_pattern: "www", record_types: ["TXT"] }))).toEqual(["www TXT"]);
  });
});
