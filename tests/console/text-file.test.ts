import { expect, test } from "vitest";
import { textOfFile } from "../../web/src/ui/text-file.ts";

test("a file in Latin-1 is read with its accents, and one that is no text or too large is refused", async () => {
  const latin = new File([Buffer.from('www 300 TXT "café"\n', "latin1")], "latin.txt");
  expect(await textOfFile(latin)).toEqual({ ok: true, text: 'www 300 TXT "café"\n', isLatin1: true });
  expect(await textOfFile(new File([Buffer.from([80, 75, 0, 0])], "zones.zip"))).toEqual({ ok: false, why: "notText" });
  expect(await textOfFile(new File([Buffer.alloc(16 * 1024 * 1024 + 1, 32)], "large.txt"))).toEqual({
    ok: false,
    why: "tooLarge",
  });
});
