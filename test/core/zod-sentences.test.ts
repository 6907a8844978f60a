import "#core/platform/zod-sentences.ts"
import { expect, test } from "vitest"
import { z } from "zod"

test.for([
  ["a field that is not there", z.string(), undefined, "is missing"],
  ["a number for a text", z.string(), 7, "must be a string"],
  ["a text for a number", z.coerce.number(), "many", "must be a number"],
  ["a fraction", z.int(), 1.5, "must be a whole number"],
  ["a text for true", z.boolean(), "yes", "must be true or false"],
  ["a text for a list", z.array(z.string()), "a", "must be an array"],
  ["an empty text", z.string().min(1), "", "must not be empty"],
  ["an empty list", z.array(z.string()).min(1), [], "must not be empty"],
  ["a short list", z.array(z.string()).min(2), ["a"], "must have at least 2 entries"],
  ["a long text", z.string().max(3), "long", "must have at most 3 characters"],
  ["a small number", z.number().min(1), 0, "must be at least 1"],
  ["a large number", z.int().max(12), 13, "must be at most 12"],
  ["another word", z.enum(["on", "off"]), "up", 'must be "on" or "off"'],
  ["a wrong name", z.record(z.string().max(3), z.string()), { long: "" }, "must have at most 3 characters"],
  ["no URL", z.url(), "here", "must be a URL"],
] as const)("%s is told in the words of the person who gave it", ([, schema, given, sentence]) => {
  expect(schema.safeParse(given).error?.issues.map(({ message }) => message)).toEqual([sentence])
})
