/** JSON's forms of what PostgreSQL stores in no `jsonb`: NUL, and halves of characters. */
const unstorable = /\\u(?:0000|d[89a-f])/

/**
 * The JSON of a value that has strings of strangers in it (Contract, "Events"). NUL is left out of them and
 * halves of characters are replaced, since a receiver whose store refuses them would refuse the event for
 * ever.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value)
  return unstorable.test(json) ? JSON.stringify(value, storable) : json
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll("\0", "").toWellFormed() : value
}
