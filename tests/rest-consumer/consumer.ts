import createClient from "openapi-fetch";
import type { paths } from "./schema.js";

const [, , baseUrl = "", username = "", password = ""] = process.argv;

const api = createClient<paths>({ baseUrl });
const signedIn = await api.POST("/auth/login", { body: { username, password, rememberMe: false } });
if (!signedIn.data || !("accessToken" in signedIn.data)) throw new Error("not signed in");
const headers = { authorization: `Bearer ${signedIn.data.accessToken}` };

const created = await api.POST("/domains", { headers, body: { name: "consumer.example" } });
if (!created.data) throw new Error(created.error.detail);
const { id } = created.data;
const made = await api.POST("/domains/{id}/records", {
  headers,
  params: { path: { id } },
  body: { recordType: "A", name: "www", value: "192.0.2.1", ttl: 300 },
});
const refused = await api.POST("/domains/{id}/records", {
  headers,
  params: { path: { id } },
  body: { recordType: "A", name: "www", value: "192.0.2.999" },
});
const list = await api.GET("/domains/{id}/records", { headers, params: { path: { id }, query: { type: "A" } } });
const value: string | undefined = list.data?.records[0]?.value;
// @ts-expect-error -- would pass if the answers were any.
list.data?.colour;

process.stdout.write(JSON.stringify({ version: made.data?.version, refused: refused.error?.code, value }));
