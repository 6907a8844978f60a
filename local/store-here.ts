import { EventRow } from "#core/event-row.ts"
import { RateLimit } from "#core/rate-limit.ts"
import { useHere } from "#core/store.ts"
import { events, requests } from "#core/tables.ts"
import { listen, tell } from "#functions/delivery/arrivals.ts"
import type { DynamoDb } from "./dynamodb/server.ts"

/**
 * A store that is in this process, as API and deliveries are: it is asked without HTTP, it tells deliveries what comes, and
 * a power cut may take the counts of a minute.
 * @returns what ends that.
 */
export function useStore(store: DynamoDb): () => void {
  store.relax(requests, ({ pk }) => RateLimit.isCounter(String(pk?.S)))
  store.watch(events, ({ pk, sk }) => {
    const event = EventRow.atKey({ pk: String(pk?.S), sk: String(sk?.S) })
    if (event) tell(event.bridgeId, event.n)
  })
  const ends = [useHere(store.answer), listen()]
  return () => {
    for (const end of ends) end()
  }
}
