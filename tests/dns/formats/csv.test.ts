import { expect, test } from "vitest";
import { writingIn } from "../../../server/dns/formats/formats.ts";
import { initialSoa } from "../../../server/dns/zone-file/contents.ts";
import { atOnce } from "../../../server/platform/slices.ts";
import { meantBy, readFile, readText, writtenRecord, type FormatFile } from "../../support/records/format-readings.ts";

const files: FormatFile[] = [
  {
    title: "all columns, quotes, an empty TTL, and host names with and without the final dot",
    text: 'name,type,ttl,priority,value\n@,MX,300,10,mail.example.net\n,MX,300,20,Mail2.example.net.\nwww,A,,,192.0.2.1\n"txt",TXT,60,,"v=spf1 ""a"", -all"\nwww.example.com.,AAAA,60,,2001:DB8::0\n_sip._tcp,SRV,60,0,5 5060 sip.example.net\n',
    records: [
      "@ 300 MX 10 mail.example.net",
      "@ 300 MX 20 Mail2.example.net",
      "www 3600 A 192.0.2.1",
      'txt 60 TXT v=spf1 "a", -all',
      "www 60 AAAA 2001:db8::",
      "_sip._tcp 60 SRV 0 5 5060 sip.example.net",
    ],
  },
  {
    title: "semicolons, a byte order mark, CRLF and headers in other words and order",
    text: "\uFEFFRecord Type;Host;Points to;TTL (seconds);Weight;Port;Prio\r\nA;www;192.0.2.1;300;;;\r\nSRV;_sip._tcp;sip.example.net;300;5;5060;1\r\n",
    records: ["www 300 A 192.0.2.1", "_sip._tcp 300 SRV 1 5 5060 sip.example.net"],
  },
  {
    title: "columns that mean nothing here are named",
    text: "id,name,type,value,modified,content\n7,www,A,192.0.2.1,2026-01-01,x\n",
    records: ["www 3600 A 192.0.2.1"],
    warnings: [
      'Line 1: The column "id" is left out.',
      'Line 1: The column "modified" is left out.',
      'Line 1: The column "content" is left out: another one is read as the value.',
    ],
  },
  {
    title: "no header: the columns are guessed by what is in them",
    text: "www,A,300,192.0.2.1,\n@,MX,300,mail.example.net,10\n\n# a remark\ntxt,TXT,60,hello,\n",
    records: ["www 300 A 192.0.2.1", "@ 300 MX 10 mail.example.net", "txt 60 TXT hello"],
    warnings: ["Line 1: Without a header, the columns are read as name, type, ttl, value, priority."],
  },
  {
    title: "names that begin like a remark or a formula, quoted or with escapes",
    text: 'name,type,ttl,priority,value\n"#www.example.com.",A,300,,192.0.2.1\n\\035a,A,300,,192.0.2.2\n#b,A,300,,192.0.2.3\n\\061c,A,300,,192.0.2.4\n',
    records: ["#www 300 A 192.0.2.1", "#a 300 A 192.0.2.2", "=c 300 A 192.0.2.4"],
  },
  {
    title: "a quoted name that is not one",
    text: 'name,type,ttl,priority,value\n"#www",A,300,,192.0.2.1\n',
    errors: [
      'Line 2: The record name must look like "www", "*.dev" or "@", but "#www" contains something other than letters, digits, hyphens and underscores.',
    ],
  },
  {
    title: "no header, with a class and no TTLs",
    text: "IN,A,www,192.0.2.1\nIN,AAAA,www,2001:db8::1\n",
    records: ["www 3600 A 192.0.2.1", "www 3600 AAAA 2001:db8::1"],
    warnings: ["Line 1: Without a header, the columns are read as type, name, value."],
  },
  {
    title: "no header, and columns that could be either",
    text: "mx,A,192.0.2.1\n",
    errors: [
      "Line 1: What the columns mean is unclear. Add a first line that names them, such as name,type,ttl,priority,value.",
    ],
  },
  {
    title: "a header without names",
    text: "type,value\nA,192.0.2.1\n",
    errors: ['Line 1: The table has no column "name". Name its columns: name, type, ttl, priority, value.'],
  },
  {
    title: "TTLs in words and units, and several values in one cell",
    text: 'name,type,ttl,value\na,A,Auto,192.0.2.1\nb,A,1 hour,192.0.2.2\nc,A,5m,"192.0.2.3\n192.0.2.4"\n',
    records: ["a 3600 A 192.0.2.1", "b 3600 A 192.0.2.2", "c 300 A 192.0.2.3", "c 300 A 192.0.2.4"],
    warnings: [
      'Line 2: The TTL "Auto" is read as 3600.',
      'Line 3: The TTL "1 hour" is read as 3600.',
      'Line 4: The TTL "5m" is read as 300.',
      "Line 4: The 2 lines of the value are read as records of their own.",
    ],
  },
  {
    title: "disabled and proxied records, and comments",
    text: "name,type,ttl,value,proxied,status,comment\na,A,1,192.0.2.1,true,active,front\nb,A,300,192.0.2.2,no,disabled,\nc,A,300,192.0.2.3,DNS only,,\n",
    records: ["a 1 A 192.0.2.1 proxied ; front", "c 300 A 192.0.2.3 unproxied"],
    disabled: ["b 300 A 192.0.2.2 unproxied"],
    options: { supportsProxied: true, automaticTtl: 1 },
  },
  {
    title: "texts in quotes of a zone file, and data as in a zone file",
    text: 'name,type,value\na,TXT,"""v=spf1 -all"""\nb,TXT,"""one"" ""two"""\nc,TXT,""""""\nd,CAA,"0 issue ""ca.example.net"""\ne,HINFO,"""cpu"" ""os"""\nf,CNAME,www\n',
    records: [
      "a 3600 TXT v=spf1 -all",
      'b 3600 TXT onetwo ["one","two"]',
      "c 3600 TXT ",
      "d 3600 CAA 0 issue ca.example.net",
      'e 3600 HINFO "cpu" "os"',
      "f 3600 CNAME www",
    ],
    warnings: ["Line 2: Quotes around a text are read as those of a zone file, not as part of the text."],
  },
  {
    title: "faults of rows are all named, with their lines",
    text: "name,type,ttl,priority,value,proxied,status\na,,60,,192.0.2.1\nb,ABC,60,,x\nc,A,soon,,192.0.2.1\nd,A,60,,\ne,MX,60,high,mail.example.net\nf,A,60,,192.0.2.1,maybe\ng,A,60,,192.0.2.1,,gone\nh,A,60,,192.0.2.1,,,more\ni..j,A,60,,192.0.2.1\nk.example.org.,A,60,,192.0.2.1\nl,A,60,,192.0.2\n",
    errors: [
      "Line 2: The row has no type.",
      'Line 3: "ABC" is not a known record type.',
      'Line 4: "soon" is not a valid time; use seconds, or numbers with the units w, d, h, m and s, such as 1h30m.',
      "Line 5: The value is missing.",
      'Line 6: The priority must be a number, not "high".',
      'Line 7: Whether a record is proxied must be true or false, not "maybe".',
      'Line 8: The status must be active or disabled, not "gone".',
      "Line 9: The row has 8 cells, but the table has 7 columns. Put a cell with a comma into quotes.",
      'Line 10: The record name must look like "www", "*.dev" or "@", but it has an empty label (an extra dot).',
      'Line 11: The name "k.example.org" is outside the zone example.com.',
      'Line 12: The A value must be an IPv4 address of four numbers from 0 to 255, such as "192.0.2.1".',
    ],
  },
  {
    title: "a quote that is never closed",
    text: 'name,type,value\na,A,192.0.2.1\nb,TXT,"never\nc,A,192.0.2.2\n',
    errors: [
      "Line 3: A quote in the row that begins here is never closed, has text after it, or closes too far away. Write a quote within quotes twice.",
    ],
  },
  { title: "nothing at all", text: "" },
];

test.each(files.map((file) => [file.title, file] as const))(
  "a table of records is read as it is meant, and each reading that is not literal is a warning: %s",
  async (_title, file) => {
    expect(await readFile(file, "csv")).toEqual(meantBy(file));
  },
);

test("a table with tabs between its cells is read like one with commas", async () => {
  const text = 'name\ttype\tttl\tvalue\nwww\tA\t300\t192.0.2.1\ntxt\tTXT\t300\t"a\tb"\n';
  expect(await readFile({ title: "", text }, "tsv")).toMatchObject({
    records: ["www 300 A 192.0.2.1", "txt 300 TXT a\tb"],
    warnings: [],
  });
});

test.each([
  ["name,type,value\n", "csv"],
  ["\uFEFF\r\nHost;Record Type;Content\r\n", "csv"],
  ["www,A,192.0.2.1\n", "csv"],
  ["Name\tType\tData\n", "tsv"],
  ["www\tA\t192.0.2.1\n", "zonefile"],
  ["www IN TXT a,A,b\n", "zonefile"],
  ["; name,type,value\nwww A 192.0.2.1\n", "zonefile"],
])("a table is recognized by its header or first row: %j is %s", async (text, format) => {
  expect((await readText(text, "auto")).format).toBe(format);
});

test("a table has only the columns that its records need, and values as clients write them", async () => {
  const soa = initialSoa("example.com", new Date(0));
  const records = [
    writtenRecord("@", "MX", "10 mail.example.net"),
    writtenRecord("www", "A", "192.0.2.1", { proxied: true, comment: 'the "front", mostly' }),
    writtenRecord("old", "A", "192.0.2.2", { status: "disabled" }),
    writtenRecord("txt", "TXT", "a, b"),
  ];
  const content = { zone: "example.com", soa, records };
  expect(atOnce(await writingIn("csv", { ...content, records: records.slice(0, 1) })).join("")).toBe(
    "name,type,ttl,priority,value\n@,MX,300,10,mail.example.net\n",
  );
  expect(atOnce(await writingIn("csv", content)).join("")).toBe(`name,type,ttl,priority,value,proxied,status,comment
@,MX,300,10,mail.example.net,false,active,
old,A,300,,192.0.2.2,false,disabled,
txt,TXT,300,,"a, b",false,active,
www,A,300,,192.0.2.1,true,active,"the ""front"", mostly"
`);
});
