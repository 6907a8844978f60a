/** The purpose of a request to the store, as far as it depends on a fleet's size. */
export function purposeOf(operation: string, request: object): string {
  const asked = JSON.stringify(request)
  if (asked.includes('"byHost"'))
    return asked.includes('"FREE') ? "looks at what is free" : "a host's look at its own, or at deleted ones"
  if (operation === "Query" && asked.includes('"HOSTS')) return "the sweep's look at all hosts"
  if (operation === "UpdateItem" && asked.includes('"HOSTS')) return "beats"
  if (operation === "UpdateItem" && asked.includes('"LEASE"'))
    return asked.includes("epoch + :one") ? "leases taken or given back" : "notes in leases"
  if (operation === "TransactWriteItems" && asked.includes('"HOSTS')) return "leases of dead hosts freed"
  return "sessions: memory, keys, commits"
}
