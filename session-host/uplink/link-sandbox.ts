import { setTimeout as sleep } from "node:timers/promises"
import { sessionUnavailable } from "#core/error.ts"
import type { Connection } from "../network/connection.ts"
import { el } from "../network/stanza.ts"
import type { Contacts } from "../people/contacts.ts"

/**
 * Shows a sandbox bridge's code to the phone of its account's household, which scans it. The bridge's
 * customer cannot scan it, since the phone is simulated. Only the simulated network answers this question.
 * @throws NetworkRejected, NoAnswer
 */
export async function showCodeToHousehold(
  connection: Pick<Connection, "ask">,
  code: { accountId: string; text: string },
): Promise<void> {
  const shown = el("code", { household: code.accountId }, code.text)
  await connection.ask({ xmlns: "sandbox", type: "set", children: [shown] })
}

/** How many people a household has besides the account's phone: Echo and Voter. */
const others = 2

/**
 * Waits for the people of the household, who arrive with the address book a moment after linking.
 * @throws ApiError `session_unavailable`, SessionEnded
 */
export async function waitForHousehold(contacts: Pick<Contacts, "list">, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs
  while ((await contacts.list({ limit: others })).length < others) {
    if (performance.now() > until) throw sessionUnavailable("the session is connecting: try again")
    await sleep(50)
  }
}
