import { expect, test } from "vitest";
import { meantBy, readFile, readText, type FormatFile } from "../../support/records/format-readings.ts";

const flags = (more: string) => `;; flags: qr ${more}; QUERY: 1, ANSWER: 1, AUTHORITY: 1, ADDITIONAL: 2`;
const header = (status: string) =>
  `; <<>> DiG 9.18.28 <<>> www.example.com\n;; global options: +cmd\n;; Got answer:\n;; ->>HEADER<<- opcode: QUERY, status: ${status}, id: 1\n`;
const notOwn =
  "The answer is not the zone's own server's, so TTLs are what a cache had left of them. Ask that server, as in dig @ns1.example.com.";

const soa = "example.com. 3600 IN SOA ns1.example.com. h.example.com. 7 3600 600 86400 300";
const cutOff = "The transfer is cut off: its last record must be the SOA again (RFC 5936 §2.2). Copy all of it.";

/** What dig adds to a message that a key signed. */
const signature = "key.\t0\tANY\tTSIG\thmac-sha256. 1796003094 300 32 qWCs= 42065 NOERROR 0 ";

const files: FormatFile[] = [
  {
    title: "an answer of the zone's own server, with the sections that nobody asked for",
    text: `${header("NOERROR")}${flags("aa rd")}

;; OPT PSEUDOSECTION:
; EDNS: version: 0, flags:; udp: 1232
;; QUESTION SECTION:
;www.example.com.		IN	A

;; ANSWER SECTION:
www.example.com.	300	IN	A	192.0.2.1

;; AUTHORITY SECTION:
example.com.		300	IN	NS	ns1.example.com.

;; ADDITIONAL SECTION:
ns1.example.com.	300	IN	A	192.0.2.53

;; Query time: 0 msec
;; MSG SIZE  rcvd: 100
`,
    records: ["www 300 A 192.0.2.1"],
    warnings: [
      "Line 16: The records of the authority section are left out: they were not asked for.",
      "Line 19: The records of the additional section are left out: they were not asked for.",
    ],
  },
  {
    title: "a cached answer that leads out of the zone",
    text: `${header("NOERROR")}${flags("rd ra")}\n;; ANSWER SECTION:\nwww.example.com. 17 IN CNAME www.example.net.\nwww.example.net. 20 IN A 192.0.2.1\n`,
    records: ["www 17 CNAME www.example.net"],
    warnings: [`Line 5: ${notOwn}`],
  },
  {
    title: "several answers after one another",
    text: ["a", "b"]
      .map(
        (name) =>
          `${header("NOERROR")}${flags("aa")}\n;; ANSWER SECTION:\n${name}.example.com. 60 IN TXT "x; y"\n;; AUTHORITY SECTION:\n`,
      )
      .join("\n"),
    records: ["a 60 TXT x; y", "b 60 TXT x; y"],
  },
  {
    title: "a zone transfer, whose SOA is there twice",
    text: "; <<>> DiG 9.18.28 <<>> axfr example.com\n;; global options: +cmd\nexample.com. 3600 IN SOA ns1.example.com. h.example.com. 7 3600 600 86400 300\nexample.com. 3600 IN NS ns1.example.com.\nexample.com. 300 IN MX 10 mail.example.com.\nexample.com. 3600 IN SOA ns1.example.com. h.example.com. 7 3600 600 86400 300\n;; XFR size: 4 records\n",
    records: ["@ 3600 NS ns1.example.com", "@ 300 MX 10 mail.example.com"],
  },
  {
    title: "a zone transfer without the SOA at its end, as was asked for",
    text: `; <<>> DiG 9.18.28 <<>> +onesoa axfr example.com\n${soa}\nwww.example.com. 300 IN A 192.0.2.1\n`,
    records: ["www 300 A 192.0.2.1"],
  },
  {
    title: "an answer for a name like a transfer's type",
    text: `; <<>> DiG 9.18.28 <<>> axfr.example.com\n;; ANSWER SECTION:\naxfr.example.com. 300 IN A 192.0.2.1\n`,
    records: ["axfr 300 A 192.0.2.1"],
  },
  {
    title: "answers over several lines, with units and comments",
    text: `${header("NOERROR")}${flags("aa")}\n;; ANSWER SECTION:\nk.example.com. 1h IN DNSKEY 257 3 13 (\n\t\t\t\tAAAA\n\t\t\t\t) ; KSK; alg = ECDSAP256SHA256 ; key id = 1\n`,
    records: ["k 3600 DNSKEY 257 3 13 AAAA"],
  },
  {
    title: "what drill printed",
    text: ";; ->>HEADER<<- opcode: QUERY, rcode: NOERROR, id: 1\n;; flags: qr aa rd ; QUERY: 1, ANSWER: 1, AUTHORITY: 0, ADDITIONAL: 0 \n;; QUESTION SECTION:\n;; www.example.com.\tIN\tA\n\n;; ANSWER SECTION:\nwww.example.com.\t300\tIN\tA\t192.0.2.1\n\n;; AUTHORITY SECTION:\n\n;; Query time: 0 msec\n",
    records: ["www 300 A 192.0.2.1"],
  },
  {
    title: "an answer that a key signed",
    text: `${header("NOERROR")}${flags("aa rd")}\n;; ANSWER SECTION:\nwww.example.com. 300 IN A 192.0.2.1\n\n;; TSIG PSEUDOSECTION:\n${signature}\n;; MSG SIZE  rcvd: 149\n`,
    records: ["www 300 A 192.0.2.1"],
  },
  {
    title: "a transfer of several messages that a key signed, in each style of dig's",
    text: [
      "; <<>> DiG 9.18.28 <<>> axfr example.com",
      "example.com. 3600 IN SOA ns1.example.com. h.example.com. 7 3600 600 86400 300",
      signature,
      "www.example.com. 300 IN A 192.0.2.1",
      "tsig.example.com. 300 IN CNAME www.example.com.",
      "key.\t0s\tANY\tTSIG\thmac-sha256. 1796003094 300 32 qWCs= 42065 NOERROR 0 ",
      "mail.example.com. 300 IN A 192.0.2.2",
      "key.\t0 ANY TSIG hmac-sha256. 1796004399 300 32 (\n\t\t\t\t2Gj0= ) 38507 NOERROR 0 ",
      'txt.example.com. 300 IN TXT "TSIG x"',
      "key.\tTSIG\thmac-sha256. 1796004399 300 32 3jmH= 21123 NOERROR 0 ",
      ".\t0\tANY\tSIG\t0 13 0 0 20261130020639 20261130015639 1 key.example.com. 3jmH= ",
      "example.com. 3600 IN SOA ns1.example.com. h.example.com. 7 3600 600 86400 300",
      ";; XFR size: 6 records (messages 5, bytes 336)\n",
    ].join("\n"),
    records: ["www 300 A 192.0.2.1", "tsig 300 CNAME www.example.com", "mail 300 A 192.0.2.2", "txt 300 TXT TSIG x"],
  },
  { title: "the answers alone", text: "www.example.com. 300 IN A 192.0.2.1\n", records: ["www 300 A 192.0.2.1"] },
  { title: "no such name", text: header("NXDOMAIN"), errors: ["Line 4: The server answered NXDOMAIN, not records."] },
  {
    title: "a truncated answer",
    text: `${header("NOERROR")}${flags("aa tc")}\n`,
    errors: ["Line 5: The answer is truncated. Ask again over TCP, with dig +tcp."],
  },
  {
    title: "a refused transfer",
    text: "; <<>> DiG 9.18.28 <<>> axfr example.com\n; Transfer failed.\n",
    errors: ["Line 2: The transfer failed. Allow it at the server, or add the key with dig -y."],
  },
  {
    title: "a transfer that was cut off, before another",
    text: `; <<>> DiG 9.18.28 <<>> @192.0.2.53 example.com AXFR\n${soa}\nwww.example.com. 300 IN A 192.0.2.1\n\n; <<>> DiG 9.18.28 <<>> axfr example.com\n${soa}\n${soa}\n`,
    errors: [`Line 3: ${cutOff}`],
  },
  {
    title: "a transfer that was cut off at the end, printed over several lines",
    text: `; <<>> DiG 9.18.28 <<>> +multi axfr example.com\nexample.com. 3600 IN SOA ns1.example.com. h.example.com. (\n\t7 3600 600 86400 300 )\nwww.example.com. 300 IN A 192.0.2.1`,
    errors: [`Line 4: ${cutOff}`],
  },
  {
    title: "a transfer without any record",
    text: "; <<>> DiG 9.18.28 <<>> axfr example.com\n;; global options: +cmd\n",
    errors: [`Line 1: ${cutOff}`],
  },
  {
    title: "an incremental transfer",
    text: `; <<>> DiG 9.18.28 <<>> example.com IXFR=5\n${soa}\n${soa}\n`,
    errors: ["Line 1: An incremental transfer (IXFR) has only what changed. Transfer the zone with AXFR."],
  },
  {
    title: "no answer",
    text: "; <<>> DiG 9.18.28 <<>> example.com\n;; connection timed out; no servers could be reached\n",
    errors: ["Line 2: No server answered."],
  },
  {
    title: "a name in Unicode",
    text: `${header("NOERROR")}${flags("aa")}\n;; ANSWER SECTION:\nbücher.example.com. 300 IN A 192.0.2.1\n`,
    errors: ["Line 7: dig converted this name to Unicode. Run it with +noidnout."],
  },
];

test.each(files.map((file) => [file.title, file] as const))(
  "what dig printed is read as it is meant, and each reading that is not literal is a warning: %s",
  async (_title, file) => {
    expect(await readFile(file, "dig")).toEqual(meantBy(file));
  },
);

test("the output of dig is recognized, and a zone file with comments is not taken for it", async () => {
  expect((await readText(files[0]?.text ?? "", "auto")).format).toBe("dig");
  expect((await readText(files[5]?.text ?? "", "auto")).format).toBe("dig");
  expect((await readText("; dig it\n;; SECTION\nwww A 192.0.2.1\n", "auto")).format).toBe("zonefile");
});
