import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"

const root = new URL("../../", import.meta.url).pathname
const documents = globSync("**/*.md", { cwd: root, exclude: ["**/node_modules/**", ".sst/**"] })

/** The anchors of a document's headings, as GitHub makes them. */
function anchorsOf(path: string): Set<string> {
  const text = readFileSync(path, "utf8").replaceAll(/^```.*?^```/gms, "")
  return new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}

test.for(documents)("every link of %s leads somewhere in the project", (document) => {
  const text = readFileSync(join(root, document), "utf8")
  const lost = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].filter(
    ([, file, anchor]) => {
      const target = file ? join(root, dirname(document), file) : join(root, document)
      if (!existsSync(target)) return true
      return anchor !== undefined && !anchorsOf(target).has(anchor)
    },
  )
  expect(lost.map(([link]) => link)).toEqual([])
})

test("every file that the page of words names is there", () => {
  const page = readFileSync(join(root, "docs/words.md"), "utf8")
  const files = [...page.matchAll(/`([\w-]+(?:\/[\w.-]+)+)`/g)].map(([, file = ""]) => file)
  expect(files.length).toBeGreaterThan(50)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})
