import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { matchesGlob } from "node:path"
import { type Node, parseSync, Visitor } from "oxc-parser"
import { expect, test } from "vitest"

const root = new URL("../", import.meta.url)

/** The project's files, also those that are not committed yet. */
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(new URL(path, root)))
const textOf = (path: string) => readFileSync(new URL(path, root), "utf8")
const lines = (text: string) => text.split("\n")

/** The sources, without the one that is generated. */
const sources = files
  .filter((path) => /\.(?:ts|mjs|js)$/.test(path) && path !== "packages/sdk-typescript/src/generated.ts")
  .map((path) => {
    const text = textOf(path)
    const { program, comments } = parseSync(path, text)
    return { path, text, program, comments }
  })

/** The name that a call begins with: of `test.for(cases)("...", run)` it is `test`. */
function calledName(node: Node): string | undefined {
  if (node.type === "CallExpression") return calledName(node.callee)
  if (node.type === "MemberExpression") return calledName(node.object)
  return node.type === "Identifier" ? node.name : undefined
}

test("a comment has at most 110 columns", () => {
  const long = sources.flatMap(({ path, text, comments }) =>
    comments
      .flatMap(({ start, end }) => lines(text.slice(text.lastIndexOf("\n", start) + 1, end)))
      .filter((line) => line.length > 110)
      .map((line) => `${path}: ${line.trim()}`),
  )
  expect(long).toEqual([])
})

test("a function has at most 70 lines, but one that only holds tests", () => {
  const long = sources.flatMap(({ path, text, program }) => {
    const found: string[] = []
    const holders = new Set<Node>()
    const look = (node: Node) => {
      const { length } = lines(text.slice(node.start, node.end))
      if (length > 70 && !holders.has(node))
        found.push(`${path}:${lines(text.slice(0, node.start)).length}: ${length} lines`)
    }
    new Visitor({
      CallExpression(call) {
        if (calledName(call) === "describe") for (const given of call.arguments) holders.add(given)
      },
      FunctionDeclaration: look,
      FunctionExpression: look,
      ArrowFunctionExpression: look,
    }).visit(program)
    return found
  })
  expect(long).toEqual([])
})

test("a test's name has at most 100 characters", () => {
  const long = sources.flatMap(({ path, text, program }) => {
    const found: string[] = []
    new Visitor({
      CallExpression(call) {
        const [name] = call.arguments
        if (!name || !["test", "describe"].includes(calledName(call) ?? "")) return
        if (name.type !== "Literal" && name.type !== "TemplateLiteral") return
        const written = text.slice(name.start + 1, name.end - 1)
        if (written.length > 100) found.push(`${path}: ${written}`)
      },
    }).visit(program)
    return found
  })
  expect(long).toEqual([])
})

// A message that goes out carries rows of its session through the port.
test.for([
  { within: "", both: [] },
  { within: "session-host/", both: ["memory network", "network memory"] },
])("of two folders in /$within one does not import the other, not even its types", ({ within, both }) => {
  const roomOf = (path: string) =>
    path.startsWith(within) ? /^([\w-]+)\//.exec(path.slice(within.length))?.[1] : undefined
  const ways = new Set(
    sources.flatMap(({ path, text }) =>
      [...text.matchAll(/(?:from |import |import\()"([#.][^"]+)"/g)].flatMap(([, to = ""]) => {
        const imported = new URL(to.replace("#", "/"), `file:///${path}`).pathname.slice(1)
        const [from, at] = [roomOf(path), roomOf(imported)]
        return from && at && from !== at ? `${from} ${at}` : []
      }),
    ),
  )
  const found = [...ways].filter((way) => ways.has(way.split(" ").toReversed().join(" ")))
  expect(found.toSorted()).toEqual(both)
})

const folders = new Set(
  files.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
)
const paths = [...files, ...folders]

/** In a reader's own project, or not in git. */
const elsewhere = ["app/hook/route.ts", ".sst/**", "node_modules/**"]

/** `a/{b,c}` as `a/b` and `a/c`. */
function expanded(pattern: string): string[] {
  const [braces, inside] = /\{([^{}]*)\}/.exec(pattern) ?? []
  if (braces === undefined || inside === undefined) return [pattern]
  return inside.split(",").flatMap((one) => expanded(pattern.replace(braces, () => one)))
}

const isInFolder = (path: string) => folders.has(path.split("/")[0] ?? "")

/** Paths begin with a folder of the root, or end as our files do; in settings, patterns are paths, too. */
function pathsIn(text: string, isSettings: boolean): string[] {
  return text
    .split(/[\s"'`()[\]<>]+/)
    .map((word) => word.replaceAll(isSettings ? /^\.?\/|[/.,:;]*$/g : /^\.\/|[/.,:;]*$/g, ""))
    .filter((word) => /^[\w@*{},.-]+\/[\w@*{},./-]+$/.test(word) && !word.startsWith(".."))
    .flatMap(expanded)
    .filter(
      (path) =>
        isInFolder(path) || /\.(?:ts|mjs|js|json|md)$/.test(path) || (isSettings && path.includes("*")),
    )
}

/** Whether it is there: from the root, or anywhere if the root has no folder of its first name. */
function isThere(path: string): boolean {
  if (elsewhere.includes(path)) return true
  if (path.includes("*")) return files.some((one) => matchesGlob(one, path.replace(/\/\*$/, "/**")))
  return paths.includes(path) || (!isInFolder(path) && paths.some((one) => one.endsWith(`/${path}`)))
}

test.for(files.filter((path) => path.endsWith(".md")))("what %s names is there", (path) => {
  const named = pathsIn(textOf(path), false)
  expect(named.filter((one) => !isThere(one))).toEqual([])
})

test.for([
  "package.json",
  "knip.json",
  "tsconfig.json",
  ".oxlintrc.json",
  "vitest.config.ts",
  ".ci/run",
  "compose.yaml",
])("what %s names is there", (path) => {
  const named = pathsIn(textOf(path), true)
  expect(named.filter((one) => !isThere(one))).toEqual([])
})

test.for(files.filter((path) => /Dockerfile$|\.dockerignore$/.test(path)))(
  "what %s copies is there",
  (path) => {
    const copied = [...textOf(path).matchAll(/^(?:COPY (?!--)(.+) \S+|!(.+))$/gm)].flatMap(
      ([, names, name]) => names?.split(" ") ?? name!,
    )
    expect([...copied, ...pathsIn(textOf(path), false)].filter((one) => !isThere(one))).toEqual([])
  },
)
