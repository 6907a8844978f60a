export * as DiskRoom from "./disk-room.ts"

import { statfsSync } from "node:fs"
import { ApiError } from "../error.ts"
import { config } from "./config.ts"
import { log } from "./log.ts"
import { Metrics } from "./metrics.ts"

// The disk of one machine (STORAGE_DIR). A reserve is kept for what comes in: below it nothing is sent and no
// bridge is created, and below twice the reserve nothing is written that the service can do without: no logs,
// no files (`FilesOnDisk`). On AWS there is always room.

/** How long an answer of the file system is believed, in ms. */
const believedMs = 1000

let askedMs = -Infinity
let askedOf: string | undefined
let freeMb = Infinity
let wasLow = false

/**
 * Whether there is room to send and to create bridges. Logs each change, so only one process of a service
 * asks.
 */
export function hasRoom(): boolean {
  measureIfOld()
  const isLow = freeMb < config.STORAGE_RESERVE_MB
  if (isLow !== wasLow) report(isLow)
  return !isLow
}

/**
 * Whether there is room for what the service can do without: the logs of bridges, the answers of receivers.
 */
export function hasRoomToSpare(): boolean {
  measureIfOld()
  return freeMb >= 2 * config.STORAGE_RESERVE_MB
}

/** How much of the disk is free, in MB. */
export function free(): number {
  measureIfOld()
  return freeMb
}

/** How much of the disk is free at this moment, in MB. */
export function freeNow(): number {
  askedMs = -Infinity
  return free()
}

/** Why something that needs room was not done. */
export function refusal(sentence?: string): ApiError {
  Metrics.add("StorageFull")
  return new ApiError("storage_full", sentence, { headers: { "retry-after": "60" } })
}

function measureIfOld(): void {
  const folder = config.STORAGE_DIR
  if (!folder) {
    freeMb = Infinity
    return
  }
  if (folder === askedOf && performance.now() < askedMs + believedMs) return
  askedMs = performance.now()
  askedOf = folder
  const { bavail, bsize } = statfsSync(folder)
  freeMb = (bavail * bsize) / 1e6
}

function report(isLow: boolean): void {
  wasLow = isLow
  const about = { freeMb: Math.floor(freeMb), reserveMb: config.STORAGE_RESERVE_MB }
  if (isLow) log.error(about, "the disk is nearly full: nothing is sent and no bridge is created")
  else log.info(about, "the disk has room again")
}
