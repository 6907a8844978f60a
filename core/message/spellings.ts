import { isPhoneJid, userOf } from "./jid.ts"

/**
 * Countries that have put a digit into their mobile numbers. People write both spellings; the network knows
 * a number by the one with which its owner joined. `before` and `after`: the digits around the added one.
 */
const changed = [
  // Brazil: a 9 after the area code of mobile numbers.
  { before: /55\d\d/, added: "9", after: /[6-9]\d{7}/ },
  // Mexico: a 1 after the country code.
  { before: /52/, added: "1", after: /[2-9]\d{9}/ },
  // Argentina: a 9 after the country code.
  { before: /54/, added: "9", after: /[1-9]\d{9}/ },
].map(({ before, added, after }) => ({
  added,
  short: new RegExp(`^(${before.source})(${after.source})$`),
  long: new RegExp(`^(${before.source})${added}(${after.source})$`),
}))

/** The spellings of a number's JID, the given one first; any other JID has one. */
export function spellingsOf(jid: string): [string, ...string[]] {
  const other = isPhoneJid(jid) ? otherSpellingOf(userOf(jid)) : undefined
  return other === undefined ? [jid] : [jid, `${other}@s.whatsapp.net`]
}

/** Whether this is the JID of a number that has another spelling. */
export function hasTwoSpellings(jid: string): boolean {
  return spellingsOf(jid).length > 1
}

/** Whether both JIDs are the same, however a number is spelt in them. */
export function isSameSpelt(one: string, other: string): boolean {
  return one === other || spellingsOf(one).includes(other)
}

/** Whether two spellings are of one number, in digits. */
export function isSameNumber(one: string, other: string): boolean {
  return isSameSpelt(`${one}@s.whatsapp.net`, `${other}@s.whatsapp.net`)
}

/** Whether a JID is one of these, however a number is spelt in them. */
export function isAmong(jid: string, jids: string[]): boolean {
  const spellings = spellingsOf(jid)
  return jids.some((one) => spellings.includes(one))
}

function otherSpellingOf(digits: string): string | undefined {
  for (const { added, short, long } of changed) {
    if (long.test(digits)) return digits.replace(long, "$1$2")
    if (short.test(digits)) return digits.replace(short, `$1${added}$2`)
  }
  return undefined
}
