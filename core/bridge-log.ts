export * as BridgeLog from "./bridge-log.ts"

import { iso, nowMs } from "./clock.ts"
import { config } from "./config.ts"
import * as files from "./bridge-log-files.ts"
import * as streams from "./bridge-log-streams.ts"
import { log } from "./log.ts"

// The log that a bridge's customer sees: what is written here is written for him, and never holds a body, a number, a key
// or a code. It belongs to the bridge, not to a process: any process appends to it.
//
// On one machine it is kept in files (LOG_DIR), on AWS in CloudWatch Logs (LOG_GROUP); where neither is set, nowhere.

export type Level = "info" | "warn" | "error"

/** Of a line; what is longer is no line of ours. */
const maxBytes = 8 * 1024

/** Appends a line. Never throws: what is logged has happened, whether or not it is written down. */
export function append(bridgeId: string, level: Level, text: string): void {
  const at = iso(nowMs())
  const line = { at, text: oneLine(`${at} ${level.toUpperCase()} ${text}`) }
  try {
    if (config.LOG_DIR) return files.append(bridgeId, line)
    if (config.LOG_GROUP) streams.append(bridgeId, line)
  } catch (error) {
    log.warn({ error, bridgeId }, "a line of a bridge's log was not written")
  }
}

/** Resolves when what was appended is where others read it: a function is frozen as soon as it has answered. */
export async function written(): Promise<void> {
  await streams.written()
}

/** Whether there is a log to read. */
export function isKept(): boolean {
  return config.LOG_DIR !== undefined || config.LOG_GROUP !== undefined
}

/**
 * The last `tail` lines, then those to come: a batch at each look, often an empty one, until `signal` ends it.
 * @throws AbortError then, should it wait for its next look
 */
export function follow(bridgeId: string, tail: number, signal?: AbortSignal): AsyncGenerator<string[]> {
  return config.LOG_DIR ? files.follow(bridgeId, tail, signal) : streams.follow(bridgeId, tail, signal)
}

/** Forgets what is older than two weeks; CloudWatch does so by itself. */
export async function trim(bridgeId: string): Promise<void> {
  if (config.LOG_DIR) await files.trim(bridgeId)
}

/** The bridge is gone, and so is its log. */
export async function remove(bridgeId: string): Promise<void> {
  if (config.LOG_DIR) return await files.remove(bridgeId)
  if (config.LOG_GROUP) await streams.remove(bridgeId)
}

/** Whatever a text holds, it stays one line, and one that shows in a terminal as it is. */
export function oneLine(text: string): string {
  const line = text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ")
  const bytes = Buffer.from(line)
  return bytes.length <= maxBytes
    ? line
    : bytes
        .subarray(0, maxBytes)
        .toString()
        .replace(/\ufffd+$/, "")
}
