import { execFile, execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, test } from "vitest"
import { openapi } from "#contract/openapi.ts"
import { exampleCalls } from "#contract/reference/example-calls.ts"
import { service } from "./shop.ts"

const folder = new URL("../../../.data-clients", import.meta.url).pathname

/** What these end is needed by the others. */
const last = ["logout", "removeKey", "removeBridge"]
const lastIsLast = (a: string, b: string) => last.indexOf(a) - last.indexOf(b)

const examples = exampleCalls(openapi())
const names = Object.keys(examples).toSorted(lastIsLast)
const runsTypeScript = new URL("examples/run.mjs", import.meta.url).pathname
const runsPython = new URL("examples/run.py", import.meta.url).pathname
const there = join(folder, "examples")

/** Runs a program among the examples, with a bridge `shop` of its own. @returns what it prints */
async function among(command: string, ...args: string[]): Promise<string> {
  const { key, linked } = await service.customer(command)
  await linked("shop", (await service.network.create("Owner")).number)
  const env = {
    ...process.env,
    BRIDGE_URL: service.baseUrl,
    URL: service.baseUrl,
    BRIDGE_KEY: key,
    KEY: key,
    PYTHONDONTWRITEBYTECODE: "1",
  }
  return (await promisify(execFile)(command, args, { cwd: there, env, timeout: 280_000 })).stdout
}

type Statuses = Record<string, unknown>

/** Each example in a shell. What the SDKs try again is tried again here. */
async function inShell(): Promise<Statuses> {
  const script = `curl() { command curl -sS -w '\\n%{http_code}' --max-time $most --retry 4 "$@" | tail -n 1; }
    for name in ${names.join(" ")}; do
      most=60; [ $name = streamLogs ] && most=3
      echo $name $(. ./$name.sh 2>/dev/null)
    done`
  const lines = (await among("bash", "-c", script)).trim().split("\n")
  return Object.fromEntries(
    lines
      .map((line) => line.split(" "))
      .map(([name, code]) => [name, Number(code) < 300 ? 200 : Number(code)]),
  )
}

test("each example of the reference holds its types, and answers alike in curl, TypeScript and Python", async () => {
  mkdirSync(there, { recursive: true })
  for (const [name, calls] of Object.entries(examples))
    for (const { ending, text } of calls) writeFileSync(join(there, `${name}.${ending}`), text)
  const root = new URL("../../../", import.meta.url).pathname
  const files = names.map((name) => join(there, `${name}.ts`))
  const options = ["--noEmit", "--strict", "--ignoreConfig", "--module", "nodenext", "--types", "node"]
  execFileSync("npx", ["--no", "--", "tsc", ...options, ...files], { cwd: root, stdio: "inherit" })

  const python = process.env.PYTHON
  const [curl, typescript, inPython] = await Promise.all([
    inShell(),
    among(process.execPath, runsTypeScript, ...names).then((said) => JSON.parse(said) as Statuses),
    python === undefined
      ? undefined
      : among(python, runsPython, ...names).then((said) => JSON.parse(said) as Statuses),
  ])
  expect(Object.keys(curl)).toEqual(names)
  expect(typescript).toEqual(curl)
  if (python === undefined) return
  expect(inPython).toEqual(curl)
  const modules = names.map((name) => join(there, `${name}.py`))
  const strict = ["--strict", "--cache-dir", join(folder, "mypy"), "--scripts-are-modules"]
  execFileSync(python, ["-m", "mypy", ...strict, ...modules], { stdio: "inherit" })
}, 300_000)
