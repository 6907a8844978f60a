import { afterAll } from "vitest"
import { startWhole } from "../whole-service.ts"

/** One service for all of these; each has a bridge of its own. */
export const whole = await startWhole()
afterAll(() => whole.stop())
