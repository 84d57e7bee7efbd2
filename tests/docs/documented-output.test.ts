import { describe, expect, test } from "vitest";
import { shellSteps, wrongOutputs } from "../support/pages/shell-examples.ts";
import { outputDifferences } from "../support/pages/documented-output.ts";

describe("documented output with gaps", () => {
  test.each([
    ["ok", "ok\n"],
    ["from … on", "from 1 on"],
    ['{"id":"…","name":"www",…}', '{"name":"www","id":"01a","ttl":60}'],
    ['{"token":"zw_pt_…"}', '{"token":"zw_pt_abc"}'],
    ['{"list":[1,…],\n  "open":{…}}', '{"list":[1,2],"open":{"a":1}}'],
    ["[ 'a' ]", "[ 'a' ]"],
  ])("the documented output %j matches %j", (reported, printed) => {
    expect(outputDifferences(reported, printed)).toEqual([]);
  });

  test.each([
    ["ok", "not ok"],
    ["a.c", "abc"],
    ['{"id":"…"}', '{"id":"01a","more":1}'],
    ['{"id":1,"name":"www"}', '{"id":1}'],
    ['{"list":[1]}', '{"list":[1,2]}'],
    ['{"list":[1,2,3,…]}', '{"list":[1,2]}'],
    ['{"ttl":"60"}', '{"ttl":60}'],
    ['{"plan":{…}}', '{"plan":null}'],
    ['{"ok":true}', "an error"],
  ])("the documented output %j does not match %j", (reported, printed) => {
    expect(outputDifferences(reported, printed)).not.toEqual([]);
  });
});

test("a comment below a command documents its output, and one above only introduces it", () => {
  const steps = shellSteps("# Look.\na \\\n  -d 1\n# 1\n#  2\nb\n\n# Else.\nc\n");
  expect(steps).toEqual([
    { commands: "a \\\n  -d 1", reported: "1\n 2" },
    { commands: "b", reported: null },
    { commands: "c", reported: null },
  ]);
});

test("an error of the service fails an example whose output is not documented", () => {
  const [step] = shellSteps("call /nowhere");
  expect(wrongOutputs(step ? [step] : [], ['{"code":"NOT_FOUND","requestId":"1"}'])).toHaveLength(1);
  expect(wrongOutputs(step ? [step] : [], ['{"id":"1"}'])).toEqual([]);
});
