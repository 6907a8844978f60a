import { execFile } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect } from "vitest"
import { z } from "zod"
import { patiently, Unexpected } from "#one-machine/api-client.ts"
import type { Stage } from "./stage.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const run = promisify(execFile)

/** The verbs that move bridges, and what their file is sealed under. */
const moves = new Set(["export", "import", "undo-import", "take-back"])
export const movePassphrase = "the passphrase of a rehearsal"

/**
 * A verb of `npm run admin`, with the settings that the line of docs/deploy.md reads, and the operator's
 * policy for it.
 * @throws where it fails, with what it said
 */
export async function admin(stage: Stage, ...words: string[]): Promise<Record<string, unknown>[]> {
  const role = moves.has(words[0]!) ? "MovePolicy" : "AdminPolicy"
  const folder = mkdtempSync(join(tmpdir(), "operator-"))
  try {
    const told = (await stage.settings(role)).map(({ name, value }) => `${name}\t${value}\n`)
    writeFileSync(join(folder, "told"), told.join(""))
    writeFileSync(join(folder, "aws"), `#!/bin/sh\ncat ${join(folder, "told")}\n`)
    chmodSync(join(folder, "aws"), 0o755)
    const page = readFileSync(join(root, "docs/deploy.md"), "utf8")
    const line = /^eval "\$\(aws ssm[\s\S]+?\)"$/m.exec(page)![0]
    const script = `${line}\nexec "$0" admin/main.ts --json "$@"`
    const env = await stage.environment(role, { DATA_DIR: folder, MOVE_PASSPHRASE: movePassphrase })
    env.PATH = `${folder}:${env.PATH}`
    const { stdout } = await run("bash", ["-euc", script, process.execPath, ...words], { cwd: root, env })
    return z.array(z.record(z.string(), z.unknown())).parse(JSON.parse(stdout))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What was answered; of a stream as much as has this in it, after which its reader leaves. */
export async function textOf(answer: Response, part = ""): Promise<string> {
  if (!answer.headers.get("content-type")?.startsWith("text/event-stream")) return await answer.text()
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let said = ""
  do {
    const { value, done } = await reader.read()
    if (done) return said
    said += value
  } while (!said.includes(part))
  await reader.cancel()
  return said
}

/** The browser of one person at the dashboard. */
export function aBrowser(stage: Stage) {
  const cookies = new Map<string, string>()

  /** Opens a page, or sends a form or JSON to it. */
  async function page(method: string, path: string, sent?: Record<string, string> | string | FormData) {
    const headers = {
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...(sent && { origin: `https://${new URL(stage.url).host}` }),
      ...(typeof sent === "string" && { "content-type": "application/json" }),
    }
    const isFields = typeof sent === "object" && !(sent instanceof FormData)
    const body = isFields ? new URLSearchParams(sent) : sent
    const options: RequestInit = { method, redirect: "manual", headers, ...(body !== undefined && { body }) }
    const answer = await patiently(AbortSignal.timeout(60_000), async () => {
      const answer = await fetch(`${stage.url}${path}`, options)
      // What a page says of a store that is slow, as other stand-ins are: a person asks once more.
      if (method === "GET" && answer.status === 503) throw new Unexpected(`${path} answered 503`, { answer })
      return answer
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return {
      status: answer.status,
      type: answer.headers.get("content-type"),
      leadsTo: answer.headers.get("location"),
      // Of what is live on a page, the first piece.
      body: await textOf(answer, "data: <"),
    }
  }

  /** Signs in, for the first time perhaps, with the code of a mail. */
  async function signUp(email: string): Promise<void> {
    cookies.clear()
    expect(await page("POST", "/sign-in", { email })).toMatchObject({ status: 303 })
    const mail = stage.mails.findLast(({ to }) => to === email)
    expect(mail).toMatchObject({ from: "bridge@mail.example.com" })
    const code = /([0-9A-Z]{4}-[0-9A-Z]{4})/.exec(mail!.text)![1]!
    expect(await page("POST", "/sign-in/code", { code })).toMatchObject({ status: 303 })
  }

  /** Signs in with a link of the operator. */
  async function signInByLink(email: string): Promise<void> {
    const [made] = await admin(stage, "login-link", email)
    const { pathname } = new URL(String(made!.link))
    expect(await page("GET", pathname)).toMatchObject({ status: 200 })
    expect(await page("POST", pathname, {})).toMatchObject({ status: 303 })
  }

  return { page, signUp, signInByLink }
}
