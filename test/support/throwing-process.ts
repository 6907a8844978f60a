import { log } from "#core/platform/log.ts"
import { sessionScope } from "#session-host/concurrency/session-scope.ts"
import { containExceptions } from "#session-host/host/exceptions.ts"

// A process in which sessions throw errors that no code catches, and finally code of no session does.
containExceptions(log)
const say = (what: string) => process.stdout.write(`${what}\n`)
const failing = (name: string) => ({ fail: (error: unknown) => say(`${name} failed: ${String(error)}`) })
sessionScope.run(failing("first"), () => setTimeout(() => JSON.parse("{"), 1))
sessionScope.run(failing("second"), () => void Promise.reject(new Error("rejected")))
setTimeout(() => say("the process lives"), 20)
setTimeout(() => JSON.parse("{"), 40)
setTimeout(() => say("never said"), 2000)
