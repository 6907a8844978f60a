import "#test/support/store.ts"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

/** Imports a program as Lambda does, and asks it what a changed bridge means for an account's bill. */
const script = `
  globalThis.awslambda = { streamifyResponse: (handler) => handler }
  await import(process.argv[1])
  const { Billing } = await import("#core/account/billing.ts")
  console.log(JSON.stringify(await Billing.changing("nobody")))
  process.exit()`

test.for(["functions/api/handler.ts", "dashboard/handler.ts", "billing/scheduled.ts"])(
  "%s, which changes bridges, is given billing",
  async (program) => {
    const args = ["--input-type=module", "--eval", script, new URL(`../../${program}`, import.meta.url).href]
    const env = { ...process.env, BILLING: "stripe" }
    const { stdout } = await promisify(execFile)(process.execPath, args, { env })
    expect(stdout).toBe("[]\n")
  },
)
