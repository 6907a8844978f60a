import { sessionHostPids } from "#one-machine/service/session-host-pids.ts"
import { seeded } from "#test/support/random.ts"
import { statusOf } from "#test/support/service/service.ts"
import { type Answer, ask } from "./ask.ts"
import { bytesOf, type Draft, pathOf, validDraft } from "./draft.ts"
import { mutate } from "./mutations.ts"
import type { Options } from "./options.ts"
import { faultsOf } from "./oracle.ts"
import type { Tenants } from "./tenants.ts"
import { changes } from "./visible-state.ts"

/** A request with an answer that must not occur. */
interface Finding {
  /** `--from` this number with the same seed makes it again. */
  number: number
  request: string
  answer: string
  faults: string[]
}

export interface Outcome {
  findings: Finding[]
  statuses: Record<string, number>
  /** How many requests succeeded, by route. */
  succeeded: Record<string, number>
}

/**
 * Around every tenth request, the account's whole state is looked at; around the others, only what is quick
 * to get.
 */
const lookCloselyEach = 10
/** How often the other account is looked at, besides the end. */
const lookAsideEach = 100

/** Sends the seed's requests to the service, one after another, and reports each finding at once. */
export async function run(
  tenants: Tenants,
  { runs, seed, from }: Omit<Options, "schemas">,
  say: (line: string) => void,
): Promise<Outcome> {
  const outcome: Outcome = { findings: [], statuses: {}, succeeded: {} }
  const { known, ours } = tenants
  const theirs = await tenants.theirState(true)
  const hosts = await sessionHostPids(tenants.service)
  for (let number = from; number < from + runs; number++) {
    // Each request has a seed of its own, so that it can be repeated without those before it.
    const random = seeded(Math.imul(seed, 0x9e3779b1) + number)
    const draft = validDraft(random, known, ours.key)
    mutate(draft, random, known)

    const closely = number % lookCloselyEach === 0
    const before = await tenants.ourState(closely)
    const answer = await ask(tenants.service.baseUrl, draft).catch((error: unknown) => String(error))
    const faults = typeof answer === "string" ? [answer] : faultsOf(draft, answer, tenants.canaries)
    if (typeof answer !== "string") learn(known.messageIds, answer)
    if (isRefusal(answer))
      faults.push(
        ...changes(before, await tenants.ourState(closely)).map((one) => `refused, and changed ${one}`),
      )
    if (number % lookAsideEach === 0 || number === from + runs - 1)
      faults.push(...changes(theirs, await tenants.theirState(true)).map((one) => `changed another's ${one}`))

    count(outcome, draft, answer)
    if ((number + 1 - from) % 1000 === 0) say(`${number + 1 - from} requests`)
    if (faults.length === 0) continue
    const finding = { number, ...told(draft, answer), faults }
    outcome.findings.push(finding)
    if (outcome.findings.length <= 20) say(sentencesOf(finding))
  }
  outcome.findings.push(...(await aftermath(tenants, hosts, from + runs)))
  return outcome
}

function isRefusal(answer: Answer | string): boolean {
  return typeof answer !== "string" && answer.status >= 400 && answer.status < 500
}

/** Remembers ids of sent messages, for later requests to name. */
function learn(messageIds: string[], answer: Answer): void {
  const sent = /"message_id":"([\w.-]+)"/.exec(answer.body.toString())?.[1]
  if (answer.status !== 200 || !sent) return
  messageIds.push(sent)
  if (messageIds.length > 40) messageIds.splice(1, 1)
}

function count(outcome: Outcome, { route }: Draft, answer: Answer | string): void {
  const status = typeof answer === "string" ? "none" : String(answer.status)
  outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
  if (status.startsWith("2")) outcome.succeeded[route.name] = (outcome.succeeded[route.name] ?? 0) + 1
}

function told(draft: Draft, answer: Answer | string): { request: string; answer: string } {
  const headers = draft.headers.map(([name, value]) => `${name}: ${value.slice(0, 60)}`)
  const body = bytesOf(draft)?.toString().slice(0, 500) ?? ""
  const about = `${draft.method} ${pathOf(draft).slice(0, 500)} [${draft.mutations.join()}]`
  return {
    request: [about, ...headers, body].join("\n"),
    answer: typeof answer === "string" ? answer : `${answer.status} ${answer.body.toString().slice(0, 500)}`,
  }
}

function sentencesOf({ number, request, answer, faults }: Finding): string {
  return [`--- number ${number}`, ...faults.map((fault) => `!!! ${fault}`), request, `=> ${answer}`, ""].join(
    "\n",
  )
}

/** Checks that every session host lives, and that the session is connected. */
async function aftermath(tenants: Tenants, hosts: number[], number: number): Promise<Finding[]> {
  const faults: string[] = []
  const now = new Set(await sessionHostPids(tenants.service))
  for (const pid of hosts) if (!now.has(pid)) faults.push(`session host ${pid} ended`)
  const status = await statusOf(tenants.ours.call, tenants.known.shop)
  if (status !== "connected") faults.push(`the session is ${status}`)
  return faults.length > 0 ? [{ number, request: "(all of them)", answer: "", faults }] : []
}
