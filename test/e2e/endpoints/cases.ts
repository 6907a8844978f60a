import type { routes } from "#core/contract/routes.ts"
import type { Ask } from "../asking.ts"

type Names<Group> = Group extends unknown ? keyof Group : never

/**
 * For each route that the contract has about something, a call of it, and what it did. A route that is added without a
 * case does not compile.
 */
export type CasesOf<About extends keyof typeof routes> = Record<
  Names<(typeof routes)[About]>,
  (ask: Ask) => Promise<void>
>
