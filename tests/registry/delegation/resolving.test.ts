import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { stateOf } from "../../../server/registry/delegation/check.ts";
import { DnsClient } from "../../../server/registry/delegation/dns-client.ts";
import { IterativeResolver, StubResolver } from "../../../server/registry/delegation/resolver.ts";
import { observeDelegation } from "../../../server/registry/delegation/observe.ts";
import { askAll, servedIn } from "../../../server/registry/delegation/served.ts";
import { openDoor } from "../../platform/net/door.ts";
import { patience } from "../../support/patience.ts";
import { content, delegation, reset, startPrivateRoot, topLevel, zoneName, type PrivateRoot } from "./private-root.ts";

let world: PrivateRoot;
beforeAll(async () => {
  world = await startPrivateRoot();
});
beforeEach(() => reset(world));
afterAll(() => world.internet.stop());

function client(mostQuestions = 1_000, allow = ["127.53.0.0/16"]): DnsClient {
  return new DnsClient(openDoor({}, { allow }), new AbortController().signal, mostQuestions);
}
const iterative = (dns = client()) => new IterativeResolver(dns, ["127.53.0.1"], world.internet.port);
const asked = () => [world.top, world.first, world.second].reduce((sum, { questions }) => sum + questions.length, 0);

/** What a check finds of a name by way of a recursive server. */
function state(target: string) {
  const { port } = world.internet;
  return stateOf(new StubResolver(client(), [{ address: "127.53.0.2", port, reach: "inside" }]), target, true);
}

describe("a name that a resolver denies", () => {
  test("a denied name does not exist if its top-level domain does", async () => {
    expect(await state("gone.tld")).toBe("missing");
    expect(await stateOf(iterative(), "gone.tld", true)).toBe("missing");
  });

  test("the roots are believed that there is no such top-level domain, and a resolver is not", async () => {
    expect(await stateOf(iterative(), "www.gone.nonexistent", true)).toBe("missing");
    expect(await state("www.gone.nonexistent")).toBe("unknown");
  });

  test("behind a resolver that denies every public name, it is unknown whether the name exists", async () => {
    world.top.zones = { ".": [". SOA a.root b.root 1", "here.internal A 192.0.2.1"] };
    expect(await state("gone.tld")).toBe("unknown");
    expect(await state("here.internal")).toBe("exists");
  });

  test("a denial without the SOA of a zone above the name proves nothing", async () => {
    world.top.zones = { tld: ["other.tld A 192.0.2.1"] };
    expect(await state("gone.tld")).toBe("unknown");
  });
});

describe("from the roots", () => {
  test.for([
    [8, "found"],
    [9, "unknown"],
  ] as const)("a chain of %d CNAME records is %s", async ([links, kind]) => {
    const chain = Array.from({ length: links }, (_, index) => `c${index}.one.tld CNAME c${index + 1}.one.tld`);
    world.first.zones = { [zoneName]: [...content(), ...chain, `c${links}.one.tld A 192.0.2.1`] };
    expect(await iterative().lookup("c0.one.tld", "A")).toMatchObject({ kind });
  });

  test("CNAME records in a circle are unknown", async () => {
    world.first.zones = { [zoneName]: [...content(), "a.one.tld CNAME b.one.tld", "b.one.tld CNAME a.one.tld"] };
    expect(await iterative().lookup("a.one.tld", "A")).toEqual({ kind: "unknown" });
  });

  test("name servers whose addresses depend on each other end in an unknown answer, after few questions", async () => {
    const circle = Array.from({ length: 13 }, (_, index) => [
      `x.tld NS n${index}.y.tld`,
      `y.tld NS n${index}.x.tld`,
    ]).flat();
    world.top.zones = topLevel(circle);
    expect(await iterative().lookup("www.x.tld", "A")).toEqual({ kind: "unknown" });
    expect(asked()).toBeLessThan(100);
  });

  test("no more questions are asked than allowed", async () => {
    expect(await iterative(client(2)).lookup("www.one.tld", "A")).toEqual({ kind: "unknown" });
    expect(world.first.questions).toEqual([]);
  });

  test.for(["first", "second"] as const)(
    "however few questions are left, records that the %s server lacks do not count as served",
    async (lacking) => {
      const complete = [...content(), "new.one.tld A 192.0.2.9"];
      const zones = { [zoneName]: complete };
      Object.assign(world.first, { zones });
      Object.assign(world.second, { zones });
      const wanted = { name: "new.one.tld", type: "A", values: ["192.0.2.9"], absent: false } as const;
      const isServed = async (limit: number) => {
        const resolver = iterative(client(limit));
        return servedIn(await askAll(resolver, await observeDelegation(resolver, zoneName), wanted), wanted).served;
      };
      expect(await isServed(40)).toBe(true);
      world[lacking].zones = { [zoneName]: content() };
      for (let limit = 0; limit <= 40; limit++) expect([limit, await isServed(limit)]).toEqual([limit, false]);
    },
  );

  test("a question over TCP ends with its check, before one that is left to wait", async () => {
    world.second.behavior = "silent";
    const end = new AbortController();
    const ask = async (signal: AbortSignal) => {
      const dns = new DnsClient(openDoor({}, { allow: ["127.53.0.0/16"] }), signal, 10);
      const server = { address: "127.53.0.4", port: world.internet.port, reach: "public" as const };
      return await dns.ask(server, { name: zoneName, type: "SOA", overTcp: true });
    };
    const waiting = ask(new AbortController().signal);
    const ended = ask(end.signal);
    await vi.waitFor(() => expect(world.second.questions).toHaveLength(2), patience);
    end.abort();
    expect(await Promise.race([waiting, ended])).toEqual({ failure: "unasked", message: "The check took too long." });
    await waiting;
  });

  test("a second server answers for one that is silent, and delegations are asked for once", async () => {
    world.first.behavior = "silent";
    const resolver = iterative();
    expect(await resolver.lookup("www.one.tld", "A")).toMatchObject({ kind: "found" });
    expect(await resolver.lookup("none.one.tld", "A")).toEqual({ kind: "missing", exists: false });
    expect(await resolver.lookup("www.one.tld", "AAAA")).toEqual({ kind: "missing", exists: true });
    expect(world.top.questions).toHaveLength(1);
  });

  test("name servers that are not allowed are never asked", async () => {
    const resolver = iterative(client(1_000, ["127.53.0.1", "127.53.0.2"]));
    expect(await resolver.lookup("www.one.tld", "A")).toEqual({ kind: "unknown" });
    expect([...world.first.questions, ...world.second.questions]).toEqual([]);
  });

  test("where the server above serves the zone, too, its referral is unknown, and its servers are still seen", async () => {
    world.top.zones = { ...topLevel(delegation), [zoneName]: content() };
    const seen = await observeDelegation(iterative(), zoneName);
    expect(seen.parent).toEqual({ kind: "hidden", zone: "tld", ds: [] });
    expect(seen.servers).toMatchObject([{ state: "authoritative" }, { state: "authoritative" }]);
  });
});

describe("through a recursive server", () => {
  test("the parent zone is found and asked itself, and names are looked up by recursion", async () => {
    const chain = ["alias.tld CNAME shop.tld"];
    const tld = topLevel([...delegation.filter((line) => line.startsWith("ns")), ...chain]);
    const recursive = await world.internet.server("127.53.0.10", { ".": [". SOA a b 1"], ...tld });
    const server = { address: "127.53.0.10", port: world.internet.port, reach: "inside" as const };
    const resolver = new StubResolver(client(), [server], world.internet.port);
    expect(await resolver.parentOf(zoneName)).toMatchObject({ zone: "tld", servers: [{ name: "ns.tld" }] });
    expect(await resolver.lookup("alias.tld", "A")).toMatchObject({ kind: "found" });
    expect(await resolver.lookup("gone.tld", "A")).toEqual({ kind: "missing", exists: false });
    const seen = await observeDelegation(resolver, zoneName);
    expect(seen.parent).toMatchObject({ kind: "delegated", nameServers: ["ns1.one.tld", "ns2.one.tld"], ds: [] });
    expect(seen.servers).toMatchObject([{ state: "authoritative" }, { state: "authoritative" }]);
    recursive.behavior = "refused";
    expect(await resolver.lookup("gone.tld", "A")).toEqual({ kind: "unknown" });
  });
});
