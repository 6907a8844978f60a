import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { mp4 } from "#test/support/media-files.ts"
import type { Judge, Made } from "../judge.ts"
import { runPython } from "../python.ts"
import type { Stage } from "../stage.ts"

const execute = promisify(execFile)

/** Its models are generated from WAHA's own OpenAPI document. */
const wahaPy: Judge = {
  name: "waha-py 2026.9.2",
  run: async (stage) => {
    const { service, customer, files } = stage
    const { owner, friend } = await stage.linked("waha-py")
    await service.network.addressBook(owner, [{ number: friend, full_name: "A Friend" }])
    await service.network.change(friend, { picture: files.picture.toString("base64") })
    const group = await service.network.group({ creator: friend, subject: "Regulars" })
    const about = {
      url: `${service.baseUrl}/waha`,
      key: customer.key,
      session: "waha-py",
      phones: service.phonesUrl,
      group: group.jid,
      invite: group.invite,
      picture: `${files.url}/picture.jpg`,
      ogg: files.sound.toString("base64"),
      mp4: mp4(1, { kind: "vide", width: 64, height: 48 }).toString("base64"),
      owner,
      friend,
    }
    const script = new URL("calls_of_waha_py.py", import.meta.url)
    return await runPython(stage, { packages: ["waha-py==2026.9.2"], script, about })
  },
}

/** A command line that others use for their WAHA. */
const kctl: Judge = {
  name: "kctl-waha 0.12.0",
  run: async (stage) => {
    const program = await install(stage, "kctl-waha==0.12.0")
    if (program === undefined) return undefined
    const { friend } = await stage.linked("kctl")
    const picture = `${stage.files.url}/picture.jpg`
    const hook = ["--url", "https://shop.example/hook", "--hmac-key", "a key", "--force"]
    const qr = join(stage.folder, "qr.png")
    const { service, customer } = stage
    const at = ["--url", `${service.baseUrl}/waha`, "--api-key", customer.key]
    const commands = [
      ["config", "init", ...at, "--name", "ours"],
      ["config", "test"],
      ["health"],
      ["dashboard"],
      ["sessions", "list", "--all"],
      ["sessions", "status"],
      ["sessions", "get", "kctl"],
      ["sessions", "me", "kctl"],
      ["sessions", "restrictions", "kctl"],
      ["sessions", "wait", "kctl", "--until", "WORKING", "--timeout", "20"],
      ["sessions", "restart", "kctl", "--force"],
      ["messages", "send", `+${friend}`, "ready", "--session", "kctl", "--force"],
      ["messages", "send-image", `+${friend}`, picture, "--session", "kctl", "--caption", "blue", "--force"],
      ["profile", "set", "kctl", "--about", "Open", "--picture-url", picture, "--force"],
      ["profile", "get", "kctl"],
      ["webhooks", "set", "kctl", ...hook],
      ["webhooks", "set", "kctl", "--url", "https://shop.example/another", "--force"],
      ["webhooks", "list"],
      ["sessions", "start", "kctl-2"],
      ["sessions", "wait", "kctl-2", "--until", "SCAN_QR_CODE", "--timeout", "60", "--interval", "1"],
      ["sessions", "qr", "kctl-2", "--out", qr],
      ["sessions", "qr", "kctl-2", "--format", "raw"],
      ["sessions", "pair-code", "kctl-2", "--phone", "+4915112345678", "--force"],
      ["sessions", "logout", "kctl-2", "--force"],
      ["sessions", "delete", "kctl-2", "--force"],
    ]
    const made: Made[] = []
    for (const command of commands) made.push(await said(program, command, stage))
    const has = (await stage.service.network.read(friend, {})).some(({ text }) => text === "ready")
    return [...made, { call: "the message arrives", ...(!has && { why: "the phone has not got it" }) }]
  },
}

async function said(program: string, command: string[], { folder }: Stage): Promise<Made> {
  const call = command.filter((word) => !word.startsWith("http")).join(" ")
  try {
    await execute(program, ["--json", "--profile", "ours", ...command], {
      env: { HOME: folder, PATH: process.env.PATH },
      timeout: 120_000,
    })
    return { call }
  } catch (error) {
    // Of a command that failed.
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string }
    return { call, why: `${stdout}${stderr}`.trim().slice(-600) || String(error) }
  }
}

/** It needs a newer Python than the others. @returns undefined without one */
async function install({ folder }: Stage, wanted: string): Promise<string | undefined> {
  const home = join(folder, "kctl")
  for (const name of ["python3.13", "python3.12", "python3"]) {
    try {
      await execute(name, ["-c", "import sys; sys.exit(sys.version_info < (3, 12))"])
      await execute(name, ["-m", "venv", home])
    } catch {
      // This one is not there, or too old.
      continue
    }
    await execute(join(home, "bin/pip"), ["install", "--quiet", "--disable-pip-version-check", wanted])
    return join(home, "bin/kctl-waha")
  }
  return undefined
}

export const wahaJudges = [wahaPy, kctl]
