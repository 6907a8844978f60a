import "#test/support/store.ts"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { FREE, Lease } from "#core/lease/lease.ts"
import { until } from "#test/support/until.ts"
import { aBridge } from "../support/service/bridge.ts"
import { held } from "../support/session/host.ts"
import { codeOf } from "../support/session/paired.ts"

test("a sandbox's task is the network and a host, and gives bridges back when stopped, though told twice", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sandbox-host-"))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const task = spawn(process.execPath, ["session-host/sandbox-main.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, DATA_DIR: dataDir, LOG_LEVEL: "info" },
  })
  let said = ""
  task.stdout.on("data", (chunk) => (said += String(chunk)))
  onTestFinished(() => void task.kill("SIGKILL"))
  const ended = once(task, "exit")
  const bridge = await aBridge()
  await held(bridge.id)
  // The code comes from the network inside the task.
  expect(await codeOf(bridge.id)).toContain(",")
  task.kill("SIGTERM")
  await until(() => said.includes("host stopping"))
  task.kill("SIGTERM")
  expect(await ended).toEqual([0, null])
  expect(await Lease.get(bridge.id)).toMatchObject({ host: FREE, failures: 0 })
})
