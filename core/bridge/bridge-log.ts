export * as BridgeLog from "./bridge-log.ts"

import { iso, nowMs } from "../platform/clock.ts"
import { config } from "../platform/config.ts"
import { log } from "../platform/log.ts"
import type * as Streams from "./log-in-cloudwatch.ts"
import * as files from "./log-on-disk.ts"

// The log that a bridge's customer sees. Its lines are written for the customer and never hold a message
// body, a phone number, a key or a code. It belongs to the bridge, not to a process: any process appends to
// it.
//
// It is kept in files on one machine (LOG_DIR) and in CloudWatch Logs on AWS (LOG_GROUP); with neither set,
// nothing is kept.

export type Level = "info" | "warn" | "error"

/** The longest line, in bytes. None of ours is longer. */
const maxBytes = 8 * 1024

let loaded: Promise<typeof Streams> | undefined
/** The client of CloudWatch is 24 MB, and one machine has none. */
const streams = () => (loaded ??= import("./log-in-cloudwatch.ts"))

/** Appends a line. Never throws: the work that a line reports is done, whether or not the line is written. */
export function append(bridgeId: string, level: Level, text: string): void {
  const at = iso(nowMs())
  const line = { at, text: oneLine(`${at} ${level.toUpperCase()} ${text}`) }
  put(bridgeId, line).catch((error: unknown) =>
    log.warn({ error, bridgeId }, "a line of a bridge's log was not written"),
  )
}

async function put(bridgeId: string, line: { at: string; text: string }): Promise<void> {
  if (config.LOG_DIR) files.append(bridgeId, line)
  else if (config.LOG_GROUP) (await streams()).append(bridgeId, line)
}

/**
 * Resolves when others can read the appended lines. A function must wait: it is frozen once it has answered.
 */
export async function flush(): Promise<void> {
  if (config.LOG_GROUP) await (await streams()).flush()
}

/** Whether there is a log to read. */
export function isKept(): boolean {
  return config.LOG_DIR !== undefined || config.LOG_GROUP !== undefined
}

/** The newest matching lines, oldest first, and the place after the last line read. */
export async function read(bridgeId: string, asked: files.Asked): Promise<files.Past> {
  const kept = config.LOG_DIR ? files : await streams()
  return await kept.read(bridgeId, asked)
}

/**
 * Yields the lines after a place, then new ones: one batch per look, often an empty one, each with the place
 * after it, until `signal` ends it. An invalid place means the beginning.
 * @throws AbortError when `signal` ends it between two looks
 */
export async function* followFrom(
  bridgeId: string,
  place: string,
  signal?: AbortSignal,
): AsyncGenerator<files.Lines> {
  const kept = config.LOG_DIR ? files : await streams()
  yield* kept.followFrom(bridgeId, place, signal)
}

/**
 * Yields the last `tail` lines, then new ones, as `followFrom` does.
 * @throws AbortError when `signal` ends it between two looks
 */
export async function* follow(
  bridgeId: string,
  tail: number,
  signal?: AbortSignal,
): AsyncGenerator<string[]> {
  const { lines, at } = await read(bridgeId, { most: tail })
  yield lines
  for await (const more of followFrom(bridgeId, at, signal)) yield more.lines
}

/** Deletes lines older than two weeks, of all bridges. CloudWatch does that by itself. */
export async function removeOld(): Promise<void> {
  if (config.LOG_DIR) await files.removeOld()
}

/** Deletes the log of a deleted bridge. */
export async function remove(bridgeId: string): Promise<void> {
  if (config.LOG_DIR) return await files.remove(bridgeId)
  if (config.LOG_GROUP) await (await streams()).remove(bridgeId)
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
