export * as BridgeLog from "./log.ts"

import { iso, nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import * as files from "./log-files.ts"
import * as streams from "./log-streams.ts"
import { log } from "../platform/log.ts"

// The log that a bridge's customer sees. Its lines are written for the customer and never hold a message body, a phone
// number, a key or a code. It belongs to the bridge, not to a process: any process appends to it.
//
// It is kept in files on one machine (LOG_DIR) and in CloudWatch Logs on AWS (LOG_GROUP); with neither set, nothing is
// kept.

export type Level = "info" | "warn" | "error"

/** The longest line, in bytes. None of ours is longer. */
const maxBytes = 8 * 1024

/** Appends a line. Never throws: the work that a line reports is done, whether or not the line is written. */
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

/** Resolves when others can read the appended lines. A function must wait: it is frozen once it has answered. */
export async function written(): Promise<void> {
  await streams.written()
}

/** Whether there is a log to read. */
export function isKept(): boolean {
  return config.LOG_DIR !== undefined || config.LOG_GROUP !== undefined
}

/**
 * Yields the last `tail` lines, then new ones: one batch per look, often an empty one, until `signal` ends it.
 * @throws AbortError when `signal` ends it between two looks
 */
export function follow(bridgeId: string, tail: number, signal?: AbortSignal): AsyncGenerator<string[]> {
  return config.LOG_DIR ? files.follow(bridgeId, tail, signal) : streams.follow(bridgeId, tail, signal)
}

/** Deletes lines older than two weeks. CloudWatch does that by itself. */
export async function trim(bridgeId: string): Promise<void> {
  if (config.LOG_DIR) await files.trim(bridgeId)
}

/** Deletes the log of a deleted bridge. */
export async function remove(bridgeId: string): Promise<void> {
  if (config.LOG_DIR) return await files.remove(bridgeId)
  if (config.LOG_GROUP) await streams.remove(bridgeId)
}

/** Makes any text a single line that is safe to show in a terminal. */
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
