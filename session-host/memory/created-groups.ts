import { z } from "zod"
import { addMembers, createGroup, type MemberOutcome } from "#contract/group.ts"
import { ApiError } from "#core/error.ts"
import { now } from "#core/platform/clock.ts"
import type { Commits } from "./commits.ts"
import type { SessionStore } from "./rows.ts"

/** In seconds: longer than the life of any idempotency record that names the group. */
const keptFor = 2 * 86_400

const Answer = createGroup.responses[200].content["application/json"].schema
export type CreatedAnswer = z.infer<typeof Answer>

const Outcomes = addMembers.responses[200].content["application/json"].schema

const Created = z.object({
  name: z.string(),
  /** When the network was asked for the group, in Unix seconds by the network's clock. */
  askedAt: z.number(),
  /** The login that asked. */
  generation: z.number(),
  /** The group as the caller was told of it; absent while it is not known whether the group exists. */
  answer: Answer.optional(),
})
export type Created = z.infer<typeof Created>

interface CreatedGroupsParts {
  store: SessionStore
  commits: Pick<Commits, "write">
}

/**
 * The groups that the API has asked for, and the outcomes of adding members to a group. Each is kept under
 * the id that the API has chosen for the call, so that a retry finds it.
 */
export class CreatedGroups {
  readonly #parts: CreatedGroupsParts
  readonly #running = new Set<string>()

  constructor(parts: CreatedGroupsParts) {
    this.#parts = parts
  }

  /**
   * Does the work of a call under this id, one call at a time: a caller who lost the answer may ask again
   * while the first call goes on, and would find nothing yet.
   * @throws ApiError `idempotency_conflict` while another call under this id goes on, and what `work` throws
   */
  async alone<Result>(id: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#running.has(id))
      throw new ApiError(
        "idempotency_conflict",
        "an earlier request with this Idempotency-Key is still running: try again when it has ended",
      )
    this.#running.add(id)
    try {
      return await work()
    } finally {
      this.#running.delete(id)
    }
  }

  /** @throws SessionEnded */
  async find(id: string): Promise<Created | undefined> {
    const stored = await this.#parts.store.get(`${prefix}${id}`)
    return stored && Created.parse(JSON.parse(stored.secret.toString()))
  }

  /** The JIDs of the groups that are known to exist. @throws SessionEnded */
  async known(): Promise<Set<string>> {
    const rows = await this.#parts.store.list(prefix)
    const all = rows.map(({ secret }) => Created.parse(JSON.parse(secret.toString())))
    return new Set(all.flatMap(({ answer }) => answer?.group.jid ?? []))
  }

  /** Keeps what is known of the group. Resolves when the row is durable. @throws SessionEnded */
  async remember(id: string, created: Created): Promise<void> {
    const { store, commits } = this.#parts
    const row = { expires_at: now() + keptFor }
    await commits.write([store.put(`${prefix}${id}`, JSON.stringify(created), row)])
  }

  /** What an earlier call under this id has answered about the people whom it added. @throws SessionEnded */
  async outcomesOf(id: string): Promise<MemberOutcome[] | undefined> {
    const stored = await this.#parts.store.get(`${addedPrefix}${id}`)
    return stored && Outcomes.parse(JSON.parse(stored.secret.toString()))
  }

  /** Keeps this answer. Resolves when the row is durable. @throws SessionEnded */
  async writeOutcomes(id: string, outcomes: MemberOutcome[]): Promise<void> {
    const { store, commits } = this.#parts
    const row = { expires_at: now() + keptFor }
    await commits.write([store.put(`${addedPrefix}${id}`, JSON.stringify(outcomes), row)])
  }

  /** Forgets a group that turned out not to exist. @throws SessionEnded */
  async forget(id: string): Promise<void> {
    await this.#parts.commits.write([this.#parts.store.remove(`${prefix}${id}`)])
  }
}

const prefix = "CREATED#"
const addedPrefix = "ADDED#"
