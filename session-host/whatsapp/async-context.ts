import { AsyncLocalStorage } from "node:async_hooks"
import type { KeyChange } from "../network/connection.ts"
import type { Transmission } from "./send/transmission.ts"

/** The changes that one step has made to the keys so far, by name. They become one unit, or nothing. */
export type KeyStep = Map<string, KeyChange>

interface Context {
  transmission: Transmission | undefined
  keyStep: KeyStep | undefined
  /** The id of the signed prekey that the message being read began with. */
  signedPreKey?: number | undefined
}

/**
 * The one way past Baileys, whose functions pass nothing of ours on to what they call. The caller of Baileys
 * notes here for which message and in which step it calls. The functions of ours that Baileys calls back read
 * that here.
 */
const context = new AsyncLocalStorage<Context>()

/** The message for which Baileys calls; undefined if it calls for none. */
export function transmissionNow(): Transmission | undefined {
  return context.getStore()?.transmission
}

/** The step in which Baileys reads and writes keys; undefined outside of a step. */
export function keyStepNow(): KeyStep | undefined {
  return context.getStore()?.keyStep
}

/** The id of the signed prekey that is asked for now; undefined if none is. */
export function signedPreKeyNow(): number | undefined {
  return context.getStore()?.signedPreKey
}

/** Runs `work`, which asks for the signed prekey of this id. */
export function askingForSignedPreKey<T>(signedPreKey: number, work: () => T): T {
  return context.run({ transmission: transmissionNow(), keyStep: keyStepNow(), signedPreKey }, work)
}

/** Runs `work` for this message, or for none. */
export function inTransmission<T>(transmission: Transmission | undefined, work: () => T): T {
  return context.run({ keyStep: keyStepNow(), transmission }, work)
}

/** Runs `work` in this step. */
export function inKeyStep<T>(keyStep: KeyStep, work: () => T): T {
  return context.run({ transmission: transmissionNow(), keyStep }, work)
}

/**
 * Runs `work` for no message and in no step. Otherwise a lasting thing that `work` begins, such as a
 * connection, would belong to the present message for ever, even after that message was given up.
 */
export function outsideOfContext<T>(work: () => T): T {
  return context.exit(work)
}
