import { createServer } from "node:http"
import { start, type Settings } from "#chatwoot/src/start.ts"

// The program as `main.ts` runs it, with settings that only a test has.

const { port, ...settings } = JSON.parse(process.argv[2]!) as Settings & { port: number }
const running = start(settings)
createServer(running.answer).listen(port, "127.0.0.1")
process.once("disconnect", () => process.exit())
await running.started
process.send!("started")
