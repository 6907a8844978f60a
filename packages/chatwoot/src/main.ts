#!/usr/bin/env node
import { createServer } from "node:http"
import { z } from "zod"
import { start } from "./start.ts"

const flag = z
  .enum(["", "0", "1"])
  .default("")
  .transform((value) => value === "1")
const list = z.string().transform((text) => text.split(",").map((one) => one.trim()))

/** The variables that the program is started with; README.md says what each is for. */
const Environment = z.object({
  CHATWOOT_URL: z.url(),
  CHATWOOT_TOKEN: z.string().min(1),
  CHATWOOT_ACCOUNT: z.coerce.number().int().min(1).default(1),
  CHATWOOT_SECRETS: list.default([]).transform((all) => Object.fromEntries(all.map((one) => one.split("=")))),
  BRIDGE_URL: z.url(),
  BRIDGE_KEY: z.string().min(1),
  BRIDGES: list.default(["default"]),
  HOOK_URL: z.url(),
  HOST: z.string().default("127.0.0.1"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  NOTES: z.string().default("chatwoot.db"),
  GROUPS: flag,
  AGENT_NAMES: flag,
})

const { success, data, error } = Environment.safeParse(process.env)
if (!success) {
  for (const { path, message } of error.issues) console.error(`${path.join(".")}: ${message}`)
  process.exit(2)
}
const running = start({
  chatwoot: { url: data.CHATWOOT_URL, token: data.CHATWOOT_TOKEN, account: data.CHATWOOT_ACCOUNT },
  bridge: { url: data.BRIDGE_URL, key: data.BRIDGE_KEY },
  refs: data.BRIDGES,
  file: data.NOTES,
  hookUrl: data.HOOK_URL,
  secrets: data.CHATWOOT_SECRETS,
  groups: data.GROUPS,
  names: data.AGENT_NAMES,
})
const server = createServer(running.answer).listen(data.PORT, data.HOST)
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    server.close()
    server.closeAllConnections()
    void running.stop()
  })
await running.started
console.log(`${data.BRIDGES.join(", ")}: messages go both ways`)
