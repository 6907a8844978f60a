import { globSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import english from "#dashboard/linking/link-words/en.json" with { type: "json" }
import { wordsIn } from "#dashboard/linking/link-words/words.ts"

const folder = new URL("../../dashboard/linking/link-words/", import.meta.url).pathname
const files = globSync("*.json", { cwd: folder })
const read = (file: string): unknown => JSON.parse(readFileSync(folder + file, "utf8"))

/** What is filled in, by sentence. */
const gapsOf = (file: unknown) =>
  Object.entries(wordsIn(file)).map(([name, said]) => [
    name,
    typeof said === "string" ? said.match(/\{\w+\}/g)?.toSorted() : undefined,
  ])

test.for(files)("%s has every sentence, with the gaps that English has", (file) => {
  expect(Object.fromEntries(gapsOf(read(file)))).toMatchObject(Object.fromEntries(gapsOf(english)))
})

test("a language without one of the sentences is refused, and so is one with a sentence more", () => {
  const { title: _, ...sentences } = english.sentences
  expect(() => wordsIn({ ...english, sentences })).toThrow("title")
  expect(() => wordsIn({ ...english, sentences: { ...english.sentences, titel: "" } })).toThrow("titel")
})
