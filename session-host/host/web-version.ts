import { z } from "zod"
import { get as getRow, put } from "#core/store.ts"
import { sessions } from "#core/tables.ts"
import type { Logger } from "../log.ts"

export type Version = [number, number, number]

const key = { pk: "WHATSAPP_WEB", sk: "VERSION" }
const Kept = z.object({ version: z.tuple([z.int(), z.int(), z.int()]) })

/** It changes several times a day, and an old one is good for weeks. */
const eachMs = 6 * 3600 * 1000

/** The site may be behind the network. */
const againMs = 60_000

interface Options {
  /** What the operator wants, `2.3000.1`. */
  pinned: string | undefined
  /** Asks the network's own site. */
  latest: () => Promise<Version>
  log: Logger
}

/**
 * The version of WhatsApp Web that connections say they are: the network refuses old ones. The last one that was heard
 * of is kept for all hosts, for when the site does not answer.
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

  /** Undefined where none was ever heard of: then Baileys' own. */
  get current(): Version | undefined {
    return this.#version
  }

  /** Resolves when it is known, or proves not to be. Asks again from time to time. @throws when the store is away */
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
   * The network has refused a version as too old: asks for the current one. However many sessions hear of it, that is asked
   * once a minute. Resolves when it is known, or proves not to be.
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
      await put({ TableName: sessions, Item: { ...key, version: this.#version } })
    } catch (error) {
      log.warn({ error }, "the current version of WhatsApp Web could not be asked for, or not kept")
    }
  }
}

async function lastKept(): Promise<Version | undefined> {
  const row = await getRow(sessions, key)
  return row && Kept.parse(row).version
}
