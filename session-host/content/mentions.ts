/**
 * A text in which people are mentioned by other digits: `@123` and `@+123` become `@456` where `digits` says
 * so. Phones show a mention where the text has the digits of an address that goes with the message.
 */
export function withMentions(text: string, digits: ReadonlyMap<string, string>): string {
  return text.replaceAll(/@\+?(\d+)/g, (written, found: string) => {
    const other = digits.get(found)
    return other === undefined ? written : `@${other}`
  })
}

/** The same value with each text in it changed. */
export function inEveryText<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value & string
  if (Array.isArray(value))
    return value.map((each: unknown) => inEveryText(each, change)) as Value & unknown[]
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([name, each]: [string, unknown]) => [
    name,
    inEveryText(each, change),
  ])
  return Object.fromEntries(entries) as Value
}
