import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { parse } from "yaml"

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

test("git ignores what the tour makes in the project's folder", () => {
  const tour = readFileSync(join(root, "docs/first-hour.md"), "utf8")
  const made = [...tour.matchAll(/^(?:cat >|.* -o) ([\w.]+)(?= <<|$)/gm)].map(([, file = ""]) => file)
  expect(made).toEqual(["receiver.ts", "qr.png"])
  const ignored = execFileSync("git", ["check-ignore", ...made], { cwd: root, encoding: "utf8" })
  expect(ignored.trim().split("\n")).toEqual(made)
})

/** What Home Assistant's own documentation has in each part, in November 2026. */
const homeAssistant: Record<string, string[]> = {
  rest_command: ["url", "method", "headers", "content_type", "payload", "timeout"],
  automation: ["alias", "mode", "max", "triggers", "conditions", "actions"],
  rest: ["resource", "headers", "scan_interval", "sensor"],
}

test("each piece of YAML for Home Assistant can be read, and has fields that it knows", () => {
  const page = readFileSync(join(root, "docs/home-assistant.md"), "utf8")
  const pieces = [...page.matchAll(/^( *)```yaml\n([^]*?)^ *```/gm)].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  )
  const secret = { tag: "!secret", resolve: (name: string) => name }
  const read = pieces.map((text) => parse(text, { customTags: [secret] }) as Record<string, object>)
  const strange = read.flatMap((piece) =>
    Object.entries(piece)
      .filter(([part]) => part in homeAssistant)
      .flatMap(([part, all]) =>
        Object.values(all).flatMap((one: object) =>
          Object.keys(one).filter((field) => !homeAssistant[part]!.includes(field)),
        ),
      ),
  )
  expect(strange).toEqual([])
  expect(new Set(read.flatMap((piece) => Object.keys(piece)))).toEqual(
    new Set([...Object.keys(homeAssistant), "messaging_bridge", "conditions"]),
  )
})

/** All but this file, which has the patterns. */
const sources = globSync(
  "{admin,billing,contract,core,dashboard,functions,infra,one-machine,packages,session-host,test,trials}/**/*.ts",
  {
    cwd: root,
    exclude: ["test/one-machine/documents.test.ts", "infra/node_modules/**"],
  },
)
const decisions = documents.filter((path) => path.startsWith("docs/decisions/"))

/**
 * The headings of `docs/contract.md` that a text cites: `Contract, "Delivery"`, or several joined by "and".
 */
function cited(text: string): string[] {
  const citations = text.matchAll(/Contract, "[^"\n]+"(?: and "[^"\n]+")*/g)
  return [...citations].flatMap(([citation]) =>
    [...citation.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
  )
}

test("the contract has a heading for every rule that is cited, and no other", () => {
  const page = readFileSync(join(root, "docs/contract.md"), "utf8")
  const headings = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading)
  const names = [...sources, ...decisions].flatMap((path) => cited(readFileSync(join(root, path), "utf8")))
  expect(new Set(headings).size).toBe(headings.length)
  expect(new Set(names)).toEqual(new Set(headings))
})

test("no comment cites a page that the repository does not have", () => {
  const foreign = /Contract,$|§\d|\b(?:decisions|design|reliability),(?: "|$)|\bSpec \d|the specification/m
  const citing = sources.filter((path) => foreign.test(readFileSync(join(root, path), "utf8")))
  expect(citing).toEqual([])
})
