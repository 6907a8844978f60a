import { RateLimit } from "#core/limits/rate-limit.ts"
import { Idempotency } from "#core/message/idempotency.ts"
import { askWhetherDoubted } from "#core/platform/clock.ts"
import { useStoreWithoutHttp } from "#core/store/store.ts"
import { tables } from "#core/store/tables.ts"
import type { DynamoDb } from "#dynamodb-on-sqlite/server.ts"
import { Bells } from "../delivery/doorbells.ts"
import { listenForNewEvents, noteRow } from "../delivery/new-events.ts"

/**
 * Uses a store in this process, where the API and deliveries also are. They ask it without HTTP. It tells
 * deliveries about events and rings for them. The end of this process may lose the last moment's rate counts
 * and claimed keys.
 * @returns a function that undoes it.
 */
export function useStoreInProcess(store: DynamoDb): () => void {
  store.relax(tables.requests, ({ pk, state }, isFull) => {
    const record = String(pk?.S)
    if (RateLimit.isCounter(record)) return true
    // A claimed key goes to the disk before its message leaves: a session's own write takes it along. On a
    // full disk, which would refuse that write, the claim itself waits and is refused: the caller hears of it
    // at once.
    return !isFull && Idempotency.isClaimed(record, String(state?.S))
  })
  const bells = new Bells()
  store.watch(tables.events, (item) => {
    noteRow(item)
    bells.ringForRow(item)
  })
  const ends = [
    useStoreWithoutHttp(store.answer),
    listenForNewEvents(),
    Idempotency.voidEarlierClaims(),
    askWhetherDoubted(store.isClockDoubted),
    () => bells.end(),
  ]
  return () => {
    for (const end of ends) end()
  }
}
