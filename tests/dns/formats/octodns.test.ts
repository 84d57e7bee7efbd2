import { expect, test } from "vitest";
import { writingIn } from "../../../server/dns/formats/formats.ts";
import { initialSoa } from "../../../server/dns/zone-file/contents.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { meantBy, readFile, readText, writtenRecord, type FormatFile } from "../../support/records/format-readings.ts";

const files: FormatFile[] = [
  {
    title: "the apex as '', a list of records at one name, value and values, TTLs and the default",
    text: `---
'':
  - ttl: 60
    type: A
    values:
    - 192.0.2.1
    - 192.0.2.2
  - type: MX
    values:
    - exchange: mx1.example.com.
      preference: 10
    - priority: 20
      value: mx2.example.net.
WWW:
  type: CNAME
  value: Unit.example.org.
`,
    records: [
      "@ 60 A 192.0.2.1",
      "@ 60 A 192.0.2.2",
      "@ 3600 MX 10 mx1.example.com",
      "@ 3600 MX 20 mx2.example.net",
      "WWW 3600 CNAME Unit.example.org",
    ],
  },
  {
    title: "every type that has a mapping, and those with one text",
    text: String.raw`_a:
- {type: CAA, value: {flags: 128, tag: issue, value: ca.example.net}}
- {type: CAA, value: {tag: iodef, value: 'mailto:a@example.com'}}
- type: LOC
  value: {lat_degrees: 52, lat_minutes: 22, lat_seconds: 23.0, lat_direction: N, long_degrees: 4, long_minutes: 53, long_seconds: 32, long_direction: E, altitude: -2, size: 1, precision_horz: 100, precision_vert: 10}
- type: NAPTR
  value: {order: 1, preference: 2, flags: S, service: SIP+D2U, regexp: '!^.*$!sip:a@example.com!', replacement: .}
- {type: SRV, value: {priority: 1, weight: 2, port: 443, target: s.example.com.}}
- {type: SSHFP, value: {algorithm: 4, fingerprint_type: 2, fingerprint: 0000000000000000000000000000000000000000000000000000000000000000}}
- {type: TLSA, value: {certificate_usage: 3, selector: 1, matching_type: 0, certificate_association_data: '0123'}}
- {type: URI, value: {priority: 1, weight: 2, target: 'https://example.com/'}}
- type: HTTPS
  value:
    svcpriority: 1
    targetname: .
    svcparams: {alpn: [h2, h3], no-default-alpn: , port: 8443, ipv4hint: [192.0.2.1]}
- {type: DNAME, value: other.example.net.}
- {type: PTR, values: [p.example.net.]}
- {type: ALIAS, value: alias.example.net.}
- {type: OPENPGPKEY, value: AAAA}
- {type: AAAA, value: '2001:DB8::0'}
- {type: NS, value: ns.example.net.}
`,
    records: [
      "_a 3600 CAA 128 issue ca.example.net",
      "_a 3600 CAA 0 iodef mailto:a@example.com",
      "_a 3600 LOC 52 22 23.000 N 4 53 32.000 E -2.00m 1m 100m 10m",
      '_a 3600 NAPTR 1 2 "S" "SIP+D2U" "!^.*$!sip:a@example.com!" .',
      "_a 3600 SRV 1 2 443 s.example.com",
      `_a 3600 SSHFP 4 2 ${"0".repeat(64)}`,
      "_a 3600 TLSA 3 1 0 0123",
      '_a 3600 URI 1 2 "https://example.com/"',
      "_a 3600 HTTPS 1 . alpn=h2,h3 no-default-alpn port=8443 ipv4hint=192.0.2.1",
      "_a 3600 DNAME other.example.net.",
      "_a 3600 PTR p.example.net",
      "_a 3600 ALIAS alias.example.net",
      "_a 3600 OPENPGPKEY AAAA",
      "_a 3600 AAAA 2001:db8::",
      "_a 3600 NS ns.example.net",
    ],
  },
  {
    title: "texts with escaped and bare semicolons, quotes, strings, escapes and blocks",
    text: String.raw`a: {type: TXT, value: 'v=DKIM1\; k=rsa'}
b: {type: TXT, value: v=DKIM1; k=rsa}
c: {type: TXT, value: '"one" "two"'}
d: {type: TXT, value: 'say "hi" \\ \195\164'}
e: {type: TXT, value: 'C:\temp'}
f:
  type: TXT
  value: >-
    two
    lines
g: {type: TXT, value: ''}
`,
    records: [
      "a 3600 TXT v=DKIM1; k=rsa",
      "b 3600 TXT v=DKIM1; k=rsa",
      'c 3600 TXT onetwo ["one","two"]',
      'd 3600 TXT say "hi" \\ ä',
      "e 3600 TXT C:temp",
      "f 3600 TXT two lines",
      "g 3600 TXT ",
    ],
    warnings: [
      String.raw`Line 2: A ; that is not written as \; is read as it stands.`,
      "Line 5: A backslash in a text is read as an escape, as in a zone file.",
    ],
  },
  {
    title: "geo and dynamic records are refused by name",
    text: "geo:\n  geo: {EU: [192.0.2.1]}\n  type: A\n  value: 192.0.2.9\ndyn:\n  dynamic:\n    pools: {a: {values: [{value: 192.0.2.1}]}}\n  type: A\n  value: 192.0.2.9\n",
    errors: [
      "Line 2: The record answers by place (`geo`), which Zonewright does not have. Remove `geo`; its `value` remains.",
      "Line 6: The record answers by rules and pools (`dynamic`), which Zonewright does not have. Remove `dynamic`; its `value` remains.",
    ],
  },
  {
    title: "leniently, geo and dynamic records answer every query alike",
    text: "geo:\n  geo: {EU: [192.0.2.1]}\n  type: A\n  value: 192.0.2.9\n",
    records: ["geo 3600 A 192.0.2.9"],
    warnings: ["Line 2: The answers by place (`geo`) are left out; the record answers every query alike."],
    options: { lenient: true },
  },
  {
    title: "settings of octoDNS's own: the proxy and comment of Cloudflare are kept, others are named",
    text: "a:\n  octodns:\n    cloudflare: {proxied: true, auto-ttl: true, comment: Front, tags: [x]}\n    excluded: [route53]\n    lenient: true\n  type: A\n  value: 192.0.2.1\nb:\n  octodns: {ignored: true}\n  type: A\n  value: 192.0.2.2\nc:\n  octodns: {cloudflare: {proxied: false}}\n  type: A\n  value: 192.0.2.3\n",
    records: ["a 1 A 192.0.2.1 proxied ; Front", "c 3600 A 192.0.2.3 unproxied"],
    warnings: [
      'Line 3: octoDNS\'s setting "cloudflare.tags" is left out.',
      'Line 4: octoDNS\'s setting "excluded" is left out.',
      "Line 9: A record with `octodns: ignored: true` is left out: octoDNS does not manage it.",
    ],
    options: { supportsProxied: true, automaticTtl: 1 },
  },
  {
    title: "the proxy and automatic TTL of Cloudflare, at a provider without them",
    text: "a:\n  octodns: {cloudflare: {proxied: true, auto-ttl: true}}\n  type: A\n  value: 192.0.2.1\n",
    records: ["a 3600 A 192.0.2.1 proxied"],
    warnings: [
      "Line 2: The automatic TTL of Cloudflare is read as 3600.",
      "Line 4: A proxy answers for this record. It is imported without one, so its value becomes public.",
    ],
  },
  {
    title: "names that YAML or people mean otherwise: numbers, words, @, full names, Unicode",
    text: "on: {type: A, value: 192.0.2.1}\n1.10: {type: A, value: 192.0.2.2}\n'010': {type: A, value: 192.0.2.3}\n10: {type: A, value: 192.0.2.4}\n'@': {type: A, value: 192.0.2.5}\nwww.example.com: {type: A, value: 192.0.2.6}\nbücher: {type: CNAME, value: straße.example.net}\nfull.example.com.: {type: A, value: 192.0.2.7}\n",
    records: [
      "on 3600 A 192.0.2.1",
      "1.10 3600 A 192.0.2.2",
      "010 3600 A 192.0.2.3",
      "10 3600 A 192.0.2.4",
      "@ 3600 A 192.0.2.5",
      "www.example.com 3600 A 192.0.2.6",
      "xn--bcher-kva 3600 CNAME xn--strae-oqa.example.net",
      "full 3600 A 192.0.2.7",
    ],
    warnings: [
      'Line 1: "on" is read as a name; without quotes it is no text to octoDNS.',
      'Line 2: "1.10" is read as a name; without quotes it is a number to octoDNS.',
      "Line 5: The name \"@\" is read as the apex, which octoDNS writes as ''.",
      'Line 6: "www.example.com" is relative to the zone, so it means "www.example.com.example.com.". Leave out "example.com" if you mean the name within it.',
      'Line 7: "straße.example.net" has no final dot and is read as the full name.',
    ],
  },
  {
    title: "anchors, aliases and merge keys",
    text: "a: &a\n  type: A\n  ttl: &ttl 300\n  value: 192.0.2.1\nb: *a\nc:\n  <<: *a\n  value: 192.0.2.2\nd: {type: A, ttl: *ttl, value: 192.0.2.3}\n",
    records: ["a 300 A 192.0.2.1", "b 300 A 192.0.2.1", "c 300 A 192.0.2.2", "d 300 A 192.0.2.3"],
  },
  {
    title: "types that octoDNS does not have, in other case, and times with units",
    text: 'a: {type: HINFO, value: \'"cpu" "os"\'}\nb: {type: txt, ttl: 1h, value: x}\nc: {type: MX, value: 10 mail.example.net.}\n',
    records: ['a 3600 HINFO "cpu" "os"', "b 3600 TXT x", "c 3600 MX 10 mail.example.net"],
    warnings: [
      "Line 1: octoDNS has no type HINFO; the value is read as in a zone file.",
      'Line 2: The type "txt" is read as TXT.',
      "Line 2: The TTL 1h is read as 3600; octoDNS takes only seconds.",
    ],
  },
  {
    title: "a parameter without value as octoDNS dumps it, a text that reads null, and a TTL that is null",
    text: "a:\n- type: SVCB\n  value:\n    svcpriority: 1\n    targetname: s.example.net.\n    svcparams:\n      alpn:\n      - h2\n      no-default-alpn: null\nb: {type: SVCB, value: {svcpriority: 1, targetname: ., svcparams: {alpn: h2, no-default-alpn: ~}}}\nc: {type: TXT, value: 'null'}\nd: {type: TXT, value: !!str null}\ne: {type: TXT, ttl: null, value: x}\n",
    records: [
      "a 3600 SVCB 1 s.example.net. alpn=h2 no-default-alpn",
      "b 3600 SVCB 1 . alpn=h2 no-default-alpn",
      "c 3600 TXT null",
      "d 3600 TXT null",
      "e 3600 TXT x",
    ],
  },
  {
    title: "a value that is null is missing",
    text: "a: {type: CNAME, value: null}\nb: {type: TXT, values: [~, x]}\n",
    errors: ["Line 1: The value is missing.", "Line 2: The value is missing."],
  },
  {
    title: "faults of a record are all named, with their lines",
    text: "a: {value: 192.0.2.1}\nb: {type: A}\nc: {type: A, values: []}\nd: {type: A, value: 192.0.2.1, values: [192.0.2.1]}\ne: {type: URLFWD, value: x}\nf: {type: MX, value: {preference: 10}}\ng: {type: MX, value: {preference: 10, exchange: a., weight: 1}}\nh: {type: A, ttl: soon, value: 192.0.2.1}\ni: [x]\nj: {type: A, value: {x: y}}\nk: {type: A, value: 300.0.0.1}\nl: {type: SRV, value: {priority: 1 2, weight: 1, port: 1, target: a.}}\nm: {type: A, value: }\n",
    errors: [
      "Line 1: The record has no `type`.",
      "Line 2: The record has neither `value` nor `values`.",
      "Line 3: The list of values is empty; remove the record if it is to go.",
      "Line 4: The record has both `value` and `values`; keep one of them.",
      'Line 5: "URLFWD" is not a known record type.',
      "Line 6: A value of MX must have `exchange`; its keys are `preference`, `exchange`.",
      "Line 7: A value of MX has no `weight`; its keys are `preference`, `exchange`.",
      'Line 8: "soon" is not a valid time; use seconds, or numbers with the units w, d, h, m and s, such as 1h30m.',
      "Line 9: A record must be a mapping with `type` and `value` or `values`.",
      "Line 10: A value of A must be text, not a mapping.",
      'Line 11: The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
      'Line 12: `priority` must be one word or number, not "1 2".',
      "Line 13: The value is missing.",
    ],
  },
  {
    title: "a URL is no host name",
    text: "a: {type: CNAME, value: 'https://www.example.com.'}\nb:\n  type: MX\n  value: {preference: 10, exchange: 'smtp://mail.example.com.'}\nd: {type: ALIAS, value: 'https://example.net.'}\n",
    errors: [
      'Line 1: "https://www.example.com." begins a URL, and CNAME records name a host. Write "www.example.com." alone.',
      'Line 4: "smtp://mail.example.com." begins a URL, and MX records name a host. Write "mail.example.com." alone.',
      'Line 5: "https://example.net." begins a URL, and ALIAS records name a host. Write "example.net." alone.',
    ],
  },
  {
    title: "faults of the YAML, with their lines",
    text: "a: {type: A, value: 192.0.2.1}\na: {type: A, value: 192.0.2.2}\nb: !include b.yaml\nc: *nowhere\nd:\n  type: A\n type: B\n",
    errors: [
      'Line 2: The name "a" is there twice, and octoDNS takes only the last. Put its records into one list.',
      "Line 3: Unresolved tag: !include.",
      "Line 4: No anchor &nowhere stands before this alias.",
      "Line 6: The record has neither `value` nor `values`.",
      "Line 7: All mapping items must start at the same column.",
    ],
  },
  {
    title: "a list at the top",
    text: "---\n- a\n",
    errors: ["Line 2: The text must be a mapping of names to records, such as `www:`."],
  },
  { title: "nothing at all", text: "---\n{}\n" },
  {
    title: "a second document",
    text: "---\na: {type: A, value: 192.0.2.1}\n---\nb: {type: A, value: 192.0.2.2}\n",
    errors: ["Line 3: A second YAML document begins here. Put each zone into a file of its own."],
  },
];

test.each(files.map((file) => [file.title, file] as const))(
  "a zone of octoDNS is read as it is meant, and each reading that is not literal is a warning: %s",
  async (_title, file) => {
    expect(await readFile(file, "octodns")).toEqual(meantBy(file));
  },
);

test("aliases cost at most a limited number of values, and values nest only to a limited depth", async () => {
  const lists = Array.from(
    { length: 12 },
    (_, index) => `a${index}: &a${index} [${index === 0 ? "x" : `*a${index - 1}, `.repeat(10)}]`,
  );
  const bomb = `r: {type: A, value: 192.0.2.1, ${lists.join(", ")}}`;
  const deep = `a: ${"[".repeat(100_000)}`;
  for (const [text, message] of [
    [bomb, /^Aliases stand for more than/],
    [deep, /nested/],
  ] as const) {
    const { reading } = await readText(text, "octodns");
    expect(reading.ok ? [] : reading.errors.map((error) => error.message)).toContainEqual(
      expect.stringMatching(message),
    );
  }
});

test.each([
  ["# config of example.com\n---\n'':\n  type: A\n", "octodns"],
  ["www:\n  type: A\n", "octodns"],
  ["'*.dev': # all\n", "octodns"],
  ["www 300 IN A 192.0.2.1\n", "zonefile"],
  ["; www:\nwww A 192.0.2.1", "zonefile"],
  ["", "zonefile"],
])("the format of a text is recognized by its beginning: %j is %s", async (text, format) => {
  expect((await readText(text, "auto")).format).toBe(format);
});

test("a zone written for octoDNS has its keys in the order that octoDNS wants, and what octoDNS cannot hold as comments", async () => {
  const records = [
    writtenRecord("n10", "A", "192.0.2.10"),
    writtenRecord("n9", "A", "192.0.2.9", { proxied: true, ttl: 1 }),
    writtenRecord("@", "MX", "10 mail.example.net"),
    writtenRecord("@", "MX", "20 mail.example.net"),
    writtenRecord("@", "TXT", "v=spf1 -all; x"),
    writtenRecord("@", "HINFO", '"cpu" "os"'),
    writtenRecord("off", "A", "192.0.2.3", { status: "disabled" }),
    writtenRecord("yes", "HTTPS", "1 . alpn=h2,h3 port=8443"),
  ];
  const soa = initialSoa("example.com", new Date(0));
  const text = atOnce(await writingIn("octodns", { zone: "example.com", soa, records })).join("");
  expect(text).toBe(String.raw`# Zone example.com, written by Zonewright.
# octoDNS has no record for these:
# @ 300 IN HINFO "cpu" "os"
# disabled: off 300 IN A 192.0.2.3
---
'':
- ttl: 300
  type: MX
  values:
  - exchange: mail.example.net.
    preference: 10
  - exchange: mail.example.net.
    preference: 20
- ttl: 300
  type: TXT
  value: 'v=spf1 -all\; x'
n9:
  octodns:
    cloudflare:
      auto-ttl: true
      proxied: true
  ttl: 1
  type: A
  value: 192.0.2.9
n10:
  ttl: 300
  type: A
  value: 192.0.2.10
'yes':
  ttl: 300
  type: HTTPS
  value:
    svcparams:
      alpn: [h2, h3]
      port: '8443'
    svcpriority: 1
    targetname: '.'
`);
});
