import { startSmallInternet, type SmallInternet, type SmallServer } from "../../support/name-servers/small-internet.ts";

const soa = (zone: string, serial: number) => `${zone} SOA ns1.${zone} hostmaster.${zone} ${serial}`;

/** A root, the top-level domain `tld`, and two servers of `one.tld`. */
export interface PrivateRoot {
  readonly internet: SmallInternet;
  readonly roots: string;
  readonly top: SmallServer;
  readonly first: SmallServer;
  readonly second: SmallServer;
}

export const zoneName = "one.tld";

/** What the top-level domain says of `one.tld`. */
export const delegation = [
  "one.tld NS ns1.one.tld",
  "one.tld NS ns2.one.tld",
  "ns1.one.tld A 127.53.0.3",
  "ns2.one.tld A 127.53.0.4",
];
/** What `one.tld` says. */
export const content = (serial = 7) => [
  soa(zoneName, serial),
  ...delegation,
  "www.one.tld A 192.0.2.1",
  "text.one.tld TXT x",
];

export const topLevel = (lines: readonly string[]) => ({
  tld: [soa("tld", 1), "tld NS ns.tld", "ns.tld A 127.53.0.2", "shop.tld A 192.0.2.2", ...lines],
});

export async function startPrivateRoot(): Promise<PrivateRoot> {
  const internet = await startSmallInternet();
  await internet.server("127.53.0.1", { ".": [". SOA a.root b.root 1", "tld NS ns.tld", "ns.tld A 127.53.0.2"] });
  const [top, first, second] = await Promise.all(
    ["127.53.0.2", "127.53.0.3", "127.53.0.4"].map((address) => internet.server(address, {})),
  );
  if (!top || !first || !second) throw new Error("There are three servers.");
  const root = { internet, roots: `127.53.0.1:${internet.port}`, top, first, second };
  reset(root);
  return root;
}

/** Makes everything healthy again. */
export function reset({ top, first, second }: PrivateRoot): void {
  top.zones = topLevel(delegation);
  for (const server of [top, first, second]) {
    server.behavior = "normal";
    server.questions = [];
  }
  first.zones = { [zoneName]: content() };
  second.zones = { [zoneName]: content() };
}
