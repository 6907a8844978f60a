import { z } from "zod"
import { now } from "#core/platform/clock.ts"
import type { Logger } from "#core/platform/log.ts"
import { getRow, putRow } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { Connect } from "../uplink/dialler.ts"

export type Version = [number, number, number]

const key = { pk: "WHATSAPP_WEB", sk: "VERSION" }
const Kept = z.object({
  version: z.tuple([z.int(), z.int(), z.int()]),
  /** When the site last said that this version is the current one, in Unix seconds. */
  at: z.int().optional(),
})

/** When the pinned Baileys, 7.0.0-rc14, was published: its built-in version is no newer. Unix seconds. */
const builtInAt = Date.UTC(2026, 6, 29) / 1000

/**
 * How often the version is asked for, in ms. It changes several times a day, and an old one works for weeks:
 * eleven, in September 2026.
 */
const eachMs = 6 * 3600 * 1000

/**
 * How soon the version may be asked for again after a refusal, in ms: the site may lag behind the network.
 */
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
  /** When the version was last known to be the current one, in Unix seconds. */
  #at: number | undefined
  /** On the monotonic clock. */
  #refusedAt = -Infinity
  #asking: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
  }

  /** The last known version. Undefined if none was ever heard of: then Baileys' own is used. */
  get current(): Version | undefined {
    return this.#version
  }

  /** How old the version is, in hours; undefined if the operator has chosen it. */
  get ageH(): number | undefined {
    return this.#at === undefined ? undefined : Math.max(0, (now() - this.#at) / 3600)
  }

  /**
   * Resolves when the version is known, or cannot be learnt. Asks again from time to time.
   * @throws if the store is away
   */
  async start(): Promise<void> {
    const { pinned, log } = this.#options
    if (pinned !== undefined) {
      this.#version = Kept.shape.version.parse(pinned.split(".").map(Number))
      return
    }
    const failure = await this.#ask()
    if (!this.#version) ({ version: this.#version, at: this.#at = builtInAt } = (await lastKept()) ?? {})
    if (!this.#version) log.error({ error: failure }, noVersion)
    else log.info({ version: this.#version.join(".") }, "version of WhatsApp Web")
    if (failure && this.#version) this.#warn(failure)
    setInterval(() => void this.#askAgain(), eachMs).unref()
  }

  /**
   * Asks for the current version, since the network has refused one as too old. It asks once a minute,
   * however many sessions are refused. Resolves when the version is known, or cannot be learnt.
   */
  async refused(): Promise<void> {
    if (this.#options.pinned !== undefined) return
    if (performance.now() - this.#refusedAt < againMs) return await this.#asking
    this.#refusedAt = performance.now()
    this.#asking = this.#askAgain()
    await this.#asking
  }

  async #askAgain(): Promise<void> {
    const failure = await this.#ask()
    if (failure) this.#warn(failure)
  }

  /** @returns why the current version is not known, or not kept */
  async #ask(): Promise<unknown> {
    try {
      this.#version = await this.#options.latest()
      this.#at = now()
      await putRow({ TableName: tables.sessions, Item: { ...key, version: this.#version, at: this.#at } })
      return undefined
    } catch (error) {
      return error
    }
  }

  #warn(error: unknown): void {
    this.#options.log.warn(
      { error },
      "the current version of WhatsApp Web could not be asked for, or not kept",
    )
  }
}

/** Said to the operator if no version was ever heard of. */
const noVersion =
  "the current version of WhatsApp Web is not known: web.whatsapp.com did not say it, and no earlier answer is kept. " +
  "Sessions claim the version that is built in, of July 2026, which the network probably refuses. " +
  "Let this machine reach https://web.whatsapp.com, or set WHATSAPP_WEB_VERSION"

async function lastKept(): Promise<z.infer<typeof Kept> | undefined> {
  const row = await getRow(tables.sessions, key)
  return row && Kept.parse(row)
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
