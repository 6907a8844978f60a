import { z } from "zod"
import type { Logger } from "#core/platform/log.ts"
import { getRow, putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { Connect } from "../uplink/dialler.ts"

export type Version = [number, number, number]

const key = { pk: "WHATSAPP_WEB", sk: "VERSION" }
const Kept = z.object({ version: z.tuple([z.int(), z.int(), z.int()]) })

/** The version changes several times a day, and an old one works for weeks. */
const eachMs = 6 * 3600 * 1000

/** The site may lag behind the network. */
const againMs = 60_000

interface Options {
  /** The operator's choice, such as `2.3000.1`. */
  pinned: string | undefined
  /** Asks the network's own site. */
  latest: () => Promise<Version>
  log: Logger
}

/**
 * The version of WhatsApp Web that connections claim to be; the network refuses old ones. The last known
 * version is stored for all hosts, for when the site does not answer.
 */
export class WebVersion {
  readonly #options: Options
  #version: Version | undefined
  /** On the monotonic clock. */
  #refusedAt = -Infinity
  #asking: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** Undefined if no version was ever heard of; Baileys' own is used then. */
  get current(): Version | undefined {
    return this.#version
  }

  /**
   * Resolves when the version is known, or cannot be learnt. Asks again from time to time. @throws when the
   * store is away
   */
  async start(): Promise<void> {
    const { pinned, log } = this.#options
    if (pinned !== undefined) {
      this.#version = Kept.shape.version.parse(pinned.split(".").map(Number))
      return
    }
    await this.#ask()
    this.#version ??= await lastKept()
    log.info({ version: this.#version?.join(".") ?? "as built in" }, "version of WhatsApp Web")
    setInterval(() => void this.#ask(), eachMs).unref()
  }

  /**
   * The network has refused a version as too old: asks for the current one, once a minute however many
   * sessions are refused. Resolves when the version is known, or cannot be learnt.
   */
  async refused(): Promise<void> {
    if (this.#options.pinned !== undefined) return
    if (performance.now() - this.#refusedAt < againMs) return await this.#asking
    this.#refusedAt = performance.now()
    this.#asking = this.#ask()
    await this.#asking
  }

  async #ask(): Promise<void> {
    const { latest, log } = this.#options
    try {
      this.#version = await latest()
      await putRow({ TableName: tables.sessions, Item: { ...key, version: this.#version } })
    } catch (error) {
      log.warn({ error }, "the current version of WhatsApp Web could not be asked for, or not kept")
    }
  }
}

async function lastKept(): Promise<Version | undefined> {
  const row = await getRow(tables.sessions, key)
  return row && Kept.parse(row).version
}

type Dial = (input: Parameters<Connect>[0] & { version?: Version }) => ReturnType<Connect>

/**
 * Dials as the current version of WhatsApp Web. If the network finds that version outdated, the current one
 * is looked up at once. The end of the connection is reported only afterwards, so the next dial already uses
 * it.
 */
export function dialCurrentVersion(dial: Dial, webVersion: Pick<WebVersion, "current" | "refused">): Connect {
  return (input) => {
    const version = webVersion.current
    return dial({
      ...input,
      ...(version && { version }),
      onHappening(happening) {
        const isOutdated = happening.kind === "closed" && happening.objection === "outdated"
        if (!isOutdated) return input.onHappening(happening)
        // `refused` never rejects: it logs a failed look-up.
        void webVersion.refused().finally(() => input.onHappening(happening))
      },
    })
  }
}
