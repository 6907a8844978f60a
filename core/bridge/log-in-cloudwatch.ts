import { createHash } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import {
  CloudWatchLogsClient,
  CreateLogStreamCommand,
  DeleteLogStreamCommand,
  GetLogEventsCommand,
  type GetLogEventsCommandOutput,
  type InputLogEvent,
  InvalidParameterException,
  type OutputLogEvent,
  PutLogEventsCommand,
  ResourceAlreadyExistsException,
  ResourceNotFoundException,
} from "@aws-sdk/client-cloudwatch-logs"
import { requestTimeouts, serviceAt } from "../platform/aws-client-options.ts"
import { config, need } from "../platform/config.ts"
import { lazily } from "../platform/lazily.ts"
import { log } from "../platform/log.ts"
import type { Asked, Lines, Past } from "./log-on-disk.ts"

// The logs of bridges in CloudWatch: a stream for each bridge in LOG_GROUP. The group's retention deletes old
// lines.

const logs = lazily(
  () =>
    new CloudWatchLogsClient({
      maxAttempts: 4,
      ...requestTimeouts,
      ...serviceAt(config.AWS_ENDPOINT_URL_CLOUDWATCH_LOGS),
    }),
)

/** How long lines are gathered: a request for each would cost more than the lines. */
const gatherMs = 1000
/** A line has at most 8 KB, and PutLogEvents takes 1 MB. */
const linesAtOnce = 100
/**
 * How many lines may wait, per bridge. A process that cannot write says so in its own log, and drops further
 * lines.
 */
const maxWaiting = 10_000
/**
 * An account may call GetLogEvents 25 times a second in all, so a follower of a quiet log looks ever less
 * often.
 */
const lookEachMs = { least: 1000, most: 5000 }
/** The most events that GetLogEvents returns at once. */
const pageLines = 10_000
/** How many pages are read to find the lines that are wanted. */
const searchedPages = 10

const waiting = new Map<string, InputLogEvent[]>()
let writing: Promise<void> | undefined
let timer: NodeJS.Timeout | undefined

export function append(bridgeId: string, line: { at: string; text: string }): void {
  const lines = waiting.get(bridgeId) ?? []
  if (lines.length >= maxWaiting) throw new Error("too many lines wait to be written")
  waiting.set(bridgeId, [...lines, { timestamp: Date.parse(line.at), message: line.text }])
  timer ??= setTimeout(() => void flush(), gatherMs).unref()
}

/** Resolves when everything that waited is written or given up. Never rejects. */
export async function flush(): Promise<void> {
  clearTimeout(timer)
  timer = undefined
  while (waiting.size > 0 || writing) {
    writing ??= write().finally(() => (writing = undefined))
    await writing
  }
}

async function write(): Promise<void> {
  const all = [...waiting]
  waiting.clear()
  for (const [bridgeId, lines] of all)
    for (let from = 0; from < lines.length; from += linesAtOnce)
      await put(bridgeId, lines.slice(from, from + linesAtOnce)).catch((error: unknown) =>
        log.warn({ error, bridgeId }, "lines of a bridge's log were not written"),
      )
}

async function put(bridgeId: string, logEvents: InputLogEvent[]): Promise<void> {
  const stream = streamOf(bridgeId)
  const command = new PutLogEventsCommand({ ...stream, logEvents })
  try {
    await logs.send(command)
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
    await logs.send(new CreateLogStreamCommand(stream)).catch((refused: unknown) => {
      // Another process has just created it.
      if (!(refused instanceof ResourceAlreadyExistsException)) throw refused
    })
    await logs.send(command)
  }
}

/** Reads page by page from the newest. */
export async function read(bridgeId: string, { most, isWanted }: Asked): Promise<Past> {
  let lines: string[] = []
  let at: string | undefined
  let nextToken: string | undefined
  for (let pages = 0; ; pages++) {
    if (isWanted && pages === searchedPages) return { lines, at: at ?? "", isCut: true }
    const limit = isWanted ? pageLines : Math.min(pageLines, Math.max(1, most - lines.length))
    const older = await page(bridgeId, { startFromHead: false, limit, ...(nextToken && { nextToken }) })
    at ??= placeOf(older, "")
    const texts = textsOf(older)
    lines = [...(isWanted ? texts.filter(isWanted) : texts), ...lines]
    // The same token again means that there are no older lines.
    const isFirst = !older?.nextBackwardToken || older.nextBackwardToken === nextToken
    if (isFirst || lines.length >= most)
      return { lines: most === 0 ? [] : lines.slice(-most), at: at ?? "", isCut: false }
    nextToken = older.nextBackwardToken
  }
}

/** Yields the lines behind a place as they come: one batch per look, often an empty one. */
export async function* followFrom(
  bridgeId: string,
  place: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<Lines> {
  let at = place
  let wait = lookEachMs.least
  for (;;) {
    await sleep(wait, undefined, { signal })
    const found = await pageFrom(bridgeId, at)
    at = placeOf(found, at) ?? at
    const lines = textsOf(found)
    wait = lines.length > 0 ? lookEachMs.least : Math.min(lookEachMs.most, wait * 1.5)
    yield { lines, at }
  }
}

/** A place in a log, as `placeOf` writes it. */
interface Place {
  token: string
  /** The time of the last line before it, Unix ms. */
  atMs: number
  /** Hashes of the last lines of that millisecond before it. */
  seen: string[]
}

const placeShape = /^(\d{1,15})_(.{1,500}?)((?:~[0-9a-f]{8})*)$/
/**
 * A place names at most so many lines of its millisecond. If the millisecond has more lines than that, all up
 * to the last one named count as read.
 */
const mostSeen = 20

function placeFrom(text: string): Place | undefined {
  const [, atMs, token, seen = ""] = placeShape.exec(text) ?? []
  return token === undefined ? undefined : { token, atMs: Number(atMs), seen: seen.split("~").slice(1) }
}

/**
 * The place after a page: CloudWatch's token and, because a token is good for a day, the time of the last
 * line before it with hashes of that millisecond's lines. @returns undefined if nothing was ever logged
 */
function placeOf(found: Found | undefined, before: string): string | undefined {
  const token = found?.nextForwardToken
  if (token === undefined) return undefined
  const known = placeFrom(before)
  const atMs = found?.events?.at(-1)?.timestamp ?? known?.atMs ?? 0
  const here = (found?.events ?? []).filter(({ timestamp }) => timestamp === atMs).map(hashOf)
  const seen = [...(known?.atMs === atMs ? known.seen : []), ...here].slice(-mostSeen)
  return [`${atMs}_${token}`, ...seen].join("~")
}

function hashOf({ message = "" }: OutputLogEvent): string {
  return createHash("sha256").update(message).digest("hex").slice(0, 8)
}

type Found = Pick<GetLogEventsCommandOutput, "events" | "nextForwardToken">

/** The lines behind a place. If a look fails, the next makes up for it. */
async function pageFrom(bridgeId: string, text: string): Promise<Found | undefined> {
  const from = placeFrom(text)
  try {
    return await page(bridgeId, { startFromHead: true, ...(from && { nextToken: from.token }) })
  } catch (error) {
    // The token is older than a day, or none of CloudWatch's.
    if (from && error instanceof InvalidParameterException) return await pageSince(bridgeId, from)
    log.warn({ error, bridgeId }, "the log of a bridge cannot be read")
    return undefined
  }
}

/** The lines behind a place, found by its time. Lines of its millisecond may be before it or behind it. */
async function pageSince(bridgeId: string, { atMs, seen }: Place): Promise<Found | undefined> {
  try {
    const found = await page(bridgeId, { startFromHead: true, startTime: atMs })
    if (!found?.events) return found
    const hashes = found.events.map((event) => (event.timestamp === atMs ? hashOf(event) : ""))
    const skipped = seen.length < mostSeen ? 0 : hashes.lastIndexOf(seen.at(-1) ?? "") + 1
    const left = [...seen]
    const isNew = (_event: OutputLogEvent, i: number) => {
      const known = left.indexOf(hashes[i] ?? "")
      if (known !== -1) left.splice(known, 1)
      return known === -1 && i >= skipped
    }
    return { ...found, events: found.events.filter(isNew) }
  } catch (error) {
    log.warn({ error, bridgeId }, "the log of a bridge cannot be read")
    return undefined
  }
}

/** @returns undefined when nothing was ever logged. */
async function page(
  bridgeId: string,
  from: { startFromHead: boolean; limit?: number; nextToken?: string; startTime?: number },
): Promise<GetLogEventsCommandOutput | undefined> {
  try {
    return await logs.send(new GetLogEventsCommand({ ...streamOf(bridgeId), ...from }))
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined
    throw error
  }
}

export async function remove(bridgeId: string): Promise<void> {
  waiting.delete(bridgeId)
  try {
    await logs.send(new DeleteLogStreamCommand(streamOf(bridgeId)))
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error
  }
}

function textsOf(page: Found | undefined): string[] {
  return (page?.events ?? []).flatMap(({ message }) => message ?? [])
}

function streamOf(bridgeId: string) {
  return { logGroupName: need("LOG_GROUP"), logStreamName: bridgeId }
}
