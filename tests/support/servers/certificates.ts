import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mustRun } from "../programs.ts";

/** A certificate with its key: PEM texts. */
interface Certified {
  certificate: string;
  key: string;
}

/** An authority that signs certificates for tests. */
export interface Authority extends Certified {
  /** @param name its common name; also its only host, unless others are given: DNS names or addresses */
  sign(name: string, wish?: { names?: readonly string[]; days?: number }): Promise<Certified>;
}

export async function newAuthority(name: string): Promise<Authority> {
  const own = await inFolder((folder) => make(folder, name, 2, ["-addext", "basicConstraints=critical,CA:TRUE"]));
  return {
    ...own,
    sign: (subject, { names = [subject], days = 2 } = {}) =>
      inFolder(async (folder) => {
        const files = { "ca.crt": own.certificate, "ca.key": own.key };
        const signing = await Promise.all(Object.entries(files).map(([file, text]) => put(folder, file, text)));
        const [certificate = "", key = ""] = signing;
        return await make(folder, subject, days, [
          "-CA",
          certificate,
          "-CAkey",
          key,
          "-addext",
          `subjectAltName=${names.map((name) => `${isIP(name) === 0 ? "DNS" : "IP"}:${name}`).join(",")}`,
        ]);
      }),
  };
}

async function make(folder: string, name: string, days: number, options: readonly string[]): Promise<Certified> {
  const [certificate, key] = [join(folder, "new.crt"), join(folder, "new.key")];
  const keys = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key];
  await mustRun("openssl", [
    "req",
    "-x509",
    ...keys,
    "-out",
    certificate,
    "-days",
    String(days),
    "-subj",
    `/CN=${name}`,
    ...options,
  ]);
  return { certificate: await readFile(certificate, "utf8"), key: await readFile(key, "utf8") };
}

async function put(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "zonewright-certificates-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
