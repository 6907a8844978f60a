/**
 * A text in which people are mentioned by other digits: `@123` becomes `@456` where `digits` says so. Phones
 * show a mention where the text has the digits of an address that goes with the message.
 */
export function withMentions(text: string, digits: ReadonlyMap<string, string>): string {
  return text.replaceAll(/@(\d+)/g, (written, found: string) => {
    const other = digits.get(found)
    return other === undefined ? written : `@${other}`
  })
}
