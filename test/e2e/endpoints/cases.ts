import type { routes } from "#contract/routes.ts"
import type { Ask } from "../asking.ts"

type Names<Group> = Group extends unknown ? keyof Group : never

/**
 * For each route of the contract about a subject: a call of it, and a check of what it did. A route without a
 * case does not compile.
 */
export type CasesOf<About extends keyof typeof routes> = Record<
  Names<(typeof routes)[About]>,
  (ask: Ask) => Promise<void>
>
