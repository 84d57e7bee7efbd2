import { afterAll, beforeAll, expect, test } from "vitest";
import { startRoute53, type Route53Server } from "../../support/vendors/route53/server.ts";
import { signatureOf } from "../../support/vendors/route53/signature.ts";

// The server of these tests must not take what Route 53 would refuse.

let server: Route53Server;
let zoneId: string;
beforeAll(async () => {
  server = await startRoute53();
  zoneId = server.addZone("strict.example");
});
afterAll(() => server.stop());

interface Sent {
  method?: string;
  path?: string;
  body?: string;
  /** The signed body, if it differs from the one that is sent. */
  signed?: string;
  at?: Date;
}

async function send({ method = "POST", path = `/${zoneId}/rrset`, body = "", signed = body, at = new Date() }: Sent) {
  const date = at.toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const url = new URL(`/2013-04-01/hostedzone${path}`, server.url);
  const headers = { host: url.host, "x-amz-date": date };
  const scope = { secretAccessKey: server.secretAccessKey, date, region: "us-east-1", service: "route53" };
  const signedHeaders = Object.keys(headers);
  const signature = signatureOf(
    { method, target: url.pathname + url.search, headers, body: signed },
    { ...scope, signedHeaders },
  );
  const credential = `${server.accessKeyId}/${date.slice(0, 8)}/us-east-1/route53/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${signedHeaders.join(";")}, Signature=${signature}`;
  const answer = await fetch(url, {
    method,
    headers: { "x-amz-date": date, authorization, "content-type": "application/xml" },
    ...(body === "" ? {} : { body }),
  });
  const text = await answer.text();
  return { status: answer.status, code: /<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? null, text };
}

function batch(changes: string, root = "ChangeResourceRecordSetsRequest"): string {
  const inner = `<ChangeBatch><Changes>${changes}</Changes></ChangeBatch>`;
  return `<${root} xmlns="https://route53.amazonaws.com/doc/2013-04-01/">${inner}</${root}>`;
}

function change(action: string, set: string): string {
  return `<Change><Action>${action}</Action><ResourceRecordSet>${set}</ResourceRecordSet></Change>`;
}

function rrset(name: string, type: string, ...values: string[]): string {
  const records = values.map((value) => `<ResourceRecord><Value>${value}</Value></ResourceRecord>`).join("");
  return `<Name>${name}.strict.example</Name><Type>${type}</Type><TTL>60</TTL><ResourceRecords>${records}</ResourceRecords>`;
}

const good = batch(change("CREATE", rrset("www", "A", "192.0.2.1")));

test("the stand-in for Route 53 makes a well-formed change", async () => {
  expect(await send({ body: good })).toMatchObject({ status: 200, code: null });
  expect(server.lines(zoneId)).toContain("www.strict.example. A 60 192.0.2.1");
});

test.each<[string, Sent, number, string]>([
  ["a body that was altered", { body: good, signed: "other" }, 403, "SignatureDoesNotMatch"],
  ["a signature of an hour ago", { body: good, at: new Date(Date.now() - 3_600_000) }, 403, "SignatureDoesNotMatch"],
  ["no XML", { body: "{}" }, 400, "MalformedXML"],
  ["another document", { body: batch("", "OtherRequest") }, 400, "InvalidInput"],
  [
    "an element that is not described",
    { body: batch(change("CREATE", `${rrset("x", "A", "192.0.2.1")}<Colour>red</Colour>`)) },
    400,
    "InvalidInput",
  ],
  ["an empty batch", { body: batch("") }, 400, "InvalidChangeBatch"],
  ["a bad address", { body: batch(change("CREATE", rrset("x", "A", "192.0.2"))) }, 400, "InvalidChangeBatch"],
  ["a text without quotes", { body: batch(change("CREATE", rrset("x", "TXT", "bare"))) }, 400, "InvalidChangeBatch"],
  [
    "a long string",
    { body: batch(change("CREATE", rrset("x", "TXT", `"${"t".repeat(256)}"`))) },
    400,
    "InvalidChangeBatch",
  ],
  [
    "a CNAME beside others",
    { body: batch(change("CREATE", rrset("www", "CNAME", "a.example"))) },
    400,
    "InvalidChangeBatch",
  ],
  ["what is there already", { body: good }, 400, "InvalidChangeBatch"],
  [
    "the deletion of other values",
    { body: batch(change("DELETE", rrset("www", "A", "192.0.2.2"))) },
    400,
    "InvalidChangeBatch",
  ],
  [
    "more than a batch may hold",
    {
      body: batch(
        Array.from({ length: 501 }, (_, index) => change("UPSERT", rrset(`h${index}`, "A", "192.0.2.1"))).join(""),
      ),
    },
    400,
    "InvalidChangeBatch",
  ],
  ["an unknown zone", { body: good, path: "/Z0/rrset" }, 404, "NoSuchHostedZone"],
])("the stand-in for Route 53 refuses %s", async (_what, sent, status, code) => {
  expect(await send(sent)).toMatchObject({ status, code });
});

test("the stand-in for Route 53 refuses a call without a signature", async () => {
  expect((await fetch(`${server.url}/2013-04-01/hostedzone`)).status).toBe(403);
});
