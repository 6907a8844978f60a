/**
 * Loaded before a process of the service, or of an import (`node --import`): what it asks of the store and
 * what it tells the network are steps, at which it may die.
 */
import { stepsOf } from "../../cluster/armed-steps.ts"
import { watchFrames } from "../../cluster/watch-frames.ts"
import { watchStore } from "../../cluster/watch-requests.ts"

const steps = stepsOf(process.env.CHAOS_STEPS ?? "")
watchStore(steps)
if (process.argv[1]?.endsWith("session-host/main.ts")) watchFrames(steps)
