import express, { type ErrorRequestHandler } from "express";
import type { AddressInfo } from "node:net";
import { watchLoop } from "./support/loop-delay.ts";

/** The baseline of hostile bodies: a server without our limits. Parses JSON up to 16 MiB, and splits a zone file into words in one go. */
const app = express();
app.use(express.json({ limit: "16mb" }));
app.use((req, res) => {
  const { zonefile } = req.body as { zonefile?: unknown };
  const lines = typeof zonefile === "string" ? zonefile.split("\n").filter((line) => !line.startsWith(";")) : [];
  const records = lines.map((line) => {
    const [name, type, ...value] = line.trim().split(/\s+/);
    return { name, type, value: value.join(" ") };
  });
  res.json({ read: records.length });
});
const refuse: ErrorRequestHandler = (_error, _req, res, _next) => {
  res.status(400).json({ read: false });
};
app.use(refuse);
const server = app.listen(0, "127.0.0.1", () => {
  watchLoop();
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
